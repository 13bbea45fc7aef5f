@testable import Push
@testable import Scenarios
import Core
import Foundation
import TestSupport
import Testing

@Suite("Push provider", .quick)
struct PushProviderTests {
  static let connected = DeviceReach(
    over: .apns, isConnected: true, isSwitchedOff: false, hasValidToken: true)
  static let offline = DeviceReach(
    over: .apns, isConnected: false, isSwitchedOff: false, hasValidToken: true)
  static let off = DeviceReach(
    over: .apns, isConnected: false, isSwitchedOff: true, hasValidToken: true)
  static let dead = DeviceReach(
    over: .apns, isConnected: true, isSwitchedOff: false, hasValidToken: false)
  static let phone = PhoneID(rawValue: 3)
  let start = SimInstant(microseconds: 1_772_409_600_000_000)

  func push(_ number: UInt64, at instant: SimInstant, for storage: SimDuration) -> SilentPush {
    SilentPush(
      id: number << 32 | 3, phone: Self.phone, requestedAt: instant, expiration: instant + storage)
  }

  @Test("the slot of a phone is 24 bytes at most")
  func slotSize() { #expect(MemoryLayout<ProviderSlot>.stride <= 24) }

  /// Latencies of 4,000 pushes in seconds, sorted.
  func latencies(_ reach: DeviceReach, _ change: (inout ProviderSettings) -> Void = { _ in })
    -> [Double]
  {
    var settings = PushSettings.standard.provider
    change(&settings)
    let provider = PushProvider(seed: 42, settings: settings)
    var slot = ProviderSlot()
    return (1...4_000 as ClosedRange<UInt64>).compactMap { number -> Double? in
      let decision = provider.send(
        push(number, at: start, for: .minutes(10)), to: reach, slot: &slot, at: start)
      guard case .deliver(let at) = decision else {
        Issue.record("not delivered: \(decision)")
        return nil
      }
      return (at - start).seconds
    }.sorted()
  }

  @Test("PN2: the latency is log-normal, and longer over cellular than over Wi-Fi")
  func latency() {
    var cellular = Self.connected
    cellular.isOnWifi = false
    for (reach, median) in [(Self.connected, 0.6), (cellular, 1.6)] {
      let seconds = latencies(reach) { $0.halfOpen = 0 }
      let (half, high) = (seconds[2_000] / median, seconds[3_365] / median)
      #expect(abs(half - 1) < 0.05, "\(half)")
      // The 84th percentile of a log-normal is e^sigma times its median.
      #expect(abs(high - exp(0.7)) < 0.15, "\(high)")
    }
  }

  @Test("PN3: over cellular a few pushes meet a dropped connection, and arrive minutes later")
  func halfOpen() {
    var cellular = Self.connected
    cellular.isOnWifi = false
    let late = latencies(cellular) { $0.halfOpen = 0.1 }.filter { $0 > 100 }
    // Of a tenth the part of 15 min beyond 100 s.
    let share = Double(late.count) / 4_000
    #expect(abs(share - 0.089) < 0.015, "\(share)")
    #expect((late.max() ?? 0) < 960)
    #expect(latencies(Self.connected) { $0.halfOpen = 0.1 }.allSatisfy { $0 < 100 })
    #expect(latencies(cellular) { $0.halfOpen = 0 }.allSatisfy { $0 < 100 })
  }

  @Test("PN3: a phone that reconnects over cellular has a new connection, which is not dropped")
  func reconnectedOverCellular() {
    var settings = PushSettings.standard.provider
    settings.halfOpen = 1
    let provider = PushProvider(seed: 42, settings: settings)
    for number in 1...20 as ClosedRange<UInt64> {
      var slot = ProviderSlot()
      _ = provider.send(
        push(number, at: start, for: .hours(1)), to: Self.offline, slot: &slot, at: start)
      let reconnection = provider.reconnect(Self.phone, isOnWifi: false, slot: &slot, at: start)
      guard case .deliver(_, let at) = reconnection else {
        Issue.record("not delivered: \(reconnection)")
        continue
      }
      #expect(at - start < .seconds(30))
    }
  }

  @Test("PN4: a stored push reaches a phone that was off about a minute after it is switched on")
  func switchedOn() {
    func seconds(_ reach: DeviceReach) -> Double {
      let provider = PushProvider(seed: 42)
      let waits = (1...401 as ClosedRange<UInt64>).compactMap { number -> Double? in
        var slot = ProviderSlot()
        _ = provider.send(
          push(number, at: start, for: .hours(1)), to: reach, slot: &slot, at: start)
        guard case .deliver(_, let at) = provider.reconnect(Self.phone, slot: &slot, at: start)
        else { return nil }
        return (at - start).seconds
      }
      return waits.sorted()[200]
    }
    #expect((40...55).contains(seconds(Self.off)))
    #expect(seconds(Self.offline) < 1)
  }

  @Test("the latency of a push is the same each time")
  func sameLatency() {
    let provider = PushProvider(seed: 42)
    var other = ProviderSlot()
    let again = provider.send(
      push(1, at: start, for: .minutes(10)), to: Self.connected, slot: &other, at: start)
    let once = provider.send(
      push(1, at: start, for: .minutes(10)), to: Self.connected, slot: &other, at: start)
    #expect(again == once)
  }

  @Test("five pushes to an offline phone are one wake when it comes back")
  func oneStored() {
    let provider = PushProvider(seed: 42)
    var slot = ProviderSlot()
    var overwritten = 0
    for number in 1...5 as ClosedRange<UInt64> {
      switch provider.send(
        push(number, at: start, for: .hours(1)), to: Self.offline, slot: &slot, at: start)
      {
      case .stored(let displaced):
        overwritten += displaced == nil ? 0 : 1
        #expect(displaced?.ending != .expired)
      case .undelivered(let push, _):
        overwritten += push.ending == .overwritten ? 1 : 0
      case .rejected, .unregistered, .deliver: Issue.record("an offline phone cannot be reached")
      }
    }
    #expect(overwritten == 4)
    let back = start + .minutes(30)
    guard case .deliver(_, let at) = provider.reconnect(Self.phone, slot: &slot, at: back) else {
      Issue.record("the stored push was not delivered")
      return
    }
    #expect(at > back)
    #expect(provider.reconnect(Self.phone, slot: &slot, at: back) == .nothing)
  }

  @Test("the newest push keeps the one place in 95 % of the cases")
  func overwrite() {
    let provider = PushProvider(seed: 42)
    var kept = 0
    for number in 2...2_001 as ClosedRange<UInt64> {
      var slot = ProviderSlot()
      _ = provider.send(
        push(1, at: start, for: .hours(1)), to: Self.offline, slot: &slot, at: start)
      _ = provider.send(
        push(number, at: start, for: .hours(1)), to: Self.offline, slot: &slot, at: start)
      kept += slot.stored == number << 32 | 3 ? 1 : 0
    }
    #expect((1_860...1_940).contains(kept))
  }

  @Test("a stored push expires, and keeps the reason why it was held")
  func expiry() {
    let provider = PushProvider(seed: 42)
    var slot = ProviderSlot()
    #expect(
      provider.send(push(1, at: start, for: .minutes(10)), to: Self.off, slot: &slot, at: start)
        == .stored(displaced: nil))
    let expected = UndeliveredPush(id: 1 << 32 | 3, gate: .switchedOff, ending: .expired)
    let late = start + .minutes(10)
    var atSend = slot
    #expect(
      provider.send(push(2, at: late, for: .minutes(10)), to: Self.off, slot: &atSend, at: late)
        == .stored(displaced: expected))
    #expect(provider.reconnect(Self.phone, slot: &slot, at: late) == .expired(expected))
    #expect(slot.expire(at: late) == nil)
  }

  @Test("expiration 0 means now or never")
  func noStorage() {
    let provider = PushProvider(seed: 42)
    var slot = ProviderSlot()
    let ended = UndeliveredPush(id: 1 << 32 | 3, gate: .offline, ending: .expired)
    #expect(
      provider.send(push(1, at: start, for: .zero), to: Self.offline, slot: &slot, at: start)
        == .undelivered(ended, displaced: nil))
  }

  @Test("an inactive token is accepted and discarded once, then answered 410")
  func inactiveToken() {
    let provider = PushProvider(seed: 42)
    var slot = ProviderSlot()
    func send(_ number: UInt64, _ reach: DeviceReach) -> PushDecision {
      provider.send(push(number, at: start, for: .zero), to: reach, slot: &slot, at: start)
    }
    let first = send(1, Self.dead)
    #expect(first == .unregistered && first.status == 200)
    #expect(send(2, Self.dead) == .rejected(.unregistered, status: 410))
    #expect(send(3, Self.connected).status == 200)
    #expect(send(4, Self.dead) == .unregistered)
  }

  static func request(_ change: (inout PushRequest) -> Void) -> PushRequest {
    var request = PushSettings.standard.request
    change(&request)
    return request
  }

  /// Errors of the request itself, with the reason of the refusal.
  static let wrong: [(PushRequest, PushRefusal, Int)] = [
    (request { $0.priority = 10 }, .badPriority, 400),
    (request { $0.priority = 3 }, .badPriority, 400),
    (
      request {
        $0.kind = .alert
        $0.priority = 0
      }, .badPriority, 400
    ),
    (request { $0.collapseIDLength = 65 }, .badCollapseID, 400),
    (request { $0.payload = ByteCount(bytes: 0) }, .payloadEmpty, 400),
    (request { $0.payload = ByteCount(bytes: 4_097) }, .payloadTooLarge, 413),
    (request { $0.credentials = .expired }, .expiredProviderToken, 403),
  ]

  @Test("an invalid request is refused with its reason and status", arguments: wrong)
  func validation(request: PushRequest, refusal: PushRefusal, status: Int) {
    let provider = PushProvider(seed: 42)
    var slot = ProviderSlot()
    let decision = provider.send(
      push(1, at: start, for: .zero), request, to: Self.connected, slot: &slot, at: start)
    #expect(decision == .rejected(refusal, status: status) && decision.status == status)
    #expect(slot == ProviderSlot())
  }

  @Test("the status of each refusal says whether the token is dead, or when to retry")
  func answers() {
    let expected: [PushRefusal: PushAnswer] = [
      .badPriority: .tokenIsDead, .badCollapseID: .tokenIsDead, .payloadEmpty: .tokenIsDead,
      .unregistered: .tokenIsDead, .expiredProviderToken: .refused, .payloadTooLarge: .refused,
      .tooManyRequests: .busy, .serviceUnavailable: .busy,
    ]
    for refusal in PushRefusal.allCases {
      #expect(PushAnswer(status: ProviderKind.apns.status(of: refusal)) == expected[refusal])
      let fcm = PushAnswer(status: ProviderKind.fcm.status(of: refusal))
      // FCM has one status for a wrong message and a wrong token.
      #expect(fcm == (refusal == .payloadTooLarge ? .tokenIsDead : expected[refusal]))
    }
    #expect(ProviderKind.fcm.status(of: .unregistered) == 404)
    #expect(PushAnswer(status: PushDecision.deliver(at: start).status) == .accepted)
  }

  @Test("every type is accepted with its allowed priorities")
  func priorities() {
    let provider = PushProvider(seed: 42)
    let allowed: [PushRequest.Kind: [Int]] = [
      .background: [1, 5], .alert: [1, 5, 10], .location: [1, 5, 10],
    ]
    for kind in PushRequest.Kind.allCases {
      let taken = (0...10).filter { priority in
        var slot = ProviderSlot()
        let request = Self.request {
          $0.kind = kind
          $0.priority = priority
          $0.collapseIDLength = 64
          $0.payload = ByteCount(bytes: 4_096)
        }
        return provider.send(
          push(1, at: start, for: .zero), request, to: Self.connected, slot: &slot, at: start
        ).status == 200
      }
      #expect(taken == allowed[kind])
    }
  }

  @Test("too many pushes to one token are answered 429")
  func hail() {
    var settings = PushSettings.standard.provider
    settings.leastSpacing = .seconds(5)
    let provider = PushProvider(seed: 42, settings: settings)
    var slot = ProviderSlot()
    let one = push(1, at: start, for: .zero)
    #expect(provider.send(one, to: Self.connected, slot: &slot, at: start).status == 200)
    let soon = provider.send(one, to: Self.connected, slot: &slot, at: start + .seconds(4))
    #expect(soon == .rejected(.tooManyRequests, status: 429))
    let later = start + .seconds(5)
    #expect(provider.send(one, to: Self.connected, slot: &slot, at: later).status == 200)
  }

  @Test("during an outage the provider answers 503, and keeps nothing")
  func outage() {
    let fault = Fault(
      kind: .providerOutage, at: start, lasts: .minutes(5), lastsWall: .zero, cohorts: nil, share: 1
    )
    let provider = PushProvider(seed: 42, faults: [fault])
    var slot = ProviderSlot()
    func send(_ instant: SimInstant) -> PushDecision {
      provider.send(
        push(1, at: instant, for: .zero), to: Self.connected, slot: &slot, at: instant)
    }
    #expect(send(start) == .rejected(.serviceUnavailable, status: 503))
    #expect(slot == ProviderSlot())
    #expect(send(start + .minutes(5)).status == 200)
  }

  @Test("a phone in Low Power Mode receives its push after the mode")
  func restricted() {
    let provider = PushProvider(seed: 42)
    let saving = DeviceReach(
      over: .apns, isConnected: true, isSwitchedOff: false, restriction: .restricted,
      hasValidToken: true)
    var slot = ProviderSlot()
    #expect(
      provider.send(push(2, at: start, for: .hours(1)), to: saving, slot: &slot, at: start)
        == .stored(displaced: nil))
    #expect(slot.storedFor == .restricted)
    let end = start + .minutes(20)
    guard case .deliver(2 << 32 | 3, let at) = provider.reconnect(Self.phone, slot: &slot, at: end)
    else {
      Issue.record("the stored push did not come")
      return
    }
    #expect(at > end && slot.storedFor == nil)
  }

  @Test("a push that does not reach its phone any more is stored until its expiration")
  func takenBack() {
    let provider = PushProvider(seed: 42)
    var slot = ProviderSlot()
    _ = provider.send(
      push(1, at: start, for: .minutes(10)), to: Self.connected, slot: &slot, at: start)
    let id: UInt64 = 1 << 32 | 3
    func back(_ after: SimDuration, _ slot: inout ProviderSlot) -> PushDecision {
      provider.takeBack(
        id, from: Self.phone, over: .apns, gate: .offline, slot: &slot, at: start + after)
    }
    var late = slot
    #expect(
      back(.minutes(10), &late)
        == .undelivered(
          UndeliveredPush(id: id, gate: .offline, ending: .expired), displaced: nil))
    #expect(back(.minutes(9), &slot) == .stored(displaced: nil))
    #expect(slot.expire(at: start + .minutes(10))?.id == id)
  }

  @Test("nothing is stored for longer than the provider's maximum")
  func longestStorage() {
    var settings = PushSettings.standard.provider
    settings.longestStorage = .minutes(5)
    let provider = PushProvider(seed: 42, settings: settings)
    var slot = ProviderSlot()
    _ = provider.send(push(1, at: start, for: .hours(9)), to: Self.off, slot: &slot, at: start)
    #expect(slot.expire(at: start + .minutes(5) - .microseconds(1)) == nil)
    #expect(slot.expire(at: start + .minutes(5))?.ending == .expired)
  }

  // MARK: PN1

  static let gone = DeviceReach(
    over: .apns, isConnected: true, isSwitchedOff: false, hasValidToken: true, appIsGone: true)

  /// Daily answers for the token of a deleted app.
  func statuses(days: Int, every: Int = 1, seed: UInt64, _ reach: DeviceReach = gone) -> [Int] {
    let provider = PushProvider(seed: seed)
    var slot = ProviderSlot()
    return stride(from: 0, to: days, by: every).map { day in
      let at = start + .hours(Int64(24 * day))
      let push = push(UInt64(day + 1), at: at, for: .minutes(10))
      return provider.send(push, to: reach, slot: &slot, at: at).status
    }
  }

  @Test("PN1: a deleted app's token is answered 200 for a day and more, then 410 permanently")
  func goneToken() {
    var firsts: [Int] = []
    for seed in 0..<400 as Range<UInt64> {
      let statuses = statuses(days: 100, seed: seed)
      let first = statuses.firstIndex(of: 410) ?? statuses.count
      #expect(statuses[..<first].allSatisfy { $0 == 200 } && first >= 1)
      #expect(statuses[first...].allSatisfy { $0 == 410 })
      #expect(first == statuses.count || first <= 91)
      firsts.append(first)
    }
    let never = firsts.count { $0 == 100 }
    #expect((20...60).contains(never), "one in ten")
    #expect((8...14).contains(firsts.sorted()[180]), "the median of the others")
  }

  @Test("PN1: without a push that reaches the phone the provider learns nothing")
  func nothingLearnt() {
    for seed in 0..<40 as Range<UInt64> {
      let late = statuses(days: 200, every: 199, seed: seed)
      #expect(late == [200, 410] || late == [200, 200])
      let away = DeviceReach(
        over: .apns, isConnected: false, isSwitchedOff: false, hasValidToken: true,
        appIsGone: true)
      #expect(!statuses(days: 100, seed: seed, away).contains(410))
    }
  }

  @Test("PN1: a new installation's token starts with no history")
  func newToken() {
    var slot = ProviderSlot()
    PushProvider(seed: 42).foundNoApp(Self.phone, slot: &slot, at: start)
    #expect(slot != ProviderSlot())
    slot.forgetOldToken()
    #expect(slot == ProviderSlot())
  }
}
