package import Core
package import Figures
package import Fleet
internal import Phone
internal import Push
package import Scenarios

/// Answers a screen's question about one phone or a page of phones of a live run, once a second.
///
/// Work on a shard's queue is bounded: each second at most 1,000 phones are searched for a page.
/// The phones found so far are read again each second.
package struct PhoneWatch {
  /// The maximum number of phones that a search inspects per second. The search takes 0.3 ms of a
  /// shard's queue, 0.9 ms for packed phones, of the 4 ms by which the pacer runs ahead.
  package static let inspectedMax = 1_000

  private let scenario: Scenario
  private let live: LiveFleet
  private var search: (question: PhoneQuestion, page: PhonePage)?

  package init(_ scenario: Scenario, _ live: LiveFleet) {
    self.scenario = scenario
    self.live = live
  }

  package mutating func look(_ question: PhoneQuestion?, at now: SimInstant) -> PhoneAnswer? {
    guard let question else {
      search = nil
      return nil
    }
    let content: PhoneAnswer.Content =
      switch question {
      case .phone(let number):
        live.fleet.phones.contains(number) ? .phone(facts(number)) : .elsewhere
      case .page(let filter, let first): .page(page(question, filter, from: first))
      }
    return PhoneAnswer(question, at: ClockText.timeOfDay(now, scenario.clock), content)
  }

  private func facts(_ number: Int) -> PhoneFacts {
    PhoneFacts(live.onShard(of: number) { $0.read(number) }, scenario)
  }

  private mutating func page(
    _ question: PhoneQuestion, _ filter: PhoneFilter, from first: Int
  ) -> PhonePage {
    var page = search?.question == question ? search?.page : nil
    page = page ?? newPage(filter, from: first)
    defer { search = page.map { (question, $0) } }
    for i in page!.phones.indices { page!.phones[i] = facts(page!.phones[i].number) }
    go(on: &page!, filter.state)
    return page!
  }

  private func newPage(_ filter: PhoneFilter, from first: Int) -> PhonePage {
    let (starts, mine) = (live.fleet.context.cohortStarts, live.fleet.phones)
    var wanted = 0..<scenario.fleet.phones
    if let cohort = filter.cohort {
      wanted = cohort < starts.count - 1 ? starts[cohort]..<starts[cohort + 1] : 0..<0
    }
    let range = wanted.clamped(to: mine)
    var page = PhonePage(range, next: min(max(first, range.lowerBound), range.upperBound))
    page.isPart = range != wanted
    return page
  }

  private func go(on page: inout PhonePage, _ state: PhoneState) {
    var left = Self.inspectedMax
    while left > 0, !page.isFull, !page.isAtEnd {
      let from = page.next
      let wanted = PhoneQuestion.pageSize - page.phones.count
      let (found, next) = live.onShard(of: from) { shard in
        let end = min(shard.firstPhone + shard.count, page.range.upperBound, from + left)
        var found: [PhoneReading] = []
        var number = from
        while number < end, found.count < wanted {
          let reading = shard.read(number)
          if state.holds(for: reading) { found.append(reading) }
          number += 1
        }
        return (found, number)
      }
      page.phones += found.map { PhoneFacts($0, scenario) }
      page.next = next
      left -= next - from
    }
  }
}

extension PhoneState {
  func holds(for reading: PhoneReading) -> Bool {
    let phone = reading.phone
    return switch self {
    case .any: true
    case .fresh: reading.cause == nil
    case .stale: reading.cause != nil
    case .because(let cause): reading.cause == cause
    case .foreground: phone.process.state == .foreground
    case .background: phone.process.state == .background
    case .suspended: phone.process.state == .suspended
    case .notRunning: phone.process.state == .notRunning
    case .moving: phone.segment.isMoving
    case .offline: phone.isCutOff(at: reading.at)
    case .switchedOff: phone.isOff(at: reading.at)
    case .unreachable: !phone.isReachable
    }
  }
}

extension PhoneFacts {
  init(_ reading: PhoneReading, _ scenario: Scenario) {
    let (phone, now) = (reading.phone, reading.at)
    func past(_ at: SimInstant) -> Past {
      Past(ago: max(.zero, now - at), clock: ClockText.timeOfDay(at, scenario.clock))
    }
    let cohort = scenario.fleet.cohorts[Int(phone.cohort)]
    self.init(Int(phone.id.rawValue))
    self.cohort = cohort.name
    policy = scenario.policies[Int(phone.policy)].name
    system = cohort.os.name
    permission = phone.backgroundPermission
    isPrecise = !phone.consent.contains(.reduced)
    hasPushToken = phone.tokenIsValid
    app =
      switch phone.process.state {
      case .foreground: .foreground
      case .background: .background
      case .suspended: .suspended
      case .notRunning: .notRunning
      }
    isMoving = phone.segment.isMoving
    isOnWifi = phone.isOnWifi
    isOffline = phone.isCutOff(at: now)
    isSwitchedOff = phone.isOff(at: now)
    cause = reading.cause
    newest = phone.stored.isNever ? nil : past(phone.stored.time)
    outboxFixes = Int(phone.outbox.count)
    inFlightFixes = phone.upload.isInFlight ? Int(phone.tracker.cutCount) : 0
    batteryPercent = reading.batteryPercent
    batteryAt = past(phone.drawnSince)
    isCharging = phone.battery.isPlugged
    isInLowPowerMode = phone.battery.isInLowPowerMode
    let last = reading.last
    if last.wokeAt > .distantPast {
      wake = Event(Self.reason(last.wokenBy), at: past(last.wokeAt))
    }
    if phone.delivery.stage != .none {
      push = Event(Self.words(phone.delivery), at: past(phone.delivery.requestedAt))
    } else if last.pushedAt > .distantPast {
      push = Event(last.pushOutcome.rawValue, at: past(last.pushedAt))
    }
  }

  private static func reason(_ slot: DueSlot) -> String {
    switch slot {
    case .regionExit: "region exit"
    case .place: "monitored place"
    case .significantChange: "significant location change"
    case .visit: "visit"
    case .standard, .pause, .motion, .segment: "location update"
    case .push, .pushGate, .battery: "push"
    case .session: "opened by its user"
    case .swipe: "force-quit by its user"
    case .uploadOutcome, .stored, .offlineEdge, .airplaneEdge: "end of an upload"
    case .stopTimer, .sendTimer, .restartTimer, .stillTimer, .backgroundExpiry: "timer"
    case .consent, .settings: "change of permission"
    case .powerEdge: "start of the phone"
    case .installation: "new version of the app"
    case .memory: "start after lack of memory"
    case .refresh: "background task"
    case .process: "start by the system"
    case .background: "location in the background"
    }
  }

  private static func words(_ push: PushDelivery) -> String {
    let stage =
      switch push.stage {
      case .none: "none"
      case .inTransit: "on its way"
      case .stored: "kept by the provider"
      case .arrived: "arrived"
      case .deferred: "held by the phone"
      case .woken: "woke the app, no fix yet"
      case .fixTaken: "fix taken, not at the server yet"
      }
    return stage + (push.stoppedBy.map { " (\($0.rawValue))" } ?? "")
  }
}
