internal import Core
internal import Figures
internal import Fleet
internal import Push
internal import Scenarios
internal import ServerLogic

extension RunRecord {
  /// Joins the server's record of each push with the push's end on the phone.
  mutating func setWake(
    _ fleet: FleetAccount, _ server: WakeAccount, until end: SimInstant, _ context: FleetContext
  ) {
    let scenario = context.scenario
    let push = scenario.push
    var ledger = WakeLedger(
      within: push.within, windows: push.windows.filter { $0 <= push.spacing }, until: end)
    let systems = scenario.fleet.cohorts.map(\.os.name)
    let names = systems.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let places = systems.map { name in UInt16(names.firstIndex(of: name) ?? 0) }
    var finder = EndingFinder(fleet.pushEndings)
    let answers = scenario.fleet.cohorts.indices.map { scenario.answersPushes(cohort: $0) }
    let usual = push.request.kind.kind
    var kinds: Set<PushManner.Kind> = []
    ledger.reserve(server.occasions.count)
    for occasion in server.occasions {
      let ending = finder.ending(of: occasion.pushID)
      var joined = WakePush(occasion, ending, within: push.within, until: end)
      let cohort = context.cohort(of: Int(occasion.phone.rawValue))
      joined.cohort = UInt16(cohort)
      joined.canBeAnswered = answers[cohort]
      joined.system = places[cohort]
      let kind = occasion.manner.isOfScenario ? usual : occasion.manner.kind
      joined.type = kind.rawValue
      kinds.insert(kind)
      joined.hour = UInt8(
        scenario.clock.timeOfDay(at: occasion.at).microseconds / 3_600_000_000)
      ledger.add(joined)
    }
    for silence in server.unreachable { ledger.add(silence) }
    wake = Wake(
      ledger,
      names: (
        cohorts: scenario.fleet.cohorts.map(\.name), systems: names,
        types: kinds.isSubset(of: [usual]) ? [] : PushManner.Kind.allCases.map { "\($0)" }
      ),
      seed: scenario.seed)
    setPushes(by: scenario.fleet.cohorts.map(\.os.value.system.kind), ledger, scenario.seed)
    if let silent = server.unreachableSum {
      wake.setAllSilent(unreachable: silent.eligible, answeredByThemselves: silent.answered)
    }
    if usual == .alert || kinds.contains(.alert) { wake.setShown(fleet.metrics[.alertsShown]) }
  }
}

extension RunRecord {
  /// Adds the pushes to the phones of each system and OS profile.
  private mutating func setPushes(by kinds: [SystemKind], _ ledger: WakeLedger, _ seed: UInt64) {
    guard var systems else { return }
    let both = SystemKind.allCases
    let groups =
      (wake.systems ?? [])
      + ledger.groups(
        by: { push in both.firstIndex(of: kinds[Int(push.cohort)]) ?? 0 },
        named: { both[$0].rawValue }, seed: seed)
    for i in systems.indices {
      let name = systems[i].name
      systems[i].pushes = groups.first { $0.name == name }
    }
    self.systems = systems
  }
}

extension PushRequest.Kind {
  fileprivate var kind: PushManner.Kind {
    switch self {
    case .background: .background
    case .alert: .alert
    case .location: .location
    }
  }
}

private struct EndingFinder {
  private let endings: [PushEnding]
  private var next = 0

  init(_ endings: [PushEnding]) {
    let isSorted = zip(endings, endings.dropFirst()).allSatisfy { $0.id <= $1.id }
    self.endings = isSorted ? endings : endings.sorted { $0.id < $1.id }
  }

  mutating func ending(of id: UInt64) -> PushEnding? {
    if next > 0, endings[next - 1].id >= id {
      next = 0
      var end = endings.count
      while next < end {
        let middle = (next + end) / 2
        if endings[middle].id < id { next = middle + 1 } else { end = middle }
      }
    }
    while next < endings.count, endings[next].id < id { next += 1 }
    return next < endings.count && endings[next].id == id ? endings[next] : nil
  }
}

extension WakeOccasion {
  func isUnderWay(within: SimDuration, at instant: SimInstant) -> Bool { at + within > instant }
}

extension WakePush {
  fileprivate init(
    _ occasion: WakeOccasion, _ ending: PushEnding?, within: SimDuration, until end: SimInstant
  ) {
    self.init(phone: occasion.phone.rawValue, requestedAt: occasion.at)
    isWithheld = occasion.isWithheld
    answeredAfter = occasion.answeredAfter
    guard !isWithheld, let ending else { return }
    // A push that is under way at the end is pending.
    outcome = occasion.isUnderWay(within: within, at: end) ? .pending : ending.outcome
    if ending.causedAt < end { causedAfter = ending.causedAt - occasion.at }
    switch ending.counterfactualReport {
    case nil: counterfactual = .unknown
    case .distantFuture?: counterfactual = .silent
    case let at?: counterfactual = .reported(after: at - occasion.at)
    }
  }
}
