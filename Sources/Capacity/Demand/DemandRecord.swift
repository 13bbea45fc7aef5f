package import Measure

/// What N phones ask of a backend: the key `demand` of a plan's `run.json`.
package struct DemandRecord: Equatable, Sendable, Codable {
  /// A stretch of a minute, of the phones that were lived, times the scaling.
  package struct Minute: Equatable, Sendable, Codable {
    /// Seconds since the begin.
    package var from: Double
    /// A second, of each policy.
    package var batches: [Double]
    package var busiestSecond: Int
    package var bytesPerSecond: Double
    package var connections: Double
    package var pushes: Int
  }

  package var phones: Int
  /// How many of them were lived in virtual time.
  package var livedPhones: Int
  /// `phones` ÷ `livedPhones`.
  package var scale: Double
  package var isScaledTooFar: Bool
  package var seconds: Double
  package var curve: DemandCurve
  /// C*(D) of `curve` with what it may be off, in the order of `DemandCurve.delays`.
  package var sustained: [Ratio]
  package var peakSecond: Ratio
  /// How many times too high the scaling made the busiest second and each of `sustained`: what it
  /// found in `curve` was divided by that.
  package var scalingBias: [Double]
  package var dispersion: Dispersion
  package var policies: [String]
  package var batchesPerPolicy: [Double]
  package var batchesPerPhoneDay: Double
  package var fixesPerBatch: Double
  /// As packed columns, without frames and headers.
  package var bytesPerBatch: Double
  package var peakBytesPerSecond: Double
  /// With a connection for each upload, and a modelled time on the way.
  package var peakConnections: Double
  package var pushes: Double
  package var peakPushesPerMinute: Double
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
