import Foundation
import SimulationCore
import Synchronization
import Testing
import Wire

@testable import Transport

@Suite("Upload dispatcher", .serialized)
struct UploadTests {
  @Test(
    "two thousand uploads are all acknowledged, and the parts of each sum to its response",
    arguments: [.perUpload, .perPhone, .pooled(4)] as [ConnectionUse])
  func manyUploads(use: ConnectionUse) throws {
    let collector = try TestCollector()
    let fleet = try TestFleet(to: collector.endpoint, use)
    let jobs = try TestFleet.jobs(2_000, over: .milliseconds(300), phones: 500)
    fleet.dispatcher.submit(jobs)
    let report = fleet.wait(for: 2_000)
    #expect(report.acknowledged == 2_000)
    #expect(Set(report.completions.map(\.id)).count == 2_000)
    #expect(
      report.completions.allSatisfy { $0.outcome == .acknowledged(duplicate: false, fixes: 3) })
    report.checkParts()
    #expect(report.attempts.count == 2_000)
    let counters = fleet.dispatcher.counters()
    #expect(counters.inFlight == 0 && counters.scheduled == 0)
    switch use {
    case .perUpload:
      #expect(counters.connects == 2_000)
      #expect(counters.openConnections == 0)
    case .perPhone: #expect(counters.connects == 500)
    case .pooled(let count): #expect(counters.connects == UInt64(count))
    }
    fleet.stop()
    collector.stop()
  }

  @Test("two thousand uploads at one instant fit through a hundred connections; the wait is hold")
  func boundedConnections() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, method, _ in
      collector.held.append(call)
      // Answered in groups, as a store with group commit does.
      if collector.held.count == 1 {
        collector.loop.post {
          usleep(2_000)
          for call in collector.held { collector.acknowledge(call, .upload) }
          collector.held = []
        }
      }
    }
    let fleet = try TestFleet(to: collector.endpoint) { $0.openConnectionsMax = 100 }
    fleet.dispatcher.submit(try TestFleet.jobs(2_000, deadline: .seconds(60)))
    let report = fleet.wait(for: 2_000)
    #expect(report.acknowledged == 2_000)
    report.checkParts()
    let counters = fleet.dispatcher.counters()
    #expect(counters.openConnectionsPeak == 100)
    #expect(counters.openConnectionsMaxHits > 1_000)
    #expect(report.completions.count { $0.hold > .zero } > 1_000)
    fleet.stop()
    collector.stop()
  }

  @Test("an OK that names another batch is no ack: the upload goes again until its own comes")
  func foreignAcks() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, method, _ in
      if collector.received.withLock({ $0.count }) % 3 != 0 { collector.checks[call]! ^= 1 }
      collector.acknowledge(call, method)
    }
    let fleet = try TestFleet(to: collector.endpoint, .pooled(1)) {
      $0.retry = RetryPolicy(
        attemptsMax: 1_000, base: .milliseconds(1), cap: .milliseconds(1), hasBudget: false)
    }
    fleet.dispatcher.submit(try TestFleet.jobs(20, deadline: .seconds(60)))
    let report = fleet.wait(for: 20)
    #expect(report.acknowledged == 20)
    let counters = fleet.dispatcher.counters()
    #expect(counters.statuses[Int(StatusCode.dataLoss.rawValue)] == counters.retries)
    #expect(counters.retries >= 20)
    fleet.stop()
    collector.stop()
  }

  @Test("a registration is answered before its upload goes, and counts as connect")
  func registers() throws {
    let collector = try TestCollector()
    let fleet = try TestFleet(to: collector.endpoint)
    fleet.dispatcher.submit(try TestFleet.jobs(50, registering: true))
    let report = fleet.wait(for: 50)
    #expect(report.acknowledged == 50)
    for entry in report.completions {
      let bytes = try #require(entry.registration)
      let reply = try MessageCodec(capacity: 4_096).decode(RegisterReply.self, from: bytes)
      #expect(reply.settings.version == 4)
      #expect(entry.attempts == 1)
    }
    #expect(collector.received.withLock { $0.count { $0 == .register } } == 50)
    report.checkParts()
    fleet.stop()
    collector.stop()
  }

  @Test("where nobody listens, an upload fails after its attempts")
  func refused() throws {
    let collector = try TestCollector()
    let endpoint = collector.endpoint
    collector.stop()
    let fleet = try TestFleet(to: endpoint) {
      $0.retry = RetryPolicy(
        attemptsMax: 3, base: .milliseconds(2), cap: .milliseconds(5))
    }
    fleet.dispatcher.submit(try TestFleet.jobs(20))
    let report = fleet.wait(for: 20)
    #expect(report.completions.allSatisfy { $0.outcome == .failed(.unavailable) })
    #expect(report.completions.allSatisfy { $0.attempts == 3 })
    report.checkParts()
    #expect(fleet.dispatcher.counters().retries == 40)
    fleet.stop()
  }

  @Test("a phone whose uploads keep failing sends each once, until some have gone well")
  func budget() throws {
    let collector = try TestCollector()
    let isDown = Box(Mutex(true))
    collector.onCall = { collector, call, method, _ in
      if isDown.value.withLock({ $0 }) {
        call.fail(CallStatus(.unavailable))
      } else {
        collector.acknowledge(call, method)
      }
    }
    let fleet = try TestFleet(to: collector.endpoint, .pooled(1)) {
      $0.retry = RetryPolicy(attemptsMax: 5, base: .milliseconds(1), cap: .milliseconds(1))
    }
    // One phone, one upload after the other.
    let jobs = try TestFleet.jobs(40, phones: 1)
    for (done, job) in jobs.prefix(3).enumerated() {
      fleet.dispatcher.submit([job])
      _ = fleet.wait(for: done + 1)
    }
    var counters = fleet.dispatcher.counters()
    // Five tokens of ten: four retries of the first upload, none of the next two.
    #expect(counters.attempts == 7 && counters.retries == 4)
    #expect(counters.retriesWithheld == 2)
    isDown.value.withLock { $0 = false }
    for (done, job) in jobs[3..<34].enumerated() {
      fleet.dispatcher.submit([job])
      _ = fleet.wait(for: done + 4)
    }
    isDown.value.withLock { $0 = true }
    fleet.dispatcher.submit([jobs[34]])
    _ = fleet.wait(for: 35)
    counters = fleet.dispatcher.counters()
    // 3.0 + 31 tenths are 6.1: one more failure leaves 5.1, and with it one retry.
    #expect(counters.retries == 5 && counters.retriesWithheld == 3)
    fleet.stop()
    collector.stop()
  }

  @Test("the budget of one phone is its own")
  func budgetOfEach() {
    var budget = RetryBudget()
    for _ in 0..<20 { _ = budget.failed(7) }
    let others = [budget.failed(3), budget.failed(8)]
    #expect(others == [true, true])
    for _ in 0..<200 { budget.succeeded(7) }
    let mayRetry = (0..<5).map { _ in budget.failed(7) }
    #expect(mayRetry == [true, true, true, true, false])
  }

  @Test("a collector that restarts half-way loses no upload that may be retried")
  func restart() throws {
    let first = try TestCollector()
    let port = first.port
    let fleet = try TestFleet(to: first.endpoint) {
      $0.retry = RetryPolicy(
        attemptsMax: 60, base: .milliseconds(20), cap: .milliseconds(50), hasBudget: false)
    }
    fleet.dispatcher.submit(
      try TestFleet.jobs(1_000, over: .milliseconds(600), deadline: .seconds(60)))
    usleep(200_000)
    first.stop()
    usleep(100_000)
    let second = try TestCollector(port: port)
    let report = fleet.wait(for: 1_000)
    #expect(report.acknowledged == 1_000)
    #expect(report.completions.contains { $0.attempts > 1 })
    report.checkParts()
    fleet.stop()
    second.stop()
  }

  @Test("an upload that is never answered times out at its deadline")
  func timesOut() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, _, _ in collector.held.append(call) }
    for use in [.perUpload, .perPhone, .pooled(2)] as [ConnectionUse] {
      let fleet = try TestFleet(to: collector.endpoint, use)
      fleet.dispatcher.submit(try TestFleet.jobs(30, deadline: .milliseconds(80), phones: 10))
      let report = fleet.wait(for: 30)
      #expect(report.completions.allSatisfy { $0.outcome == .timedOut })
      #expect(report.completions.allSatisfy { $0.response >= .milliseconds(80) })
      report.checkParts()
      fleet.stop()
    }
    collector.stop()
  }

  @Test("pushback is obeyed: no attempt comes before its time")
  func pushback() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, method, _ in
      if collector.received.withLock({ $0.count }) <= 10 {
        call.fail(
          CallStatus(.resourceExhausted, "busy", pushbackMilliseconds: 60))
      } else {
        collector.acknowledge(call, method)
      }
    }
    let fleet = try TestFleet(to: collector.endpoint)
    fleet.dispatcher.submit(try TestFleet.jobs(10))
    let report = fleet.wait(for: 10)
    #expect(report.acknowledged == 10)
    #expect(report.completions.allSatisfy { $0.attempts == 2 && $0.hold >= .milliseconds(60) })
    fleet.stop()
    collector.stop()
  }

  @Test("a status that says never again is final")
  func finalStatus() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, _, _ in
      call.fail(CallStatus(.invalidArgument, "no"))
    }
    let fleet = try TestFleet(to: collector.endpoint)
    fleet.dispatcher.submit(try TestFleet.jobs(5))
    let report = fleet.wait(for: 5)
    #expect(report.completions.allSatisfy { $0.outcome == .failed(.invalidArgument) })
    #expect(report.completions.allSatisfy { $0.attempts == 1 })
    fleet.stop()
    collector.stop()
  }

  @Test("uploads start at their intended instants")
  func punctual() throws {
    let collector = try TestCollector()
    let fleet = try TestFleet(to: collector.endpoint)
    fleet.dispatcher.submit(try TestFleet.jobs(200, over: .milliseconds(400)))
    let report = fleet.wait(for: 200)
    let lags = report.completions.map(\.generatorLag.microseconds).sorted()
    #expect((lags.first ?? -1) >= 0)
    // The best of them: tests share their machine.
    #expect(lags[lags.count / 10] < 1_000)
    fleet.stop()
    collector.stop()
  }

  @Test("each job of a slot has its own deadline, longer or shorter than the one before")
  func deadlinesOfASlot() throws {
    let collector = try TestCollector()
    let fleet = try TestFleet(to: collector.endpoint, .perPhone)
    // One slot, since each ends before the next begins.
    fleet.dispatcher.submit(try TestFleet.jobs(1, deadline: .milliseconds(150)))
    #expect(fleet.wait(for: 1).acknowledged == 1)
    collector.loop.sync {
      collector.onCall = { collector, call, _, _ in collector.held.append(call) }
    }
    for (number, deadline) in [400, 100, 300].enumerated() {
      let begun = MonotonicClock.now
      fleet.dispatcher.submit(try TestFleet.jobs(1, deadline: .milliseconds(Int64(deadline))))
      let last = try #require(fleet.wait(for: number + 2).completions.last)
      #expect(last.outcome == .timedOut)
      #expect(MonotonicClock.now - begun >= .milliseconds(Int64(deadline)))
      #expect(last.response >= .milliseconds(Int64(deadline)))
    }
    fleet.stop()
    collector.stop()
  }

  @Test("an abort ends what is open as timed out")
  func abort() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, _, _ in collector.held.append(call) }
    let fleet = try TestFleet(to: collector.endpoint)
    fleet.dispatcher.submit(try TestFleet.jobs(20, deadline: .seconds(60)))
    usleep(50_000)
    fleet.dispatcher.abort()
    let report = fleet.wait(for: 20)
    #expect(report.completions.allSatisfy { $0.outcome == .timedOut })
    #expect(fleet.dispatcher.counters().openConnections == 0)
    fleet.stop()
    collector.stop()
  }
}

@Suite("Capture")
struct CaptureTests {
  @Test("a capture holds every upload message as it was sent")
  func capture() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("capture-\(UUID().uuidString).bin").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let collector = try TestCollector()
    let fleet = try TestFleet(to: collector.endpoint)
    let file = try CaptureFile(path: path)
    fleet.dispatcher.capture(to: file)
    let jobs = try TestFleet.jobs(20)
    fleet.dispatcher.submit(jobs)
    #expect(fleet.wait(for: 20).acknowledged == 20)
    fleet.stop()
    collector.stop()
    #expect(file.close() == (20, nil))
    let bytes = Array(try #require(FileManager.default.contents(atPath: path)))
    var assembler = MessageAssembler()
    var seen: [[UInt8]] = []
    try bytes.withUnsafeBytes { bytes in
      assembler.begin(bytes)
      while let message = try assembler.next() { seen.append(Array(message)) }
      assembler.end()
    }
    let isWhole = !assembler.holdsPartOfMessage
    #expect(isWhole)
    #expect(seen == jobs.map(\.message))
  }
}
