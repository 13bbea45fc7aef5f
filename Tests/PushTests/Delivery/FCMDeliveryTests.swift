import Core
import TestSupport
import Testing
@testable import Push
@testable import Scenarios

@Suite("Messages to Android phones", .quick)
struct FCMDeliveryTests {
  static let start = SimInstant(microseconds: 1_772_409_600_000_000)
  static let phone = PhoneID(rawValue: 3)
  static let way = PushWay(
    uninstallTold: .hours(6), deadConnection: 0, heartbeatWifi: .minutes(15),
    heartbeatCellular: .minutes(28))

  static func reach(_ gate: StorageGate? = nil) -> DeviceReach {
    DeviceReach(
      over: .fcm, isConnected: gate != .offline, isSwitchedOff: false,
      restriction: gate?.isOnPhone == true ? gate : nil, hasValidToken: true)
  }

  func message(
    _ number: UInt64, at now: SimInstant = start, lifetime: SimDuration = .hours(24),
    priority: Int = 5, collapses: Bool = false
  ) -> SilentPush {
    SilentPush(
      id: number << 32 | 3, phone: Self.phone, requestedAt: now, expiration: now + lifetime,
      manner: PushManner(
        .background, priority: priority, asksToRun: true, collapses: collapses))
  }

  func send(
    _ message: SilentPush, to reach: DeviceReach = reach(), slot: inout ProviderSlot,
    _ change: (inout PushRequest) -> Void = { _ in }
  ) -> PushDecision {
    var request = PushSettings.standard.request.request(message.manner)
    change(&request)
    return PushProvider(seed: 42).send(
      message, request, to: reach, slot: &slot, at: message.requestedAt)
  }

  @Test("AFC5: the newest message is always kept for an offline phone", arguments: [true, false])
  func newest(collapses: Bool) {
    for number in 2...2_001 as ClosedRange<UInt64> {
      var slot = ProviderSlot()
      _ = send(message(1, collapses: collapses), to: Self.reach(.offline), slot: &slot)
      _ = send(message(number, collapses: collapses), to: Self.reach(.offline), slot: &slot)
      #expect(slot.stored == number << 32 | 3)
    }
  }

  @Test("AFC6: a message without a time to live is never stored, and displaces none")
  func nowOrNever() {
    var slot = ProviderSlot()
    #expect(
      send(message(1), to: Self.reach(.offline), slot: &slot) == .stored(displaced: nil))
    let ended = UndeliveredPush(id: 2 << 32 | 3, gate: .offline, ending: .expired)
    #expect(
      send(message(2, lifetime: .zero), to: Self.reach(.offline), slot: &slot)
        == .undelivered(ended, displaced: nil))
    #expect(slot.stored == 1 << 32 | 3)
  }

  @Test(
    "AFC1, AFC3, AFC4: a message that Doze keeps from its phone ends as the reason, even if it expires",
    arguments: [
      (StorageGate.doze, WakeOutcome.doze), (.bucketQuota, .bucketQuota),
      (.deprioritized, .deprioritized), (.offline, .expired),
    ])
  func doze(gate: StorageGate, outcome: WakeOutcome) {
    var slot = ProviderSlot()
    let sent = message(2, lifetime: .minutes(5))
    #expect(send(sent, to: Self.reach(gate), slot: &slot) == .stored(displaced: nil))
    #expect(slot.storedFor == gate)
    var delivery = PushDelivery()
    for event: PushDelivery.Event in [.requested(sent), .stored] {
      _ = delivery.handle(event, of: Self.phone)
    }
    let gone = slot.expire(at: Self.start + .minutes(5))
    #expect(gone.flatMap { delivery.handle(.undelivered($0), of: Self.phone) }?.outcome == outcome)
  }

  @Test("each priority is accepted, as are empty messages; 4,096 bytes are the limit")
  func requests() {
    var slot = ProviderSlot()
    func status(_ change: (inout PushRequest) -> Void) -> Int {
      send(message(1, priority: 10), slot: &slot, change).status
    }
    #expect(status { $0.priority = 10 } == 200 && status { $0.priority = 7 } == 200)
    #expect(status { $0.payload = ByteCount(bytes: 0) } == 200)
    #expect(status { $0.collapseIDLength = 65 } == 200)
    #expect(status { $0.payload = ByteCount(bytes: 4_097) } == 400)
    #expect(status { $0.credentials = .expired } == 401)
  }

  /// The waits of messages sent at these seconds, apart from their latency of seconds.
  func waits(_ seconds: [Int64], collapses: Bool, lifetime: SimDuration = .hours(24)) -> [Int64?] {
    var slot = ProviderSlot()
    return seconds.enumerated().map { number, second in
      let now = Self.start + .seconds(second)
      let message = message(
        UInt64(number + 1), at: now, lifetime: lifetime, collapses: collapses)
      guard case .deliver(let at) = send(message, slot: &slot) else { return nil }
      return Int64((at - now).seconds / 60)
    }
  }

  @Test("AFC9: a deleted app's token is answered 404 after some hours, and never stays valid")
  func uninstalled() {
    var gone = Self.reach()
    gone.appIsGone = true
    gone.way = Self.way
    var hours: [Int] = []
    for seed in 0..<200 as Range<UInt64> {
      var slot = ProviderSlot()
      let first = (0..<240 as Range<UInt64>).first { hour in
        let sent = message(hour + 1, at: Self.start + .hours(Int64(hour)))
        return PushProvider(seed: seed).send(
          sent, PushSettings.standard.request.request(sent.manner), to: gone, slot: &slot,
          at: sent.requestedAt
        ).status == 404
      }
      hours.append(first.map(Int.init) ?? 240)
    }
    #expect(hours.allSatisfy { $0 >= 1 && $0 < 240 })
    #expect((5...9).contains(hours.sorted()[100]), "the median")
  }

  @Test(
    "ANW1: over a dead connection a message waits for the next sign of life",
    arguments: [true, false])
  func deadConnection(wifi: Bool) {
    func latencies(_ share: Double) -> [Double] {
      var reach = Self.reach()
      reach.isOnWifi = wifi
      reach.way = Self.way
      reach.way?.deadConnection = share
      return (1...1_000 as ClosedRange<UInt64>).map { number in
        var slot = ProviderSlot()
        let decision = send(message(number), to: reach, slot: &slot)
        guard case .deliver(let at) = decision else { return -1 }
        return (at - Self.start).seconds
      }
    }
    #expect(latencies(0).allSatisfy { (0...60).contains($0) })
    let dead = latencies(1).sorted()
    let most: Double = wifi ? 900 : 1_680
    #expect(abs(dead[500] - most / 2) < most / 15 && dead[999] < most + 60)
  }

  @Test("AFC10: of collapsible messages 20 come at once, then one in three minutes")
  func collapsible() {
    let burst = [Int64](repeating: 0, count: 20)
    #expect(waits(burst, collapses: true) == burst)
    let later: [Int64] = [0, 60, 120, 180, 180, 360, 720, 720]
    #expect(waits(burst + later, collapses: true).suffix(8) == [3, 2, 1, 3, 3, 3, 0, 3])
    let again = [Int64](repeating: 3_600, count: 21)
    #expect(waits(burst + again, collapses: true).suffix(21) == burst + [3])
    #expect(waits(burst + burst, collapses: false) == burst + burst)
    #expect(
      waits(burst + [0], collapses: true, lifetime: .minutes(2)).last == .some(nil),
      "a message that would wait longer than it lives never comes")
  }
}
