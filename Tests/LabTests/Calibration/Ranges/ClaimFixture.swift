@testable import Scenarios

enum ClaimFixture {
  static func observation(
    _ value: Double, _ error: ObservationError = .factor(1), _ of: ObservedOf = .populationMedian
  ) -> Observation {
    Observation(value: value, error: error, of: of, group: "")
  }

  static func claim(
    _ id: String, _ value: Double, _ error: ObservationError = .factor(1.1),
    _ of: ObservedOf = .populationMedian, area: RegisteredClaim.Area = .push,
    kind: RegisteredClaim.Kind = .predict, source: String = "https://example.org/a"
  ) -> RegisteredClaim {
    var claim = RegisteredClaim.blank
    (claim.id, claim.area, claim.kind) = (id, area, kind)
    claim.source.address = source
    claim.observation = observation(value, error, of)
    claim.band = of == .bound ? Band(nil, value) : Band(value / 2, value * 2)
    return claim
  }
}
