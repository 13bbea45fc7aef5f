import Foundation
import SimulationCore
import Synchronization
import Telemetry
import Testing
import Wire

@testable import Transport

@Suite("Open-loop sender", .serialized)
struct OpenLoopTests {
  /// Counts what became of its offers.
  final class Source: OfferSource {
    struct Ended: Sendable {
      var offer: Offer
      var outcome: OfferOutcome
      var finished: WallInstant
    }
    let ended = Mutex<[Ended]>([])
    private let template: UploadTemplate

    init() throws {
      let fix = Fix(
        coordinate: Coordinate(latitudeE6: 1, longitudeE6: 2), time: FixTime(centiseconds: 3),
        accuracyMeters: 4, speedDecimetersPerSecond: 5, courseDegrees: 6)
      template = try UploadTemplate([fix, fix, fix])
    }

    func message(for phone: UInt32) -> (bytes: [UInt8], check: UInt32) {
      template.message(BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 1))
    }

    func ended(
      _ offer: Offer, _ outcome: OfferOutcome, started: WallInstant, finished: WallInstant
    ) {
      ended.withLock {
        $0.append(Ended(offer: offer, outcome: outcome, finished: finished))
      }
    }

    func wait(for count: Int) -> [Ended] {
      for _ in 0..<3_000 where ended.withLock({ $0.count }) < count { usleep(10_000) }
      return ended.withLock { $0 }
    }
  }

  struct Stage {
    let collector: TestCollector
    let loop = EventLoop(name: "open loop")
    let source: Source
    let sender: OpenLoopSender

    init(deadline: WallDuration = .seconds(30), limits: ServerLimits = .init()) throws {
      collector = try TestCollector(limits: limits)
      source = try Source()
      loop.start()
      sender = try OpenLoopSender(
        loop: loop, to: collector.endpoint, connections: 3, deadline: deadline, source: source)
    }

    func stop() {
      sender.stop()
      loop.stopAndWait()
      collector.stop()
    }

    /// Over a tenth of a second.
    func offer(_ count: Int) -> [Offer] {
      let start = loop.now
      let offers = (0..<count).map {
        Offer(
          phone: UInt32($0), intended: start + .microseconds(Int64($0) * 100_000 / Int64(count)))
      }
      sender.submit(offers)
      return offers
    }
  }

  @Test("every offer is acknowledged once, after its instant")
  func acknowledges() throws {
    let stage = try Stage()
    let offers = stage.offer(5_000)
    let ended = stage.source.wait(for: offers.count)
    #expect(Set(ended.map(\.offer.phone)).count == offers.count)
    #expect(ended.allSatisfy { $0.outcome == .acknowledged(duplicate: false) })
    #expect(ended.allSatisfy { $0.finished >= $0.offer.intended })
    stage.stop()
  }

  @Test("refused offers are told with their status, and never sent again")
  func refusals() throws {
    let stage = try Stage()
    stage.collector.onCall = { collector, call, _, _ in
      call.fail(
        CallStatus(.resourceExhausted, "full", pushbackMilliseconds: 100))
    }
    let offers = stage.offer(500)
    let ended = stage.source.wait(for: offers.count)
    #expect(ended.count == offers.count)
    #expect(ended.allSatisfy { $0.outcome == .failed(.resourceExhausted) })
    #expect(stage.collector.received.withLock { $0.count } == offers.count)
    stage.stop()
  }

  @Test("what is not answered within the deadline has timed out, even where streams run out")
  func deadlines() throws {
    var limits = ServerLimits()
    limits.streamsMax = 10
    let stage = try Stage(deadline: .milliseconds(200), limits: limits)
    stage.collector.onCall = { _, _, _, _ in }
    let offers = stage.offer(200)
    let ended = stage.source.wait(for: offers.count)
    #expect(ended.count == offers.count)
    // Calls that went out before the server had told its limit are refused for it.
    #expect(
      ended.allSatisfy { $0.outcome == .timedOut || $0.outcome == .failed(.resourceExhausted) })
    #expect(ended.count { $0.outcome == .timedOut } >= 30)
    stage.stop()
  }

  @Test("a server that goes away fails what is open, and the next offers find it when it is back")
  func losses() throws {
    let stage = try Stage()
    stage.collector.onCall = { _, _, _, _ in }
    let first = stage.offer(50)
    for _ in 0..<3_000 where stage.collector.received.withLock({ $0.count }) < 50 { usleep(1_000) }
    let port = stage.collector.port
    stage.collector.stop()
    #expect(
      stage.source.wait(for: first.count).allSatisfy { $0.outcome == .failed(.unavailable) })
    let next = try TestCollector(port: port)
    _ = stage.offer(50)
    #expect(
      stage.source.wait(for: 100).dropFirst(50).allSatisfy {
        $0.outcome == .acknowledged(duplicate: false)
      })
    next.stop()
    stage.sender.stop()
    stage.loop.stopAndWait()
  }
}
