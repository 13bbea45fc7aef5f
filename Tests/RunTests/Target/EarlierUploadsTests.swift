import Core
import Fleet
import Phone
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("Priming: uploads before a run", .quick)
struct EarlierUploadsTests {
  private struct Batch: Hashable {
    let phone: UInt32
    let order: UInt64

    init(_ id: BatchID) { (phone, order) = (id.phone.rawValue, id.order) }
  }

  @Test("a batch whose answer is in flight when the run begins is sent by the run alone")
  func boundary() throws {
    let plan = RunPlan.twoHours { scenario in
      // At any instant some batches have reached the server, and their answers are not back.
      scenario.network.cellular.mean = .minutes(1)
      scenario.network.wifi.mean = .minutes(1)
    }
    let earlier = EarlierUploads(
      from: plan.scenario.start - plan.scenario.warmStart, requestsFor: { $0 })
    let warm = try #require(
      WarmStart(
        plan, answers: .fromOutside, progress: { _ in }, shouldStop: { false }, earlier: earlier))
    var again: Set<Batch> = []
    warm.fleet.inOrder { shard in shard.unanswered { id, _, _ in again.insert(Batch(id)) } }
    #expect(!again.isEmpty)

    let (count, fixes, phones) = (earlier.count, earlier.fixes, earlier.phones)
    var sent: [EarlierUploads.Batch] = []
    while let batch = earlier.next() { sent.append(batch) }
    #expect(again.isDisjoint(with: sent.map { Batch($0.order.id) }))
    #expect(sent.count == count && sent.reduce(0) { $0 + $1.fixes.count } == fixes)
    #expect(fixes == earlier.requests)
    #expect(Set(sent.map(\.order.id.phone)).count == phones)
  }
}
