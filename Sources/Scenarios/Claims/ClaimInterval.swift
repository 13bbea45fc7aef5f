internal import Foundation

/// The rank of a published figure among the figures that the model predicts over the ranges of its
/// parameters, as in one line of `scenarios/claims/intervals.csv`.
package struct ClaimInterval: Equatable, Sendable {
  package static let header = "id,value,q05,q25,q50,q75,q95,pit,reached,commit"
  package static let shares = [0.05, 0.25, 0.5, 0.75, 0.95]

  package let id: String
  /// The published figure.
  package let value: Double
  /// The quantiles of the predicted figures, one for each of `shares`.
  package let quantiles: [Double]
  /// The predicted probability of a figure below the published one, or of meeting a bound.
  package let pit: Double
  /// Whether the model reaches the published figure with any values of its parameters.
  package let isReached: Bool
  /// The commit that was simulated, with `+` if files differed from the commit.
  package let commit: String

  package init(
    id: String, value: Double, quantiles: [Double], pit: Double, isReached: Bool, commit: String
  ) {
    self.id = id
    self.value = value
    self.quantiles = quantiles
    self.pit = pit
    self.isReached = isReached
    self.commit = commit
  }

  /// Parses a line; nil for the header or a line of another file.
  package init?(_ line: Substring) {
    let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let numbers = cells.dropFirst().prefix(Self.shares.count + 2).compactMap(Double.init)
    guard cells.count == 10, numbers.count == Self.shares.count + 2,
      numbers.allSatisfy(\.isFinite), ["yes", "no"].contains(cells[8])
    else { return nil }
    self.init(
      id: cells[0], value: numbers[0], quantiles: Array(numbers[1...5]), pit: numbers[6],
      isReached: cells[8] == "yes", commit: cells[9])
  }

  package var line: String {
    let numbers = [value] + quantiles + [pit]
    return ([id] + numbers.map(Self.text) + [isReached ? "yes" : "no", commit])
      .joined(separator: ",")
  }

  /// Returns a number with five significant digits.
  private static func text(_ number: Double) -> String {
    String(format: "%.5g", locale: Locale(identifier: "en_US_POSIX"), number)
  }

  /// Returns whether the central interval with this probability contains the published figure.
  package func contains(_ probability: Double) -> Bool {
    abs(pit - 0.5) <= probability / 2 + 1e-9
  }

  /// The upper end of the 90 % interval divided by the lower; nil unless the lower end is positive.
  package var width: Double? {
    guard let low = quantiles.first, let high = quantiles.last, low > 0 else { return nil }
    return high / low
  }
}
