internal import Core
internal import Scenarios

struct PhoneFigures: Sendable, Equatable {
  var values: [Double] = []
  var part = 0.0
  var whole = 0.0

  /// The greatest number of values that `thinned` keeps, enough to resample some hundred phones.
  static let valuesMax = 240

  func thinned() -> PhoneFigures {
    guard values.count > Self.valuesMax else { return self }
    var copy = self
    let step = Double(values.count) / Double(Self.valuesMax)
    copy.values = (0..<Self.valuesMax).map { values[Int(Double($0) * step)] }
    return copy
  }
}

enum ClaimWorld: Hashable, Sendable {
  case fleet(FleetPlan)
  case people(PeoplePlan)
}

enum LivedWorld {
  case fleet(TracedFleet)
  case people([PersonRecord])
}

struct ClaimPart: Sendable {
  let world: ClaimWorld
  let figures: @Sendable (LivedWorld) -> [PhoneFigures]

  static func phones(
    _ plan: FleetPlan, _ figures: @escaping @Sendable (LivedPhone) -> PhoneFigures
  ) -> ClaimPart {
    ClaimPart(world: .fleet(plan)) { world in
      guard case .fleet(let fleet) = world else { return [] }
      return LivedPhone.all(of: fleet).map { figures($0).thinned() }
    }
  }

  static func people(
    _ plan: PeoplePlan, _ figures: @escaping @Sendable (PersonRecord) -> PhoneFigures
  ) -> ClaimPart {
    ClaimPart(world: .people(plan)) { world in
      guard case .people(let people) = world else { return [] }
      return people.map { figures($0).thinned() }
    }
  }
}

struct ClaimCase: Sendable {
  let name: String
  let parts: [ClaimPart]
  let value: @Sendable ([[PhoneFigures]]) -> Double?

  init(
    _ name: String, _ parts: [ClaimPart],
    _ value: @escaping @Sendable ([[PhoneFigures]]) -> Double?
  ) {
    self.name = name
    self.parts = parts
    self.value = value
  }

  init(_ name: String, _ part: ClaimPart, _ statistic: ClaimStatistic) {
    self.init(name, [part]) { statistic.value(of: $0[0]) }
  }

  /// Returns each phone's value from the figures of one seed. All parts have the same phones.
  func phones(_ parts: [[PhoneFigures]]) -> [Double] {
    (0..<(parts.map(\.count).min() ?? 0)).compactMap { phone in value(parts.map { [$0[phone]] }) }
  }
}

enum ClaimStatistic: Sendable, Equatable {
  case quantile(Double)
  case mean
  /// The most frequent value; of several the largest.
  case mode
  case share

  static let median = ClaimStatistic.quantile(0.5)

  func value(of phones: [PhoneFigures]) -> Double? {
    switch self {
    case .quantile(let q): return Sample.quantile(phones.flatMap(\.values), q)
    case .mean: return Sample.mean(phones.flatMap(\.values))
    case .mode:
      let counts = Dictionary(grouping: phones.flatMap(\.values)) { $0 }
      return counts.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.key
    case .share:
      let whole = phones.reduce(0) { $0 + $1.whole }
      return whole > 0 ? phones.reduce(0) { $0 + $1.part } / whole : nil
    }
  }
}

struct ClaimMeasure: Sendable {
  let id: String
  /// The cases, each of which must be within the claim's band.
  let cases: [ClaimCase]

  init(_ id: String, _ cases: [ClaimCase]) {
    self.id = id
    self.cases = cases
  }

  init(_ id: String, _ part: ClaimPart, _ statistic: ClaimStatistic) {
    self.init(id, [ClaimCase("", part, statistic)])
  }
}

extension ClaimCase {
  /// Returns values of which a published figure is one draw: one value of all phones, or several
  /// values, each of as many phones as the source had. `parts` has a simulation's figures.
  func draws(of observed: ObservedOf, _ parts: [[PhoneFigures]], key: Int) -> [Double] {
    let values: [Double] =
      switch observed {
      case .populationMedian, .populationShare, .bound: value(parts).map { [$0] } ?? []
      case .onePhone: phones(parts)
      case .extreme(let count): samples(of: count, parts, key: key)
      }
    let finite = values.filter(\.isFinite).sorted()
    guard finite.count > Self.drawsMax else { return finite }
    return (0..<Self.drawsMax).map { finite[(2 * $0 + 1) * finite.count / (2 * Self.drawsMax)] }
  }

  /// The greatest number of values that `draws` returns, evenly spaced by rank.
  private static let drawsMax = 40
  private static let samplesOfPhones = 8

  /// Returns the statistic of several samples of `count` phones, drawn with replacement.
  private func samples(of count: Int, _ parts: [[PhoneFigures]], key: Int) -> [Double] {
    let phones = parts.map(\.count).min() ?? 0
    guard phones > 0 else { return [] }
    var draw = Draw(seed: 0, phone: .max, .claimSample, Int64(key))
    return (0..<Self.samplesOfPhones).compactMap { _ in
      let chosen = (0..<count).map { _ in draw.unit(of: phones) }
      return value(parts.map { part in chosen.map { part[$0] } })
    }
  }
}
