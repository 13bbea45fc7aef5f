import Core
import Phone
@testable import Scenarios
import ServerLogic
import TestSupport
import Testing

@testable import Fleet

@Suite("Events beside fixes, of a fleet", .quick)
struct EventFleetTests {
  private static func scenario(outage: Bool = false) -> Scenario {
    var scenario = VirtualMorning.city(phones: 120)
    scenario.policies[0].settings.places = PlaceRule(
      radius: .meters(150), others: 3, choose: .nearest)
    scenario.policies[0].settings.events.kinds = [
      .regions, .visits, .motion, .boot, .permission, .opened,
    ]
    if outage {
      scenario.faults = [
        Fault(
          kind: .serverOutage, at: scenario.start, lasts: .hours(2), lastsWall: .zero,
          cohorts: nil, share: 1)
      ]
    }
    return scenario
  }

  private static func ledger(_ fleet: PhoneFleet) -> (ledger: Ledger, metrics: FleetMetrics) {
    let (metrics, census) = (fleet.metrics(), fleet.census())
    return (Ledger(metrics, census), metrics)
  }

  @Test("every generated event is evicted, refused, waiting, in flight or acknowledged")
  func balance() throws {
    let (ledger, metrics) = Self.ledger(VirtualMorning(Self.scenario(), threads: 1).fleet)
    let events = try #require(ledger.events)
    #expect(ledger.check().isEmpty, "\(ledger.check())")
    #expect(events.acknowledged > 200, "\(events)")
    let latency = try #require(metrics.events)
    #expect(latency.latency.total > 100 && latency.latency.total <= events.generated)
    #expect(
      latency.longestSystem + latency.longestPhone + latency.longestServer == latency.latency.total)
    // The parts are rounded down to milliseconds.
    let parts = latency.system.sum + latency.phone.sum + latency.server.sum
    #expect(latency.latency.sum - parts >= 0)
    #expect(latency.latency.sum - parts <= Int64(3 * latency.latency.total))
  }

  @Test("in an outage of the server events wait, and the latency's part of the server shows it")
  func outage() throws {
    let calm = Self.ledger(VirtualMorning(Self.scenario(), threads: 1).fleet).metrics
    let (ledger, metrics) = Self.ledger(
      VirtualMorning(Self.scenario(outage: true), threads: 1).fleet)
    #expect(ledger.check().isEmpty, "\(ledger.check())")
    #expect(metrics[.eventsFailed] > calm[.eventsFailed] + 50)
    let (late, usual) = (try #require(metrics.events).server, try #require(calm.events).server)
    // Usually the receipt takes a second; events of the outage wait up to two hours.
    #expect(try #require(usual.max) < 60_000, "\(usual.max ?? 0) ms")
    #expect(try #require(late.max) > 600_000, "\(late.max ?? 0) ms")
  }

  @Test("threads and packing do not change the events")
  func determinism() {
    let fleets = [(1, false), (2, true)].map {
      VirtualMorning(Self.scenario(), threads: $0.0, packs: $0.1).fleet
    }
    #expect(fleets[0].digest() == fleets[1].digest())
    #expect(fleets[0].metrics() == fleets[1].metrics())
    #expect(fleets[0].census() == fleets[1].census())
  }

  @Test("a fleet whose policy sends no events counts none")
  func none() {
    let (ledger, metrics) = Self.ledger(VirtualMorning(VirtualMorning.city(), threads: 1).fleet)
    #expect(ledger.events == nil && metrics.events == nil && metrics[.eventsGenerated] == 0)
  }

  @Test(
    "waiting events are read back from a saved state as they were",
    arguments: 1...20 as ClosedRange<UInt32>)
  func tape(seed: UInt32) throws {
    var draw = Draw(seed: UInt64(seed), phone: 0, .networkTime)
    func instant() -> SimInstant { SimInstant(microseconds: Int64(draw.uniform() * 1e15)) }
    var box = EventBox()
    box.number = seed
    box.entered = PlaceSet(bits: UInt32(truncatingIfNeeded: draw.next()))
    box.motion = seed % 2 == 0 ? nil : 3
    box.startedAt = seed % 3 == 0 ? instant() : nil
    for kind in AppEvent.Kind.allCases {
      var event = AppEvent(
        kind, place: UInt8(seed % 32), detail: 2, number: seed,
        dwellSeconds: draw.chance(0.5) ? 17 : nil, noticed: instant(),
        happened: draw.chance(0.5) ? instant() : nil)
      event.isStored = draw.chance(0.5)
      event.sent = draw.chance(0.5) ? instant() : nil
      if draw.chance(0.5) {
        event.fix = Fix(
          coordinate: Coordinate(latitudeE6: 52_000_000, longitudeE6: -13_000_000),
          time: FixTime(instant()), accuracyMeters: 9, speedDecimetersPerSecond: -1,
          courseDegrees: 5)
      }
      box.waiting.append(event)
    }
    var writer = RecordWriter()
    box.write(to: &writer)
    var reader = StateReader(writer.bytes)
    let back = try EventBox(&reader)
    #expect(reader.isAtEnd && back.waiting == box.waiting && back.number == box.number)
    #expect(back.motion == box.motion && back.startedAt == box.startedAt)
    #expect(back.entered == box.entered)
    // A tape that is cut short, or changed, throws and does not trap.
    for _ in 0..<50 {
      var bytes = writer.bytes
      bytes[Int(draw.uniform() * Double(bytes.count))] = UInt8(truncatingIfNeeded: draw.next())
      if draw.chance(0.3) { bytes.removeLast(Int(draw.uniform() * Double(bytes.count))) }
      var reader = StateReader(bytes)
      guard let read = try? EventBox(&reader) else { continue }
      #expect(read.waiting.allSatisfy { $0.place < 32 && $0.noticed.isWithinReach })
    }
  }
}
