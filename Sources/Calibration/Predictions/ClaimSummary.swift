package import Scenarios

/// How many claims hold, of one kind: all of them, and area by area.
package struct ClaimSummary: Sendable, Equatable {
  /// Is one area that has claims, and how many hold.
  package struct AreaCount: Sendable, Equatable {
    /// Is the part of the model that the claims are about.
    package let area: RegisteredClaim.Area
    /// Counts the area's claims.
    package let count: ClaimCount
  }

  /// Counts all claims.
  package let all: ClaimCount
  /// Counts them by area, areas without a claim left out.
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

  /// Says it in one line: those that hold of all that were made, and of those of each area. A claim
  /// that is not judged counts among those that were made.
  package var line: String {
    let byArea = areas.map { "\($0.area.rawValue) \($0.count.held) of \($0.count.made)" }
    let rest = "\(all.edge) edge, \(all.short) short, \(all.notJudged) not judged"
    return "\(title): \(all.held) of \(all.made) (\(rest))"
      + (byArea.isEmpty ? "" : "; \(byArea.joined(separator: ", "))")
  }
}
