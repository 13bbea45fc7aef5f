import Core
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("Upload dispatcher", .quick)
struct UploadTests {
  @Test(
    "two thousand uploads are all acknowledged, and the parts of each sum to its response",
    arguments: [.perUpload, .perPhone, .pooled(4)] as [ConnectionUse])
  func manyUploads(use: ConnectionUse) throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let fleet = try TestFleet(in: world, to: collector.endpoint, use)
      let jobs = try TestFleet.jobs(2_000, from: world.now, over: .milliseconds(300), phones: 500)
      fleet.dispatcher.submit(jobs)
      let report = fleet.wait(for: 2_000, in: world)
      #expect(report.acknowledged == 2_000)
      #expect(Set(report.completions.map(\.id)).count == 2_000)
      #expect(
        report.completions.allSatisfy { $0.outcome == .acknowledged(duplicate: false, fixes: 3) })
      report.checkParts()
      #expect(report.attempts.count == 2_000)
      let counters = fleet.dispatcher.counters()
      #expect(counters[.inFlight] == 0 && counters[.scheduled] == 0)
      switch use {
      case .perUpload:
        #expect(counters[.connects] == 2_000)
        #expect(counters[.openConnections] == 0)
      case .perPhone: #expect(counters[.connects] == 500)
      case .pooled(let count): #expect(counters[.connects] == count)
      }
    }
  }

  @Test("two thousand uploads at one instant fit through a hundred connections; the wait is hold")
  func boundedConnections() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      collector.onCall = { collector, call, method, _ in
        collector.held.append(call)
        // Answered in groups, like a store with group commit.
        if collector.held.count == 1 {
          collector.after(.milliseconds(2)) {
            for call in collector.held { collector.acknowledge(call, .upload) }
            collector.held = []
          }
        }
      }
      let fleet = try TestFleet(in: world, to: collector.endpoint) { $0.openConnectionsMax = 100 }
      fleet.dispatcher.submit(try TestFleet.jobs(2_000, from: world.now, deadline: .seconds(60)))
      let report = fleet.wait(for: 2_000, in: world)
      #expect(report.acknowledged == 2_000)
      report.checkParts()
      let counters = fleet.dispatcher.counters()
      #expect(counters[.openConnectionsPeak] == 100)
      #expect(counters[.openConnectionsMaxHits] > 1_000)
      #expect(report.completions.count { $0.hold > .zero } > 1_000)
    }
  }

  @Test("an OK that names another batch is no ack: the upload is repeated until its own comes")
  func foreignAcks() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      collector.onCall = { collector, call, method, _ in
        if collector.received.withLock({ $0.count }) % 3 != 0 { collector.checks[call]! ^= 1 }
        collector.acknowledge(call, method)
      }
      let fleet = try TestFleet(in: world, to: collector.endpoint, .pooled(1)) {
        $0.retry = RetryPolicy(
          attemptsMax: 1_000, base: .milliseconds(1), cap: .milliseconds(1), hasBudget: false)
      }
      fleet.dispatcher.submit(try TestFleet.jobs(20, from: world.now, deadline: .seconds(60)))
      let report = fleet.wait(for: 20, in: world)
      #expect(report.acknowledged == 20)
      let counters = fleet.dispatcher.counters()
      #expect(counters[.statuses]["\(StatusCode.dataLoss)"] == counters[.retries])
      #expect(counters[.retries] >= 20)
    }
  }

  @Test("a registration is answered before its upload goes, and counts as connect")
  func registers() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let fleet = try TestFleet(in: world, to: collector.endpoint)
      fleet.dispatcher.submit(try TestFleet.jobs(50, from: world.now, registering: true))
      let report = fleet.wait(for: 50, in: world)
      #expect(report.acknowledged == 50)
      for entry in report.completions {
        let bytes = try #require(entry.registration)
        let reply = try MessageCodec(capacity: 4_096).decode(RegisterReply.self, from: bytes)
        #expect(reply.settings.version == 4)
        #expect(entry.attempts == 1)
      }
      #expect(collector.received.withLock { $0.count { $0 == .register } } == 50)
      report.checkParts()
    }
  }

  @Test("without a listener an upload fails after its attempts")
  func refused() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let endpoint = collector.endpoint
      world.network.cut(port: collector.port)
      let fleet = try TestFleet(in: world, to: endpoint) {
        $0.retry = RetryPolicy(
          attemptsMax: 3, base: .milliseconds(2), cap: .milliseconds(5))
      }
      fleet.dispatcher.submit(try TestFleet.jobs(20, from: world.now))
      let report = fleet.wait(for: 20, in: world)
      #expect(report.completions.allSatisfy { $0.outcome == .failed(.unavailable) })
      #expect(report.completions.allSatisfy { $0.attempts == 3 })
      report.checkParts()
      #expect(fleet.dispatcher.counters()[.retries] == 40)
    }
  }

  @Test("a phone whose uploads keep failing sends each once, until some have succeeded")
  func budget() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let isDown = Box(Mutex(true))
      collector.onCall = { collector, call, method, _ in
        if isDown.value.withLock({ $0 }) {
          call.fail(CallStatus(.unavailable))
        } else {
          collector.acknowledge(call, method)
        }
      }
      let fleet = try TestFleet(in: world, to: collector.endpoint, .pooled(1)) {
        $0.retry = RetryPolicy(attemptsMax: 5, base: .milliseconds(1), cap: .milliseconds(1))
      }
      // One phone, one upload after the other.
      let jobs = try TestFleet.jobs(40, from: world.now, phones: 1)
      for (done, job) in jobs.prefix(3).enumerated() {
        fleet.dispatcher.submit([job])
        _ = fleet.wait(for: done + 1, in: world)
      }
      var counters = fleet.dispatcher.counters()
      // Five tokens of ten: four retries of the first upload, none of the next two.
      #expect(counters[.attempts] == 7 && counters[.retries] == 4)
      #expect(counters[.retriesWithheld] == 2)
      isDown.value.withLock { $0 = false }
      for (done, job) in jobs[3..<34].enumerated() {
        fleet.dispatcher.submit([job])
        _ = fleet.wait(for: done + 4, in: world)
      }
      isDown.value.withLock { $0 = true }
      fleet.dispatcher.submit([jobs[34]])
      _ = fleet.wait(for: 35, in: world)
      counters = fleet.dispatcher.counters()
      // 3.0 + 31 tenths are 6.1: one more failure leaves 5.1, and with it one retry.
      #expect(counters[.retries] == 5 && counters[.retriesWithheld] == 3)
    }
  }

  @Test("each phone has a separate budget")
  func budgetOfEach() {
    var budget = RetryBudget()
    for _ in 0..<20 { _ = budget.failed(7) }
    let others = [budget.failed(3), budget.failed(8)]
    #expect(others == [true, true])
    for _ in 0..<200 { budget.succeeded(7) }
    let mayRetry = (0..<5).map { _ in budget.failed(7) }
    #expect(mayRetry == [true, true, true, true, false])
  }

  @Test("a collector that restarts during uploads loses none that may be retried")
  func restart() throws {
    try inWorld(latency: .milliseconds(5)) { world in
      let first = try TestCollector(in: world)
      let port = first.port
      let fleet = try TestFleet(in: world, to: first.endpoint) {
        $0.retry = RetryPolicy(
          attemptsMax: 60, base: .milliseconds(20), cap: .milliseconds(50), hasBudget: false)
      }
      fleet.dispatcher.submit(
        try TestFleet.jobs(1_000, from: world.now, over: .milliseconds(600), deadline: .seconds(60))
      )
      world.advance(by: .milliseconds(200))
      world.network.cut(port: port)
      world.advance(by: .milliseconds(100))
      _ = try TestCollector(in: world, port: port)
      let report = fleet.wait(for: 1_000, in: world)
      #expect(report.acknowledged == 1_000)
      #expect(report.completions.contains { $0.attempts > 1 })
      report.checkParts()
    }
  }

  @Test("an upload that is never answered times out at its deadline")
  func timesOut() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      collector.onCall = { collector, call, _, _ in collector.held.append(call) }
      for use in [.perUpload, .perPhone, .pooled(2)] as [ConnectionUse] {
        let fleet = try TestFleet(in: world, to: collector.endpoint, use)
        fleet.dispatcher.submit(
          try TestFleet.jobs(30, from: world.now, deadline: .milliseconds(80), phones: 10))
        let report = fleet.wait(for: 30, in: world)
        #expect(report.completions.allSatisfy { $0.outcome == .timedOut })
        #expect(report.completions.allSatisfy { $0.response == .milliseconds(80) })
        report.checkParts()

      }
    }
  }

  @Test("pushback is obeyed: no attempt comes before its time")
  func pushback() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      collector.onCall = { collector, call, method, _ in
        if collector.received.withLock({ $0.count }) <= 10 {
          call.fail(
            CallStatus(.resourceExhausted, "busy", pushbackMilliseconds: 60))
        } else {
          collector.acknowledge(call, method)
        }
      }
      let fleet = try TestFleet(in: world, to: collector.endpoint)
      fleet.dispatcher.submit(try TestFleet.jobs(10, from: world.now))
      let report = fleet.wait(for: 10, in: world)
      #expect(report.acknowledged == 10)
      #expect(report.completions.allSatisfy { $0.attempts == 2 && $0.hold >= .milliseconds(60) })
    }
  }

  @Test("a final status is not retried")
  func finalStatus() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      collector.onCall = { collector, call, _, _ in
        call.fail(CallStatus(.invalidArgument, "no"))
      }
      let fleet = try TestFleet(in: world, to: collector.endpoint)
      fleet.dispatcher.submit(try TestFleet.jobs(5, from: world.now))
      let report = fleet.wait(for: 5, in: world)
      #expect(report.completions.allSatisfy { $0.outcome == .failed(.invalidArgument) })
      #expect(report.completions.allSatisfy { $0.attempts == 1 })
    }
  }

  @Test("uploads start at their intended instants")
  func punctual() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let fleet = try TestFleet(in: world, to: collector.endpoint)
      fleet.dispatcher.submit(try TestFleet.jobs(200, from: world.now, over: .milliseconds(400)))
      let report = fleet.wait(for: 200, in: world)
      #expect(report.completions.allSatisfy { $0.generatorLag == .zero })
    }
  }

  @Test("each job of a slot has its own deadline, longer or shorter than the one before")
  func deadlinesOfASlot() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let fleet = try TestFleet(in: world, to: collector.endpoint, .perPhone)
      // One slot, since each ends before the next begins.
      fleet.dispatcher.submit(try TestFleet.jobs(1, from: world.now, deadline: .milliseconds(150)))
      #expect(fleet.wait(for: 1, in: world).acknowledged == 1)
      collector.loop.sync {
        collector.onCall = { collector, call, _, _ in collector.held.append(call) }
      }
      for (number, deadline) in [400, 100, 300].enumerated() {
        let begun = world.now
        fleet.dispatcher.submit(
          try TestFleet.jobs(1, from: world.now, deadline: .milliseconds(Int64(deadline))))
        let last = try #require(fleet.wait(for: number + 2, in: world).completions.last)
        #expect(last.outcome == .timedOut)
        // Five milliseconds ahead, as all these jobs are.
        #expect(world.now - begun == .milliseconds(Int64(deadline) + 5))
        #expect(last.response == .milliseconds(Int64(deadline)))
      }
    }
  }

  @Test("an abort ends open uploads as timed out")
  func abort() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      collector.onCall = { collector, call, _, _ in collector.held.append(call) }
      let fleet = try TestFleet(in: world, to: collector.endpoint)
      fleet.dispatcher.submit(try TestFleet.jobs(20, from: world.now, deadline: .seconds(60)))
      world.advance(by: .milliseconds(50))
      fleet.dispatcher.abort()
      let report = fleet.wait(for: 20, in: world)
      #expect(report.completions.allSatisfy { $0.outcome == .timedOut })
      #expect(fleet.dispatcher.counters()[.openConnections] == 0)
    }
  }
}
