import Core
import Phone
import TestSupport
import Testing

@testable import Fleet
@testable import Scenarios

@Suite("From the outbox to the ledger", .quick)
struct OutboxTests {
  /// Each answer finds the next batch waiting: it is cut in the same event that forgets the last.
  private func busyBench() -> PhoneBench {
    var settings = PolicySettings.standard
    settings.foreground.filter.rule = .everything
    settings.foreground.service.distanceFilter = .none
    settings.send.maxFixes = 1
    settings.send.interval = .zero
    let bench = PhoneBench(settings)
    bench.open()
    bench.advance(.minutes(2))
    return bench
  }

  @Test("an acknowledged batch is hashed under its own number, although the next is already cut")
  func hash() {
    let bench = busyBench()
    let acknowledged = bench.metrics[.batchesAcknowledged]
    #expect(acknowledged > 10)
    var expected: UInt64 = 0
    for order in bench.shard.orders.prefix(acknowledged) {
      var hash = BatchHash(key: bench.shard.context.hashKey, order.id)
      hash.combine(bench.shard.orderFixes[Int(order.firstFix)])
      expected &+= hash.value
    }
    #expect(bench.metrics.acknowledgedHash == expected)
  }

  @Test("a batch that is cut while the run drains is in the ledger, and waits")
  func drain() {
    let bench = busyBench()
    bench.shard.startDraining()
    bench.shard.deliverKnownAnswers()
    let ledger = Ledger(bench.metrics, bench.shard.census())
    #expect(ledger.batches.outbox == 1)
    #expect(ledger.checkAfterDrain().filter { !$0.contains("received") } == [])
  }

  @Test("a phone's policy, not its cohort's number, decides how often its fixes are evaluated")
  func pace() {
    let bench = PhoneBench { scenario in
      var eager = Policy.standard
      eager.settings.background.filter.rule = .everything
      eager.settings.send.interval = .zero
      scenario.policies.append(eager)
      scenario.fleet.cohorts[0].policy = 1
    }
    bench.open()
    bench.advance(.minutes(2))
    #expect(bench.phone.due[.standard] <= bench.now + StandardService.interval)
  }
}
