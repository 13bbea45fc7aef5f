import Core
import Push
import Scenarios
import ServerLogic
import TestSupport
import Testing
import Wire
@testable import Run

@Suite("Pushes of a live run's server", .quick)
struct PushBookTests {
  @Test("a share counts the pushes of its own phones; a sweep names those of all")
  func ownPhones() {
    let scenario = Scenario.standard(phones: 100)
    let at = scenario.measureStart + .minutes(1)
    func id(_ phone: UInt32) -> UInt64 { 7 << 32 | UInt64(phone) }
    let sweep = PushSweep(
      sweptAt: at,
      requests: [3, 60].map {
        SilentPush(
          id: id($0), phone: PhoneID(rawValue: $0), requestedAt: at, expiration: at + .minutes(5))
      },
      isLast: true, withheld: [id(4), id(61), id(62)],
      answered: [3, 4, 60].map { .init(id: id($0), after: .seconds(9)) })
    let books = [0..<50, 50..<100].map { PushLog(of: $0) }
    for book in books { book.note(sweep) }
    let counts = books.map { $0.counts(at: at, scenario) }
    #expect(counts.map { $0[.pushesRequested] } == [1, 1])
    #expect(counts.map { $0[.pushesWithheld] } == [1, 2])
    #expect(counts.map { $0[.pushAnswers] } == [1, 1])
    var sum = books[0].account(of: scenario, until: scenario.measureEnd)
    sum.merge(books[1].account(of: scenario, until: scenario.measureEnd))
    let whole = PushLog(of: 0..<100)
    whole.note(sweep)
    let account = whole.account(of: scenario, until: scenario.measureEnd)
    #expect(sum.occasions.count == 5 && sum.requests == account.requests)
    #expect(sum.occasions == account.occasions.sorted { $0.pushID < $1.pushID })
  }

  @Test("a push keeps its purpose, delivered or withheld")
  func manners() {
    let scenario = Scenario.standard(phones: 10)
    let at = scenario.measureStart + .minutes(1)
    let alert = PushManner(.alert, priority: 10, asksToRun: false)
    let pushes = PushLog(of: 0..<10)
    pushes.note(
      PushSweep(
        sweptAt: at,
        requests: [
          SilentPush(
            id: 1 << 32, phone: PhoneID(rawValue: 0), requestedAt: at,
            expiration: at + .minutes(5), manner: alert)
        ], isLast: true))
    pushes.note(
      PushSweep(sweptAt: at, requests: [], isLast: true, withheld: [2 << 32 | 1]),
      withheldAs: alert)
    pushes.note(PushSweep(sweptAt: at, requests: [], isLast: true, withheld: [3 << 32 | 2]))
    let occasions = pushes.account(of: scenario, until: scenario.measureEnd).occasions
    #expect(occasions.map(\.manner) == [alert, alert, .ofScenario])
  }
}
