package import Core
package import Scenarios

package struct DeviceReach: Equatable, Sendable, BitwiseCopyable {
  package var provider: ProviderKind
  package var isConnected: Bool
  package var isOnWifi: Bool
  /// Whether the phone is switched off, which takes precedence over being offline.
  package var isSwitchedOff: Bool
  /// Why the phone, though connected, does not take the push now; nil if it takes it.
  package var restriction: StorageGate?
  /// Whether the server's token is valid for this kind of push.
  package var hasValidToken: Bool
  /// PN1: Whether the token belongs to a deleted app.
  package var appIsGone: Bool
  /// What the phone's system says; nil if the provider's settings say it.
  package var way: PushWay?
  /// AFC5: Whether the provider keeps the stored push beside this one.
  package var keepsStored = false

  package init(
    over provider: ProviderKind, isConnected: Bool, isOnWifi: Bool = true, isSwitchedOff: Bool,
    restriction: StorageGate? = nil, hasValidToken: Bool, appIsGone: Bool = false,
    way: PushWay? = nil
  ) {
    self.provider = provider
    self.isConnected = isConnected
    self.isOnWifi = isOnWifi
    self.isSwitchedOff = isSwitchedOff
    self.restriction = restriction
    self.hasValidToken = hasValidToken
    self.appIsGone = appIsGone
    self.way = way
  }

  var gate: StorageGate? {
    if isSwitchedOff { return .switchedOff }
    return isConnected ? restriction : .offline
  }
}

package enum PushDecision: Equatable, Sendable {
  case rejected(PushRefusal, status: Int)
  /// The push was accepted (200), then discarded because the token is inactive.
  case unregistered
  case deliver(at: SimInstant)
  case stored(displaced: UndeliveredPush?)
  /// The push never reaches the phone, because another push keeps the only slot (overwritten) or
  /// the push may not be stored (expired). `displaced` is an older push that had expired.
  case undelivered(UndeliveredPush, displaced: UndeliveredPush?)

  package var displaced: UndeliveredPush? {
    switch self {
    case .rejected, .unregistered, .deliver: nil
    case .stored(let displaced), .undelivered(_, let displaced): displaced
    }
  }

  package var status: Int {
    switch self {
    case .rejected(_, let status): status
    case .unregistered, .deliver, .stored, .undelivered: 200
    }
  }
}

package enum Reconnection: Equatable, Sendable {
  case nothing
  case deliver(id: UInt64, at: SimInstant)
  case expired(UndeliveredPush)
}

