internal import Core
internal import Foundation

/// How many of the published figures lie in the model's 90 % intervals, and how wide the intervals
/// are. Bounds are left out, since a loose enough bound is always met.
package struct ClaimEvidence: Equatable, Sendable, Encodable {
  package struct Count: Equatable, Sendable, Encodable {
    package let contained: Int
    package let made: Int
  }

  package let all: Count
  package let coverage: Double
  /// The counts of each area with at least one interval, by the area's name.
  package let areas: [String: Count]
  /// The median ratio between the upper and lower ends of the intervals.
  package let width: Double
  /// The commits at which the intervals were recorded, such as "1a2b3c4d5 and 6e7f8a9b0".
  package let commit: String

  /// Returns the evidence in the recorded intervals; nil if no prediction has an interval.
  package static func read(_ library: ScenarioLibrary) throws -> ClaimEvidence? {
    guard let folder = library.claimsFolder,
      let bytes = FileManager.default.contents(atPath: "\(folder)/intervals.csv")
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    return ClaimEvidence(try library.claims(), lines.compactMap { ClaimInterval($0) })
  }

  /// Counts the published figures that lie in their intervals; nil if there is no interval.
  package init?(_ claims: [RegisteredClaim], _ intervals: [ClaimInterval]) {
    let known = Dictionary(intervals.map { ($0.id, $0) }) { $1 }
    let scored = claims.filter(\.isScored)
    func count(_ claims: [RegisteredClaim]) -> Count {
      let own = claims.compactMap { known[$0.id] }
      return Count(contained: own.count { $0.contains(0.9) }, made: own.count)
    }
    let all = scored.compactMap { known[$0.id] }
    guard !all.isEmpty else { return nil }
    self.all = count(scored)
    coverage = Double(self.all.contained) / Double(self.all.made)
    areas = Dictionary(grouping: scored, by: \.area.rawValue).mapValues(count)
      .filter { $0.value.made > 0 }
    width = all.compactMap(\.width).median(.linear) ?? 1
    let commits = all.map(\.commit)
    commit = commits.enumerated().filter { commits.firstIndex(of: $1) == $0 }.map(\.element)
      .joined(separator: " and ")
  }

  /// A sentence such as "90 % intervals contained 41 of 57 published figures (72 %), a factor of
  /// 3.1 wide; push 6 of 13".
  package var line: String {
    let byArea = RegisteredClaim.Area.allCases.compactMap { area in
      areas[area.rawValue].map { "\(area.rawValue) \($0.contained) of \($0.made)" }
    }
    let percent = (100 * Double(all.contained) / Double(all.made)).rounded()
    return """
      90 % intervals contained \(all.contained) of \(all.made) published figures \
      (\(Figure.plain(percent)) %), a factor of \(Figure.quantity(width)) wide; \
      \(byArea.joined(separator: ", "))
      """
  }
}

extension RegisteredClaim {
  package var isScored: Bool { kind == .predict && observation.of != .bound }
}
