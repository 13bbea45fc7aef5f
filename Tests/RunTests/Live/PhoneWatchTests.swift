import Core
import Figures
import Fleet
import Phone
import RunSupport
import Scenarios
import ServerLogic
import TestSupport
import Testing

@testable import Run

@Suite("What a screen asks of phones", .quick)
struct PhoneWatchTests {
  private final class NoUplink: Uplink {
    func submit(_ events: [EventOrder]) {}
    func submit(_ orders: [UploadOrder], fixes: [Fix], shard: Int) {}
  }

  private let scenario: Scenario

  init() {
    var scenario = Scenario.standard(phones: 2_500)
    scenario.warmStart = .hours(2)
    self.scenario = scenario
  }

  /// A fleet after its warm start.
  private func fleet(_ phones: Range<Int>? = nil) -> LiveFleet {
    let fleet = PhoneFleet(scenario, phones: phones, threads: 3)
    fleet.inOrder { $0.keepLastSteps() }
    let birth = scenario.start - scenario.warmStart
    var time = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    time.advance(until: scenario.start)
    return LiveFleet(mailbox: FleetMailbox(fleet), uplink: NoUplink())
  }

  private func page(
    _ watch: inout PhoneWatch, _ filter: PhoneFilter = .init(), from first: Int = 0
  ) throws -> PhonePage {
    let answer = watch.look(.page(filter, from: first), at: scenario.start)
    guard case .page(let page)? = answer?.content else { throw NoAnswerError() }
    return page
  }

  private func phone(_ watch: inout PhoneWatch, _ number: Int) throws -> PhoneFacts? {
    switch watch.look(.phone(number), at: scenario.start)?.content {
    case .phone(let phone)?: phone
    case .elsewhere?: nil
    case .page?, nil: throw NoAnswerError()
    }
  }

  private struct NoAnswerError: Error {}

  @Test("pages of a state have all of its phones once, in the order of their numbers")
  func pages() throws {
    let live = fleet()
    var watch = PhoneWatch(scenario, live)
    for state in [PhoneState.any, .stale, .suspended, .because(.noPermission)] {
      let expected = (0..<2_500).filter { number in
        state.holds(for: live.onShard(of: number) { $0.read(number) })
      }
      var found: [Int] = []
      var from = 0
      var looks = 0
      while looks < 400 {
        looks += 1
        let page = try page(&watch, .init(state: state), from: from)
        #expect(page.phones.count <= PhoneQuestion.pageSize)
        guard page.isFull || page.isAtEnd else { continue }
        found += page.phones.map(\.number)
        if page.isAtEnd { break }
        from = page.next
      }
      #expect(found == expected, "\(state.title)")
    }
  }

  @Test("a search for what no phone is inspects a bounded number at each look, across shards")
  func bounded() throws {
    var watch = PhoneWatch(scenario, fleet())
    let filter = PhoneFilter(state: .because(.server))
    var seen: [Int] = []
    for _ in 0..<4 { seen.append(try page(&watch, filter).next) }
    #expect(PhoneWatch.inspectedMax == 1_000)
    #expect(seen == [1_000, 2_000, 2_500, 2_500])
    // After the view was closed the search begins anew.
    let closed = watch.look(nil, at: scenario.start)
    #expect(closed == nil)
    let again = try page(&watch, filter)
    #expect(again.next == 1_000)
  }

  @Test("a cohort's page has its phones only")
  func cohort() throws {
    let live = fleet()
    let starts = live.fleet.context.cohortStarts
    var watch = PhoneWatch(scenario, live)
    for cohort in scenario.fleet.cohorts.indices {
      let page = try page(&watch, .init(cohort: cohort))
      #expect(page.range == starts[cohort]..<starts[cohort + 1])
      #expect(page.phones.first?.number == starts[cohort])
      #expect(page.phones.allSatisfy { $0.cohort == scenario.fleet.cohorts[cohort].name })
    }
    // A cohort that is not there has no phones.
    let none = try page(&watch, .init(cohort: 99))
    #expect(none.isAtEnd && none.phones.isEmpty)
  }

  @Test("one phone has its position, and its last wake within the warm start")
  func onePhone() throws {
    var watch = PhoneWatch(scenario, fleet())
    var wakes = 0
    for number in stride(from: 0, to: 2_500, by: 50) {
      let found = try phone(&watch, number)
      let phone = try #require(found)
      #expect(phone.number == number)
      #expect(phone.newest != nil || phone.cause != nil, "without a position it is stale")
      if let wake = phone.wake {
        #expect(wake.at.ago >= .zero && wake.at.ago <= scenario.warmStart)
        wakes += 1
      }
    }
    #expect(wakes > 20, "\(wakes)")
  }

  @Test("phones of another process are not known, and a page says that it has a part")
  func elsewhere() throws {
    var watch = PhoneWatch(scenario, fleet(500..<1_000))
    let (before, first) = (try phone(&watch, 499), try phone(&watch, 500))
    #expect(before == nil && first?.number == 500)
    let page = try page(&watch)
    #expect(page.isPart && page.range == 500..<1_000)
    #expect(page.phones.first?.number == 500)
  }
}