/// The push service between server and phone, without sockets. `ProviderKind` selects the service.
///
///     send ─validate─▶ 400 · 403 · 410 · 413 · 429 · 503 │ 200
///     200 ─token inactive─▶ unregistered (410 on a later send)
///         ─reachable─▶ deliver(at: now + latency)
///         ─offline, switched off, restricted─▶ stored in the phone's only slot
///     stored ─newer push─▶ overwritten   ─expiration─▶ expired   ─reconnect─▶ deliver
///
/// A phone's state is in its `ProviderSlot`, and draws are keyed by the push's id.
package struct PushProvider: Sendable {
  package let settings: ProviderSettings
  private let seed: UInt64
  private let outages: [Range<SimInstant>]

  /// Creates a provider that answers 503 during each `providerOutage` of `faults`. `seed` decides
  /// latencies and which push is kept.
  package init(
    seed: UInt64, settings: ProviderSettings = PushSettings.standard.provider,
    faults: [Fault] = []
  ) {
    self.seed = seed
    self.settings = settings
    outages = faults.filter { $0.kind == .providerOutage }.map { $0.at..<($0.at + $0.lasts) }
  }

  package func send(
    _ push: SilentPush, _ request: PushRequest = PushSettings.standard.request,
    to reach: DeviceReach, slot: inout ProviderSlot, at now: SimInstant
  ) -> PushDecision {
    precondition(push.id != 0, "a push needs an id other than 0")
    if let refusal = refusal(request, reach: reach, slot: slot, at: now) {
      return .rejected(refusal, status: reach.provider.status(of: refusal))
    }
    let wait = reach.provider.pace(
      &slot.paceSeconds, collapses: reach.provider.replaces(push.manner, request),
      at: Self.seconds(now))
    guard reach.hasValidToken else {
      slot.knowsTokenIsInactive = true
      return .unregistered
    }
    slot.knowsTokenIsInactive = false
    if reach.appIsGone {
      // An unreachable phone gives no feedback.
      if reach.gate == nil { foundNoApp(push.phone, reach.way, slot: &slot, at: now) }
      return .unregistered
    }
    guard let gate = reach.gate else {
      // A reachable phone has no stored push, so the slot is free for this push's expiration.
      if slot.storedID == 0 {
        slot.expiration = min(push.expiration, now + settings.longestStorage)
      }
      if wait > .zero, push.expiration <= now + wait {
        return .undelivered(
          UndeliveredPush(id: push.id, gate: .restricted, ending: .expired), displaced: nil)
      }
      return .deliver(
        at: now + wait
          + latency(
            of: push.id, phone: push.phone, isOnWifi: reach.isOnWifi, .pushLatency, reach.way))
    }
    return store(
      push.id, for: push.phone, until: push.expiration, gate: gate, slot: &slot, at: now,
      keepsNewest: reach.keepsStored ? nil : reach.provider.keepsNewest(settings))
  }

  /// PN1: Notes that a push reached a phone without the app. The first push that does so determines
  /// when later pushes are answered 410, after some days or weeks, or sometimes never. AFC9: On
  /// Android the phone tells so itself within days.
  package func foundNoApp(
    _ phone: PhoneID, _ way: PushWay? = nil, slot: inout ProviderSlot, at now: SimInstant
  ) {
    guard slot.goneFromHour == 0 else { return }
    var draw = Draw(seed: seed, phone: phone.rawValue, .goneToken, now.microseconds)
    let isNever = draw.chance(way == nil ? settings.neverLearns : 0)
    let median = way?.uninstallTold ?? settings.learnsAfter
    let wait = draw.logNormal(median: median.seconds, sigma: settings.learnsSigma)
    let most = SimDuration.hours(24 * 90).seconds
    let least = way == nil ? SimDuration.hours(24).seconds : 0
    let from = now + SimDuration(seconds: min(most, max(least, wait)))
    // 0 and `.max` have a special meaning.
    let hour = UInt16(truncatingIfNeeded: Self.hours(from) + 1)
    slot.goneFromHour = isNever ? .max : min(.max - 1, max(1, hour))
  }

  package func takeBack(
    _ id: UInt64, from phone: PhoneID, over provider: ProviderKind, gate: StorageGate,
    slot: inout ProviderSlot, at now: SimInstant
  ) -> PushDecision {
    store(
      id, for: phone, until: slot.expiration, gate: gate, slot: &slot, at: now,
      keepsNewest: provider.storesOne ? settings.keepsNewest : nil)
  }

  package func reconnect(
    _ phone: PhoneID, isOnWifi: Bool = true, slot: inout ProviderSlot, at now: SimInstant
  ) -> Reconnection {
    if let expired = slot.expire(at: now) { return .expired(expired) }
    guard let id = slot.stored else { return .nothing }
    slot.storedID = 0
    var at = now + latency(of: id, phone: phone, isOnWifi: isOnWifi, .reconnectLatency)
    if slot.gate == .switchedOff {
      // PN4: A phone that was switched on registers with its network first.
      var draw = Draw(seed: seed, phone: phone.rawValue, .startConnection, Int64(bitPattern: id))
      let median = settings.connectsAfterStart.seconds
      at = at + SimDuration(seconds: draw.logNormal(median: median, sigma: settings.latencySigma))
    }
    return .deliver(id: id, at: at)
  }

  private func refusal(
    _ request: PushRequest, reach: DeviceReach, slot: ProviderSlot, at now: SimInstant
  ) -> PushRefusal? {
    for outage in outages where outage.contains(now) { return .serviceUnavailable }
    if let refusal = reach.provider.refusal(of: request, settings) { return refusal }
    if !reach.hasValidToken && slot.knowsTokenIsInactive { return .unregistered }
    if reach.appIsGone, slot.isKnownGone(at: Self.hours(now)) { return .unregistered }
    return reach.provider.isTooSoon(slot.paceSeconds, settings, at: Self.seconds(now))
      ? .tooManyRequests : nil
  }

  /// - Parameter keepsNewest: how often the push takes the place of a stored one; nil if both stay.
  private func store(
    _ id: UInt64, for phone: PhoneID, until expiration: SimInstant, gate: StorageGate,
    slot: inout ProviderSlot, at now: SimInstant, keepsNewest: Double?
  ) -> PushDecision {
    var displaced = slot.expire(at: now)
    guard expiration > now else {
      let ended = UndeliveredPush(id: id, gate: gate, ending: .expired)
      return .undelivered(ended, displaced: displaced)
    }
    if let old = slot.stored, let keepsNewest {
      var draw = Draw(seed: seed, phone: phone.rawValue, .pushOverwrite, Int64(bitPattern: id))
      guard draw.chance(keepsNewest) else {
        let ended = UndeliveredPush(id: id, gate: gate, ending: .overwritten)
        return .undelivered(ended, displaced: nil)
      }
      displaced = UndeliveredPush(id: old, gate: slot.gate, ending: .overwritten)
    }
    slot.storedID = id
    slot.gate = gate
    slot.expiration = min(expiration, now + settings.longestStorage)
    return .stored(displaced: displaced)
  }

  /// PN2: Draws a latency, by network. PN3: Over cellular a few pushes meet a connection that the
  /// network has dropped, and arrive when the phone notices the loss. New connections are not
  /// dropped. ANW1: On Android the loss is noticed at the next sign of life, also on Wi-Fi.
  private func latency(
    of id: UInt64, phone: PhoneID, isOnWifi: Bool, _ purpose: Purpose, _ way: PushWay? = nil
  ) -> SimDuration {
    var draw = Draw(seed: seed, phone: phone.rawValue, purpose, Int64(bitPattern: id))
    let median = isOnWifi ? settings.wifiMedian : settings.cellularMedian
    let transit = SimDuration(
      seconds: draw.logNormal(median: median.seconds, sigma: settings.latencySigma))
    var dead = (share: isOnWifi ? 0 : settings.halfOpen, lasts: settings.halfOpenLasts)
    if let way {
      dead = (way.deadConnection, isOnWifi ? way.heartbeatWifi : way.heartbeatCellular)
    }
    guard purpose == .pushLatency, draw.chance(dead.share) else { return transit }
    return transit + SimDuration(seconds: draw.uniform() * dead.lasts.seconds)
  }

  private static func hours(_ instant: SimInstant) -> Int64 {
    instant.microseconds / SimDuration.hours(1).microseconds
  }

  private static func seconds(_ instant: SimInstant) -> UInt32 {
    UInt32(clamping: instant.microseconds / 1_000_000)
  }
}
