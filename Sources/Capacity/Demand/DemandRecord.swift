package import Core

/// The demand of N phones on a backend: the key `demand` of a plan's `run.json`.
package struct DemandRecord: Equatable, Sendable, Codable {
  package struct Minute: Equatable, Sendable, Codable {
    package var from: Double
    package var batches: [Double]
    package var busiestSecond: Int
    package var bytesPerSecond: Double
    package var connections: Double
    package var pushes: Int
  }

  package var phones: Int
  package var livedPhones: Int
  /// The factor `phones` ÷ `livedPhones`, by which arrivals are multiplied.
  package var scale: Double
  /// Whether `scale` exceeds `SubsetScaling.factorMax`, so that single seconds mean little.
  package var isScaledTooFar: Bool
  package var seconds: Double
  /// The curve of the scaled arrivals, including the scaling's bias.
  package var curve: DemandCurve
  /// The rates to sustain, with 95 % intervals, in the order of `DemandCurve.delays`.
  package var sustained: [Ratio]
  /// The batches of the busiest second, without the scaling's bias, with a 95 % interval.
  package var peakSecond: Ratio
  /// The scaling's bias as factors: for the busiest second, then for each of `sustained`.
  /// `peakSecond` and `sustained` are values of `curve` divided by these factors.
  package var scalingBias: [Double]
  package var dispersion: Dispersion
  package var policies: [String]
  package var batchesPerPolicy: [Double]
  package var batchesPerPhoneDay: Double
  package var fixesPerBatch: Double
  /// The mean size of a batch as packed columns, without frames and headers.
  package var bytesPerBatch: Double
  /// The bytes of the busiest second, or `peakSecond` × `bytesPerBatch` if the demand was scaled.
  package var peakBytesPerSecond: Double
  /// The most connections open at once, if each upload has its own. Transit times are modelled.
  package var peakConnections: Double
  package var pushes: Double
  package var peakPushesPerMinute: Double
  package var minutes: [Minute]
  /// The reads of viewers, or the messages to them; nil without viewers.
  package var views: ViewDemand?
  /// The parts of both systems; nil for a fleet with one system.
  package var systems: [SystemDemand]?

  /// - Parameter seed: The seed of the scaling.
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
    // Scaling a subset's busiest second for bytes would magnify its random excess as well.
    peakBytesPerSecond = factor > 1 ? peak * bytesPerBatch : recorder.peakBytesPerSecond
    peakConnections = recorder.peakConnections * factor
    pushes = Double(recorder.pushes) * factor
    peakPushesPerMinute = Double(recorder.peakPushesPerMinute) * factor
    minutes = recorder.minutes().map { $0.scaled(by: factor) }
    views = recorder.views.map(ViewDemand.init)
  }

  private static func peaks(_ series: ArrivalSeries) -> [Double] {
    [Double(series.counts(every: 1).max() ?? 0)]
      + DemandCurve.delays.map { series.sustainedRate(delay: $0).rate }
  }

  /// Returns the rate to sustain for a delay; nil if `DemandCurve.delays` does not contain it.
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
