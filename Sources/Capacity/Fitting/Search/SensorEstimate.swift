internal import Core

package struct SensorEstimate: Equatable, Sendable, Codable {
  package struct Step: Equatable, Sendable, Codable {
    /// The key of the step under `reported` in a sensor profile.
    package var key: String
    package var meters: Double
  }

  /// The accuracy steps found in the log, ascending; steps not found keep the standard values.
  package private(set) var steps: [Step] = []
  /// The factor on satellite accuracies; nil for the standard factor.
  package var caution: Double?

  /// The band of accuracies around each standard step, in metres, cut at geometric means.
  private static let bands: [(key: String, range: Range<Double>)] = [
    ("wifiFine", 20..<48), ("wifi", 48..<108), ("wifiCoarse", 108..<300),
    ("cellFine", 300..<840), ("cell", 840..<2_060), ("cellCoarse", 2_060..<10_000),
  ]
  /// The least share of a band's fixes with the same accuracy that makes this accuracy a step.
  private static let stepShare = 0.3
  /// The fewest fixes in a band for an estimate.
  private static let stepFixesMin = 20

  package init(_ accuracies: [Double]) {
    if let least = accuracies.sortedQuantile(0.01, .inverse), accuracies.count >= 100,
      (1..<20).contains(least)
    {
      steps.append(Step(key: "satellitesMin", meters: least.rounded()))
    }
    for band in Self.bands {
      var counts: [Double: Int] = [:]
      var whole = 0
      for value in accuracies where band.range.contains(value) {
        counts[value.rounded(), default: 0] += 1
        whole += 1
      }
      guard let most = counts.ranked.first, most.value >= Self.stepFixesMin,
        Double(most.value) >= Self.stepShare * Double(whole)
      else { continue }
      steps.append(Step(key: band.key, meters: min(most.key, band.range.upperBound)))
    }
  }

  /// Sets the caution so that the simulated median of satellite accuracies equals the log's.
  /// - Parameter standard: The simulation's caution.
  package mutating func setCaution(
    log: [Double], simulated: [Double], standard: Double
  ) {
    let fine = log.filter { $0 < SourceMix.wifiFrom }
    let other = simulated.filter { $0 < SourceMix.wifiFrom }
    guard fine.count >= FitFigure.accuracy.valuesMin, other.count >= FitFigure.accuracy.valuesMin,
      let a = fine.sortedQuantile(0.5, .inverse), let b = other.sortedQuantile(0.5, .inverse),
      a > 0, b > 0
    else { return }
    caution = min(10, max(0.1, FitCandidate.rounded(standard * a / b)))
  }
}
