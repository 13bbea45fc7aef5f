internal import Capacity
internal import Figures

/// What a measured capacity has to hold for a plan to be trusted, each beside what was found.
struct PlanChecks {
  struct Check: Equatable {
    var name: String
    var limit: String
    var actual: String
    var holds: Bool
  }

  let all: [Check]

  /// How far the bounds, and two ways to say the same, may be apart.
  private static let apartMax = 0.1

  /// Empty where nothing was measured: there is nothing to check then.
  init(_ capacity: CapacityRecord) {
    guard capacity.source == .measured else {
      all = []
      return
    }
    let checks: [Check?] = [
      Self.bounds(capacity), Self.phones(capacity), Self.generator(capacity),
      Self.lateness(capacity), Self.derivation(capacity),
    ]
    all = checks.compactMap { $0 }
  }

  private static func bounds(_ capacity: CapacityRecord) -> Check {
    let limit = "at most \(Figure.percent(apartMax)) apart"
    guard let lower = capacity.lowerBound, let upper = capacity.upperBound else {
      return Check(name: "lower and upper bound", limit: limit, actual: "not both", holds: false)
    }
    let apart = upper / lower - 1
    return Check(
      name: "lower and upper bound", limit: limit, actual: Figure.percent(apart),
      holds: apart <= apartMax + 1e-6)
  }

  private static func phones(_ capacity: CapacityRecord) -> Check {
    Check(
      name: "the scenario’s own phones", limit: "are served at the lower bound",
      actual: capacity.verified.map { $0 ? "served" : "not served" } ?? "not tried",
      holds: capacity.verified == true)
  }

  private static func generator(_ capacity: CapacityRecord) -> Check? {
    guard let ceiling = capacity.generatorCeiling, let upper = capacity.upperBound else {
      return nil
    }
    return Check(
      name: "the generator alone",
      limit: "at least \(Figure.plain(CapacityRecord.generatorMargin)) × the upper bound",
      actual: "\(Figure.quantity(ceiling / upper)) ×",
      holds: ceiling >= CapacityRecord.generatorMargin * upper)
  }

  private static func lateness(_ capacity: CapacityRecord) -> Check? {
    let valid = capacity.trials.filter { $0.invalid == nil }
    guard let worst = valid.compactMap(\.lagP99Microseconds).max() else { return nil }
    let limit = TrialJudge.lagMax(of: capacity.latencyLimitMicroseconds)
    return Check(
      name: "late sends (p99), worst trial that counts", limit: "at most \(Figure.time(limit))",
      actual: Figure.time(worst), holds: worst <= limit)
  }

  private static func derivation(_ capacity: CapacityRecord) -> Check? {
    guard let derived = capacity.derived, let demonstrated = capacity.demonstrated,
      demonstrated > 0
    else { return nil }
    return Check(
      name: "demonstrated and derived capacity",
      limit: "at most \(Figure.percent(apartMax)) apart",
      actual: Figure.percent(abs(derived / demonstrated - 1)), holds: !capacity.isFarApart)
  }

  func html(_ page: Page) -> HTML {
    guard !all.isEmpty else { return "" }
    return page.section(
      "checks", "What must hold", "What the answer rests on, and whether it did.",
      open: Table(
        head: ["", "has to be", "was", ""],
        rows: all.map { [$0.name, $0.limit, $0.actual, $0.holds ? "holds" : "does not hold"] },
        words: [1, 2, 3]),
      tables: [])
  }
}
