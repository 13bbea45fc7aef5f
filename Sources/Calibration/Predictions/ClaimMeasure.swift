internal import Figures

/// What one phone, or one person, contributes to a measure.
struct PhoneFigures: Sendable, Equatable {
  /// Values of one kind, such as the reported accuracy of some fixes.
  var values: [Double] = []
  /// A part of a whole, such as answered pushes of all pushes.
  var part = 0.0
  var whole = 0.0

  /// As many values as a bootstrap of some hundred phones needs, evenly spaced.
  static let valuesMax = 240

  func thinned() -> PhoneFigures {
    guard values.count > Self.valuesMax else { return self }
    var copy = self
    let step = Double(values.count) / Double(Self.valuesMax)
    copy.values = (0..<Self.valuesMax).map { values[Int(Double($0) * step)] }
    return copy
  }
}

/// What a part of a measure is read from; measures that name equal worlds share one run of it.
enum ClaimWorld: Hashable, Sendable {
  case fleet(FleetPlan)
  case people(PeoplePlan)
}

/// A world that has been lived with one seed.
enum LivedWorld {
  case fleet(TracedFleet)
  case people([PersonRecord])
}

/// One world of a measure, and what each of its phones or people contributes.
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

/// One value that a claim is judged by: the worlds that it needs, and how their phones' figures
/// become the value.
struct ClaimCase: Sendable {
  /// Says what tells this case from the claim's others; empty where there is one.
  let name: String
  let parts: [ClaimPart]
  /// The value of the figures by part and then by phone; nil where they do not support it.
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
}

/// How the figures of many phones become one value.
enum ClaimStatistic: Sendable, Equatable {
  /// The q-quantile of all values together.
  case quantile(Double)
  case mean
  /// Σ part / Σ whole.
  case share

  static let median = ClaimStatistic.quantile(0.5)

  func value(of phones: [PhoneFigures]) -> Double? {
    switch self {
    case .quantile(let q): return Sample.quantile(phones.flatMap(\.values), q)
    case .mean: return Sample.mean(phones.flatMap(\.values))
    case .share:
      let whole = phones.reduce(0) { $0 + $1.whole }
      return whole > 0 ? phones.reduce(0) { $0 + $1.part } / whole : nil
    }
  }
}

/// A registered claim bound to what is simulated and measured for it.
struct ClaimMeasure: Sendable {
  /// Is the claim's id.
  let id: String
  /// Every case must lie in the claim's band.
  let cases: [ClaimCase]

  init(_ id: String, _ cases: [ClaimCase]) {
    self.id = id
    self.cases = cases
  }

  init(_ id: String, _ part: ClaimPart, _ statistic: ClaimStatistic) {
    self.init(id, [ClaimCase("", part, statistic)])
  }
}
