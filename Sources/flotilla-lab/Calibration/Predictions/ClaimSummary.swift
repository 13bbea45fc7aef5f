package import Scenarios

package struct ClaimSummary: Sendable, Equatable {
  package struct AreaCount: Sendable, Equatable {
    package let area: RegisteredClaim.Area
    package let count: ClaimCount
  }

  package let all: ClaimCount
  /// By area, without areas that have no claim.
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

  /// One line: the claims that hold of all, and of each area. A claim that is not judged counts
  /// among all.
  package var line: String {
    let byArea = areas.map { "\($0.area.rawValue) \($0.count.held) of \($0.count.made)" }
    let rest = "\(all.edge) edge, \(all.short) short, \(all.notJudged) not judged"
    return "\(title): \(all.held) of \(all.made) (\(rest))"
      + (byArea.isEmpty ? "" : "; \(byArea.joined(separator: ", "))")
  }
}
