package import Scenarios
package import SimulationCore
package import Telemetry

/// How the provider sees the phone at the instant of a push.
package struct DeviceReach: Equatable, Sendable, BitwiseCopyable {
  package var isConnected: Bool
  package var isSwitchedOff: Bool
  package var hasValidToken: Bool

  package init(isConnected: Bool, isSwitchedOff: Bool, hasValidToken: Bool) {
    self.isConnected = isConnected
    self.isSwitchedOff = isSwitchedOff
    self.hasValidToken = hasValidToken
  }
}

/// What became of one `send`.
package enum PushDecision: Equatable, Sendable {
  /// 400, 410, 413 or 429: the provider did not take it.
  case rejected(status: Int)
  /// Accepted (200), then thrown away because the token is inactive.
  case unregistered
  /// It reaches the phone at that instant.
  case deliver(at: SimInstant)
  /// It waits for the phone. The push that had to make room, if any.
  case stored(displaced: UndeliveredPush?)
  /// It never reached the phone: another kept the one stored place (overwritten), or it may not
  /// be stored at all (expired). `displaced` had run out before.
  case undelivered(UndeliveredPush, displaced: UndeliveredPush?)

  /// What the server reads as the answer to its request.
  package var status: Int {
    switch self {
    case .rejected(let status): status
    case .unregistered, .deliver, .stored, .undelivered: 200
    }
  }
}

/// What a phone that comes back finds at the provider.
package enum Reconnection: Equatable, Sendable {
  case nothing
  case deliver(id: UInt64, at: SimInstant)
  case expired(UndeliveredPush)
}

/// The push service between server and phone (rule book section 5), without sockets.
///
///     send ─validate─▶ 413 · 429 · 410 │ 200
///     200 ─token inactive─▶ unregistered (410 on a later send)
///         ─connected─▶ deliver(at: now + latency)
///         ─offline, switched off─▶ stored in the phone's one place ─newer push─▶ overwritten
///                                                                  ─expiration─▶ expired
///                                                                  ─reconnect──▶ deliver
///
/// Pure: the state of a phone is its `ProviderSlot`; chance is keyed by the push's id.
package struct PushProvider: Sendable {
  private enum Chance {
    static let latency = Purpose(rawValue: 300)
    static let reconnectLatency = Purpose(rawValue: 301)
    static let overwrite = Purpose(rawValue: 302)
  }

  package let settings: ProviderSettings
  private let seed: UInt64

  package init(seed: UInt64, settings: ProviderSettings = PushSettings.standard.provider) {
    self.seed = seed
    self.settings = settings
  }

  /// A request of the server, arriving at the provider at `now`.
  package func send(
    _ push: SilentPush, payload: ByteCount = ByteCount(bytes: 64), to reach: DeviceReach,
    slot: inout ProviderSlot, at now: SimInstant
  ) -> PushDecision {
    precondition(push.id != 0, "a push needs an id other than 0")
    if let status = refusal(payload: payload, reach: reach, slot: slot, at: now) {
      return .rejected(status: status)
    }
    slot.lastAcceptedSeconds = Self.seconds(now)
    guard reach.hasValidToken else {
      slot.knowsTokenIsInactive = true
      return .unregistered
    }
    slot.knowsTokenIsInactive = false
    guard reach.isSwitchedOff || !reach.isConnected else {
      return .deliver(at: now + latency(of: push.id, phone: push.phone, Chance.latency))
    }
    return store(push, gate: reach.isSwitchedOff ? .switchedOff : .offline, slot: &slot, at: now)
  }

  /// The phone has a connection to the provider again.
  package func reconnect(
    _ phone: PhoneID, slot: inout ProviderSlot, at now: SimInstant
  ) -> Reconnection {
    if let expired = slot.expire(at: now) { return .expired(expired) }
    guard let id = slot.stored else { return .nothing }
    slot.storedID = 0
    return .deliver(id: id, at: now + latency(of: id, phone: phone, Chance.reconnectLatency))
  }

  private func refusal(
    payload: ByteCount, reach: DeviceReach, slot: ProviderSlot, at now: SimInstant
  ) -> Int? {
    if payload > settings.largestPayload { return 413 }
    if !reach.hasValidToken && slot.knowsTokenIsInactive { return 410 }
    let since = Int64(Self.seconds(now)) - Int64(slot.lastAcceptedSeconds)
    if slot.lastAcceptedSeconds != 0, SimDuration.seconds(since) < settings.leastSpacing {
      return 429
    }
    return nil
  }

  private func store(
    _ push: SilentPush, gate: StorageGate, slot: inout ProviderSlot, at now: SimInstant
  ) -> PushDecision {
    var displaced = slot.expire(at: now)
    guard push.expiration > now else {
      let ended = UndeliveredPush(id: push.id, gate: gate, ending: .expired)
      return .undelivered(ended, displaced: displaced)
    }
    if let old = slot.stored {
      var draw = Draw(
        seed: seed, phone: push.phone.rawValue, Chance.overwrite, Int64(bitPattern: push.id))
      guard draw.chance(settings.keepsNewest) else {
        let ended = UndeliveredPush(id: push.id, gate: gate, ending: .overwritten)
        return .undelivered(ended, displaced: nil)
      }
      displaced = UndeliveredPush(id: old, gate: slot.gate, ending: .overwritten)
    }
    slot.storedID = push.id
    slot.gate = gate
    slot.expiration = min(push.expiration, now + settings.longestStorage)
    return .stored(displaced: displaced)
  }

  private func latency(of id: UInt64, phone: PhoneID, _ purpose: Purpose) -> SimDuration {
    var draw = Draw(seed: seed, phone: phone.rawValue, purpose, Int64(bitPattern: id))
    return SimDuration(
      seconds: draw.logNormal(
        median: settings.latencyMedian.seconds, sigma: settings.latencySigma))
  }

  private static func seconds(_ instant: SimInstant) -> UInt32 {
    UInt32(clamping: instant.microseconds / 1_000_000)
  }
}
