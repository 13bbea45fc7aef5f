package import Scenarios

package struct ClaimSummary: Sendable, Equatable {
  package struct AreaCount: Sendable, Equatable {
    package let area: RegisteredClaim.Area
    package let count: ClaimCount
  }

  package let all: ClaimCount
  /// Counts by area; areas without claims are omitted.
  package let areas: [AreaCount]
  private let title: String

  init(_ title: String, _ claims: [JudgedClaim]) {
    self.title = title
    all = ClaimCount(claims)
    areas = RegisteredClaim.Area.allCases.compactMap { area in
      let own = claims.filter { $0.claim.area == area }
      return own.isEmpty ? nil : AreaCount(area: area, count: ClaimCount(own))
    }
  }

  /// One line: the claims that hold, in total and by area. The total includes claims that are not
  /// judged.
  package var line: String {
    let byArea = areas.map { "\($0.area.rawValue) \($0.count.held) of \($0.count.made)" }
    let rest = "\(all.edge) edge, \(all.short) short, \(all.notJudged) not judged"
    return "\(title): \(all.held) of \(all.made) (\(rest))"
      + (byArea.isEmpty ? "" : "; \(byArea.joined(separator: ", "))")
  }
}
