internal import Scenarios

/// A published figure and the model's prediction of it.
struct ClaimForecast: Sendable {
  let claim: RegisteredClaim
  /// The predicted interval; nil if the model has no value for the claim.
  let interval: ClaimInterval?
  /// The CRPS in natural logarithms; nil for a bound, or a figure not predicted in logarithms.
  let crps: Double?
  /// The number of points at which the model has a value.
  let points: Int
  /// The reason why there is no interval; otherwise empty.
  let reason: String

  init(_ claim: RegisteredClaim, notJudged reason: String) {
    self.claim = claim
    (interval, crps, points) = (nil, nil, 0)
    self.reason = reason
  }

  /// - Parameter draws: The values by point and case. A claim that does not name its case is
  ///   compared with the mixture of all cases.
  init(_ claim: RegisteredClaim, _ draws: [[[Double]]], commit: String) {
    self.claim = claim
    points = draws.count { $0.contains { !$0.isEmpty } }
    let observed = claim.observation
    guard let forecast = Forecast(draws.flatMap { $0 }, observed: observed) else {
      (interval, crps) = (nil, nil)
      reason = "no such event occurred at any point"
      return
    }
    let below = forecast.share(below: observed.value)
    let cases = draws.map(\.count).max() ?? 0
    let byCase = (0..<cases).map { ofCase in
      draws.flatMap { $0.indices.contains(ofCase) ? $0[ofCase] : [] }
    }
    let isReached: Bool
    let pit: Double
    if observed.of == .bound {
      pit = claim.band.high == nil ? 1 - below : below
      isReached = byCase.contains { $0.contains(where: claim.band.contains) }
    } else {
      pit = below
      isReached = byCase.contains { Forecast.reaches(observed, $0) }
    }
    interval = ClaimInterval(
      id: claim.id, value: observed.value,
      quantiles: ClaimInterval.shares.map(forecast.quantile), pit: pit, isReached: isReached,
      commit: commit)
    crps = observed.of == .bound ? nil : forecast.score(of: observed.value)
    reason = ""
  }
}

extension RegisteredClaim {
  /// The origin of the figure: a host, or on a host with many authors the repository, question or
  /// forum thread.
  var origin: String {
    let address = source.address.prefix { !" ;,".contains($0) }
    let path = address.split(separator: "/").drop { $0.hasSuffix(":") }
    let host = path.first.map { $0.hasPrefix("www.") ? $0.dropFirst(4) : $0 } ?? ""
    switch host {
    case "github.com": return path.prefix(3).joined(separator: "/")
    case "stackoverflow.com", "developer.apple.com", "pmc.ncbi.nlm.nih.gov":
      return path.prefix(4).joined(separator: "/")
    case _: return String(host)
    }
  }
}
