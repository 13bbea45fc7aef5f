package import Figures

/// What N phones ask of a backend: the key `demand` of a plan's `run.json`.
package struct DemandRecord: Equatable, Sendable, Codable {
  /// A stretch of a minute, of the phones that were lived, times the scaling.
  package struct Minute: Equatable, Sendable, Codable {
    /// Seconds since the begin.
    package var from: Double
    /// A second, of each policy.
    package var batches: [Double]
    /// Is the number of batches in the busiest second of the minute.
    package var busiestSecond: Int
    /// Is the mean rate over the minute, in bytes a second.
    package var bytesPerSecond: Double
    /// Is the mean number of open connections over the minute.
    package var connections: Double
    /// Counts the pushes requested in the minute.
    package var pushes: Int
  }

  /// Is the number of phones that the demand is of.
  package var phones: Int
  /// How many of them were lived in virtual time.
  package var livedPhones: Int
  /// `phones` ÷ `livedPhones`.
  package var scale: Double
  /// Is true where `scale` exceeds `SubsetScaling.factorMax`, so that single seconds mean little.
  package var isScaledTooFar: Bool
  /// Is the measured time, in seconds.
  package var seconds: Double
  /// Is the curve of the scaled arrivals, with the bias that the scaling gave its peaks.
  package var curve: DemandCurve
  /// C*(D) of `curve` with what it may be off, in the order of `DemandCurve.delays`.
  package var sustained: [Ratio]
  /// Is the busiest second in batches a second, freed of the scaling's bias, with its 95 %
  /// interval.
  package var peakSecond: Ratio
  /// How many times too high the scaling made the busiest second and each of `sustained`: what it
  /// found in `curve` was divided by that.
  package var scalingBias: [Double]
  /// Says how counts of arrivals vary, estimated from the phones that were lived.
  package var dispersion: Dispersion
  /// Names the policies, in the order of the scenario.
  package var policies: [String]
  /// Counts the batches of each policy over the measured time, scaled, in the order of `policies`.
  package var batchesPerPolicy: [Double]
  /// Is the mean number of batches that a phone sends in 24 h.
  package var batchesPerPhoneDay: Double
  /// Is the mean number of fixes in a batch of the phones that were lived.
  package var fixesPerBatch: Double
  /// As packed columns, without frames and headers.
  package var bytesPerBatch: Double
  /// Is the rate of the busiest second, in bytes a second; of a scaled demand its batches times the
  /// mean size.
  package var peakBytesPerSecond: Double
  /// With a connection for each upload, and a modelled time on the way.
  package var peakConnections: Double
  /// Counts the pushes requested over the measured time, scaled.
  package var pushes: Double
  /// Counts the pushes of the busiest minute, scaled.
  package var peakPushesPerMinute: Double
  /// Holds the demand minute by minute, scaled, for curves.
  package var minutes: [Minute]

  /// - Parameters:
  ///   - phones: all, of which the recorder saw `lived`.
  ///   - seed: of the scaling's chance.
  package init(_ recorder: DemandRecorder, phones: Int, lived: Int, seed: UInt64) {
    let scaling = SubsetScaling(
      factor: Double(phones) / Double(max(1, lived)),
      dispersion: Dispersion(groups: recorder.groups))
    let factor = scaling.factor
    let series = scaling.scaled(recorder.series, seed: seed)
    let curve = DemandCurve(series)
    let found = [curve.peakSecond.batchesPerSecond] + curve.sustained.map(\.rate)
    let bias = scaling.bias(of: found, in: series, seed: seed, Self.peaks)
    let seen = max(1, recorder.series.count)
    self.phones = phones
    livedPhones = lived
    scale = factor
    isScaledTooFar = factor > SubsetScaling.factorMax
    seconds = curve.seconds
    self.curve = curve
    sustained = zip(curve.sustained, bias.dropFirst()).map { found, bias in
      scaling.interval(found.rate / bias, arrivals: Double(found.arrivals) / bias)
    }
    let peak = curve.peakSecond.batchesPerSecond / bias[0]
    peakSecond = scaling.interval(peak, arrivals: peak)
    scalingBias = bias
    dispersion = scaling.dispersion
    policies = recorder.policies
    batchesPerPolicy = recorder.batchesPerPolicy.map { Double($0) * factor }
    let phoneDays = Double(phones) * curve.seconds / 86_400
    batchesPerPhoneDay = phoneDays > 0 ? Double(curve.batches) / phoneDays : 0
    fixesPerBatch = Double(recorder.fixes) / Double(seen)
    bytesPerBatch = recorder.bytes / Double(seen)
    // Of a subset the busiest second for bytes would be magnified together with its chance.
    peakBytesPerSecond = factor > 1 ? peak * bytesPerBatch : recorder.peakBytesPerSecond
    peakConnections = recorder.peakConnections * factor
    pushes = Double(recorder.pushes) * factor
    peakPushesPerMinute = Double(recorder.peakPushesPerMinute) * factor
    minutes = recorder.minutes().map { $0.scaled(by: factor) }
  }

  /// The busiest second, and C*(D) of each delay.
  private static func peaks(_ series: ArrivalSeries) -> [Double] {
    [Double(series.counts(every: 1).max() ?? 0)]
      + DemandCurve.delays.map { series.sustainedRate(delay: $0).rate }
  }

  /// Returns C*(D) with its interval for a delay in seconds; nil: `DemandCurve.delays` does not
  /// have it.
  package func sustained(delay: Double) -> Ratio? {
    DemandCurve.delays.firstIndex(of: delay).map { sustained[$0] }
  }
}

extension DemandRecord.Minute {
  fileprivate func scaled(by factor: Double) -> Self {
    Self(
      from: from, batches: batches.map { $0 * factor },
      busiestSecond: Int((Double(busiestSecond) * factor).rounded()),
      bytesPerSecond: bytesPerSecond * factor, connections: connections * factor,
      pushes: Int((Double(pushes) * factor).rounded()))
  }
}
