package import Core

/// Decides which uploads are admitted under overload, by PIE (RFC 8033; Pan et al., HPSR 2013). PIE
/// refuses arrivals to keep the queue's *delay* at a target. It is a proportional-integral
/// controller.
///
///     measured delay ─▶ share to refuse, every 15 ms ─▶ fair rate ─▶ each call: in, or refused
///
/// Phones, unlike PIE's senders, do not slow down within a second, so some constants differ.
/// Callers pass the time, and chance is a mix of the seed and a counter. CoDel (RFC 8289) would
/// drop a request after reading it, but a call must be refused at its first frame.
package struct Admission: Sendable {
  /// The controller's constants, from RFC 8033 unless stated otherwise.
  package struct Settings: Equatable, Sendable {
    /// The delay to keep (QDELAY_REF in RFC 8033, where it is 15 ms). At three times the capacity,
    /// the p99 of admitted calls is 32 to 38 ms with 8 ms, and 49 to 57 ms with 15 ms.
    package var target = WallDuration.milliseconds(8)
    /// The time between updates (T_UPDATE in RFC 8033).
    package var update = WallDuration.milliseconds(15)
    /// The share added per second of delay beyond the target, at each update (alpha in RFC 8033).
    package var alpha = 0.125
    /// The share added per second of delay growth since the last update (beta in RFC 8033).
    package var beta = 1.25
    /// The maximum increase of the share per update. RFC 8033 says 0.02, to keep TCP's pipes full,
    /// but a refused phone stays away, and a threefold overload must be met in half a second.
    package var stepMax = 0.1
    /// The time that a delay may last before calls are refused. RFC 8033 says 150 ms. Nothing in a
    /// healthy collector, such as a sweep or a checkpoint, takes longer than 50 ms.
    package var burst = WallDuration.milliseconds(50)
    /// The factor on the share per update while the delay is far below the target (1/30 in a
    /// second). RFC 8033 says 0.98, which would take 2.5 s and refuse calls that could be served.
    package var decay = 0.95
    package var seed: UInt64 = 0x466c_6f74_696c_6c61

    package init() {}
  }

  package let settings: Settings
  /// The share of offered calls to refuse, 0 … 1.
  package private(set) var dropProbability = 0.0
  package private(set) var delay = WallDuration.zero
  private var burstLeft: WallDuration
  private var updatedAt: WallInstant?
  /// The sum of the delays since the last update, in microseconds. Only the mean counts, since one
  /// long turn of the loop is not a queue, and one short turn does not end a queue.
  private var sampleSum: Int64 = 0
  private var samples: Int64 = 0
  private var fair = FairRate()
  private var number: UInt64 = 0

  package init(_ settings: Settings = .init()) {
    self.settings = settings
    burstLeft = settings.burst
  }

  package mutating func observe(_ delay: WallDuration) {
    sampleSum += delay.microseconds
    samples += 1
  }

  /// Returns whether an update is due; the caller then measures and calls `update`.
  package func isDue(at now: WallInstant) -> Bool {
    updatedAt.map { now - $0 >= settings.update } ?? true
  }

  /// Updates the share to refuse, from the larger of `measured` and the mean observed delay.
  package mutating func update(delay measured: WallDuration, at now: WallInstant) {
    let old = delay
    let mean = WallDuration.microseconds(samples > 0 ? sampleSum / samples : 0)
    delay = max(mean, measured)
    (sampleSum, samples) = (0, 0)
    let elapsed = updatedAt.map { now - $0 } ?? settings.update
    updatedAt = now
    // A missed update means no calls and no delay, since only calls cause updates.
    var missed = max(0, elapsed.microseconds / settings.update.microseconds - 1)
    while missed > 0, dropProbability > 0 {
      step(delay: .zero, old: .zero)
      missed -= 1
    }
    step(delay: delay, old: old)
    fair.settle(share: dropProbability)
  }

  private mutating func step(delay: WallDuration, old: WallDuration) {
    let (target, now, before) = (settings.target.seconds, delay.seconds, old.seconds)
    let change = settings.alpha * (now - target) + settings.beta * (now - before)
    dropProbability += min(change * Self.gainScale(at: dropProbability), settings.stepMax)
    if now < target / 4, before < target / 4 { dropProbability *= settings.decay }
    // A share below one in ten thousand counts as 0.
    dropProbability = dropProbability < 1e-4 && now < target ? 0 : min(max(dropProbability, 0), 1)
    if now > target {
      burstLeft = max(.zero, burstLeft - settings.update)
    } else if dropProbability == 0, now < target / 2, before < target / 2 {
      burstLeft = settings.burst
    }
  }

  /// Returns the factor on a change of `share`, by which small shares change less (RFC 8033, 4.2).
  private static func gainScale(at share: Double) -> Double {
    switch share {
    case ..<0.000_001: 1.0 / 2_048
    case ..<0.000_01: 1.0 / 512
    case ..<0.000_1: 1.0 / 128
    case ..<0.001: 1.0 / 32
    case ..<0.01: 1.0 / 8
    case ..<0.1: 1.0 / 2
    default: 1
    }
  }

  package var isShedding: Bool { dropProbability > 0 && burstLeft == .zero }

  /// - Parameter rate: the number of the connection's recent calls, with this call (`RecentCalls`).
  package mutating func admits(rate: Double) -> Bool {
    number &+= 1
    fair.note(rate, number: number)
    guard isShedding else { return true }
    return chance(Draw.mix(settings.seed ^ number)) >= fair.chance(of: rate)
  }

  // MARK: Pushback

  /// The minimum in seconds, which is three turns of a fast client.
  private static let pushbackMin = 0.1
  /// The maximum in seconds, which is the time that a phone may run in the background.
  private static let pushbackMax = 10.0
  /// The wait in seconds while few calls are refused, which is a few group commits.
  private static let pushbackBase = 0.25

  /// Returns a refused client's wait: (queue delay + 0.25 s) × expected attempts. A random change
  /// of up to 50 % spreads clients refused together.
  package mutating func pushbackMilliseconds() -> Int32 {
    number &+= 1
    let tries = 1 / max(1 - dropProbability, 0.01)
    let jitter = 0.5 + chance(Draw.mix(~settings.seed ^ number))
    let wait = (Self.pushbackBase + delay.seconds) * tries * jitter
    return Int32(min(max(wait, Self.pushbackMin), Self.pushbackMax) * 1_000)
  }

  private func chance(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }
}
