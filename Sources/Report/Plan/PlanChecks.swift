internal import Capacity
internal import Core

/// The criteria of a reliable capacity, each with its value.
extension CapacityRecord {
  struct Check {
    var name: String
    var limit: String
    var actual: String
    /// Nil if the value is unknown.
    var holds: Bool?
  }

  /// The greatest relative distance between the bounds, or between two estimates of a capacity.
  private static let apartMax = 0.1

  /// The checks of a measured capacity; empty if nothing was measured.
  var checks: [Check] {
    guard source == .measured else { return [] }
    return [boundsCheck, phonesCheck, generatorCheck, latenessCheck, derivationCheck].compactMap(
      \.self)
  }

  private var boundsCheck: Check {
    let limit = "at most \(Figure.percent(Self.apartMax)) apart"
    guard let lower = lowerBound, let upper = upperBound else {
      return Check(name: "lower and upper bound", limit: limit, actual: "not both", holds: nil)
    }
    let apart = upper / lower - 1
    return Check(
      name: "lower and upper bound", limit: limit, actual: Figure.percent(apart),
      holds: apart <= Self.apartMax + 1e-6)
  }

  private var phonesCheck: Check {
    Check(
      name: "the scenario’s phones", limit: "served at the lower bound",
      actual: verified.map { $0 ? "served" : "not served" } ?? "not tried",
      holds: verified)
  }

  private var generatorCheck: Check? {
    guard let ceiling = generatorCeiling, let upper = upperBound else { return nil }
    return Check(
      name: "generator without a collector",
      limit: "at least \(Figure.plain(Self.generatorMargin)) × the upper bound",
      actual: "\(Figure.quantity(ceiling / upper)) ×",
      holds: ceiling >= Self.generatorMargin * upper)
  }

  private var latenessCheck: Check? {
    let valid = trials.filter { $0.invalid == nil }
    guard let worst = valid.compactMap(\.lagP99Microseconds).max() else { return nil }
    let limit = TrialJudge.lagMax(of: latencyLimitMicroseconds)
    return Check(
      name: "send lag p99, worst valid trial", limit: "at most \(Figure.time(limit))",
      actual: Figure.time(worst), holds: worst <= limit)
  }

  private var derivationCheck: Check? {
    guard let derived, let demonstrated, demonstrated > 0 else { return nil }
    return Check(
      name: "demonstrated and derived capacity",
      limit: "at most \(Figure.percent(Self.apartMax)) apart",
      actual: Figure.percent(abs(derived / demonstrated - 1)), holds: !isFarApart)
  }

  var checkSection: Block? {
    guard !checks.isEmpty else { return nil }
    let table = Table(
      head: ["", "limit", "actual", ""],
      rows: checks.map { [$0.name, $0.limit, $0.actual, $0.holds == true ? "pass" : "fail"] },
      words: [1, 2, 3])
    return .section(
      "checks", "Checks of the capacity",
      "\(checks.count { $0.holds == true }) of \(checks.count) checks pass.", open: table)
  }
}
