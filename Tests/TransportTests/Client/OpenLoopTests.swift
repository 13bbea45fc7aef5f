import Core
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("Open-loop sender", .quick)
struct OpenLoopTests {
  /// Counts the ends of its offers.
  final class Source: OfferSource {
    struct Ended: Sendable {
      var offer: Offer
      var outcome: OfferOutcome
      var finished: WallInstant
    }
    private let list = Mutex<[Ended]>([])
    private let template: UploadTemplate

    init() throws {
      let fix = Fix(
        coordinate: Coordinate(latitudeE6: 1, longitudeE6: 2), time: FixTime(centiseconds: 3),
        accuracyMeters: 4, speedDecimetersPerSecond: 5, courseDegrees: 6)
      template = try UploadTemplate([fix, fix, fix])
    }

    var ended: [Ended] { list.withLock { $0 } }

    func message(for phone: UInt32) -> (bytes: [UInt8], check: UInt32) {
      template.message(BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 1))
    }

    func ended(
      _ offer: Offer, _ outcome: OfferOutcome, started: WallInstant, finished: WallInstant
    ) {
      list.withLock { $0.append(Ended(offer: offer, outcome: outcome, finished: finished)) }
    }
  }

  struct Stage {
    let world: World
    let collector: TestCollector
    let source: Source
    let sender: OpenLoopSender

    init(
      _ world: World, _ carrier: CarrierKind = .flotilla, deadline: WallDuration = .seconds(30),
      limits: ServerLimits = .init()
    ) throws {
      self.world = world
      collector = try TestCollector(in: world, limits: limits)
      source = try Source()
      sender = try OpenLoopSender(
        loop: world.loop, to: collector.endpoint, carrier: carrier, connections: 3,
        deadline: deadline, source: source)
      world.keep(source)
      world.keep(sender)
    }

    /// Over a tenth of a second.
    func offer(_ count: Int) -> [Offer] {
      let start = world.now
      let offers = (0..<count).map {
        Offer(
          phone: UInt32($0), intended: start + .microseconds(Int64($0) * 100_000 / Int64(count)))
      }
      sender.submit(offers)
      return offers
    }
  }

  @Test(
    "every offer is acknowledged once, at most a tick after its instant",
    arguments: [.flotilla, .grpc] as [CarrierKind])
  func acknowledges(carrier: CarrierKind) throws {
    try inWorld { world in
      let stage = try Stage(world, carrier)
      let offers = stage.offer(5_000)
      world.advance(by: .seconds(1))
      let ended = stage.source.ended
      #expect(ended.count == offers.count)
      #expect(Set(ended.map(\.offer.phone)).count == offers.count)
      #expect(ended.allSatisfy { $0.outcome == .acknowledged(duplicate: false) })
      #expect(
        ended.allSatisfy {
          $0.finished >= $0.offer.intended
            && $0.finished - $0.offer.intended <= .milliseconds(1)
        })
    }
  }

  @Test("refused offers are reported with their status, and never sent again")
  func refusals() throws {
    try inWorld { world in
      let stage = try Stage(world)
      stage.collector.onCall = { _, call, _, _ in
        call.fail(CallStatus(.resourceExhausted, "full", pushbackMilliseconds: 100))
      }
      let offers = stage.offer(500)
      world.advance(by: .seconds(10))
      #expect(stage.source.ended.count == offers.count)
      #expect(stage.source.ended.allSatisfy { $0.outcome == .failed(.resourceExhausted) })
      #expect(stage.collector.received.withLock { $0.count } == offers.count)
    }
  }

  @Test("an offer unanswered within the deadline has timed out, even if streams run out")
  func deadlines() throws {
    var limits = ServerLimits()
    limits.streamsMax = 10
    try inWorld { world in
      let stage = try Stage(world, deadline: .milliseconds(200), limits: limits)
      stage.collector.onCall = { _, _, _, _ in }
      let offers = stage.offer(200)
      world.advance(by: .seconds(1))
      let ended = stage.source.ended
      #expect(ended.count == offers.count)
      // Calls sent before the server had announced its limit are refused for it.
      #expect(
        ended.allSatisfy { $0.outcome == .timedOut || $0.outcome == .failed(.resourceExhausted) })
      #expect(ended.count { $0.outcome == .timedOut } >= 30)
    }
  }

  @Test("a server that goes away fails open offers, and the next offers find it when it is back")
  func losses() throws {
    try inWorld { world in
      let stage = try Stage(world)
      stage.collector.onCall = { _, _, _, _ in }
      let first = stage.offer(50)
      world.advance(by: .milliseconds(200))
      #expect(stage.collector.received.withLock { $0.count } == first.count)
      world.network.cut(port: stage.collector.port)
      world.settle()
      #expect(stage.source.ended.count == first.count)
      #expect(stage.source.ended.allSatisfy { $0.outcome == .failed(.unavailable) })
      _ = try TestCollector(in: world, port: stage.collector.port)
      _ = stage.offer(50)
      world.advance(by: .milliseconds(200))
      #expect(stage.source.ended.count == 100)
      #expect(
        stage.source.ended.dropFirst(50).allSatisfy {
          $0.outcome == .acknowledged(duplicate: false)
        })
    }
  }
}
