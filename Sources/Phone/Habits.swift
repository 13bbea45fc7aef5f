package import Core
private import Foundation
package import Scenarios

/// The traits of a phone and its owner that never change, such as Wi-Fi switched off.
package struct PhoneTraits: OptionSet, Sendable, BitwiseCopyable {
  @usableFromInline package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Replaces `OptionSet.contains`, which other modules would call through a witness table.
  @inlinable package func contains(_ trait: PhoneTraits) -> Bool {
    rawValue & trait.rawValue == trait.rawValue
  }

  package static let refreshOff = PhoneTraits(rawValue: 1)
  package static let deadToken = PhoneTraits(rawValue: 2)
  package static let provisional = PhoneTraits(rawValue: 4)
  package static let imprecise = PhoneTraits(rawValue: 8)
  package static let withoutSIM = PhoneTraits(rawValue: 16)
  /// The owner has not opened the app for a week and does not open it during the run.
  package static let unopened = PhoneTraits(rawValue: 32)
  package static let motionDenied = PhoneTraits(rawValue: 64)
  package static let wifiOff = PhoneTraits(rawValue: 128)
}

package struct Window: Equatable, Sendable, BitwiseCopyable {
  package var start: SimInstant
  /// The first instant after the window.
  package var end: SimInstant

  package init(start: SimInstant, end: SimInstant) {
    self.start = start
    self.end = end
  }

  /// An empty window that starts after every other window.
  package static let never = Window(start: .distantFuture, end: .distantFuture)
  package func contains(_ t: SimInstant) -> Bool { start <= t && t < end }
}

/// Windows that recur at random, at most one per slot, keyed by (seed, phone, slot). A window's
/// length is uniform from 0 to the slot's length, so that windows in a share 2s of the slots cover
/// a share s of the time. If s is above 0.5, each slot has a window of at least 2s − 1 of the slot.
package struct RecurringWindow: Sendable, BitwiseCopyable {
  let purpose: Purpose
  let slot: SimDuration
  /// The share of the time that the windows cover, 0 … 1.
  let share: Double
  let seed: UInt64

  /// Returns the first window that ends after `t`; `.never` if the next 400 slots have none.
  package func next(endingAfter t: SimInstant, phone: PhoneID) -> Window {
    guard share > 0 else { return .never }
    guard share < 1 else { return Window(start: SimInstant(microseconds: 0), end: .distantFuture) }
    let first = t.microseconds / slot.microseconds
    for k in first..<(first + 400) {
      if let window = window(in: k, share, phone), window.end > t { return window }
    }
    return .never
  }

  /// Returns the window that contains `t`; nil if none.
  ///
  /// - Parameter own: The phone's own share of the time; nil for the share of all phones.
  func around(_ t: SimInstant, phone: PhoneID, share own: Double? = nil) -> Window? {
    let share = own ?? share
    guard share > 0, let window = window(in: t.microseconds / slot.microseconds, share, phone)
    else { return nil }
    return window.contains(t) ? window : nil
  }

  private func window(in k: Int64, _ share: Double, _ phone: PhoneID) -> Window? {
    var draw = Draw(seed: seed, phone: phone.rawValue, purpose, k)
    guard draw.chance(min(1, 2 * share)) else { return nil }
    let least = max(0, 2 * share - 1)
    let length = least + (1 - least) * draw.uniform()
    let begin = draw.uniform() * (1 - length)
    let origin = Double(k) * Double(slot.microseconds)
    let start = SimInstant(microseconds: Int64(origin + begin * Double(slot.microseconds)))
    let end = start + SimDuration(microseconds: Int64(length * Double(slot.microseconds)))
    return Window(start: start, end: end)
  }
}

/// The behaviour of phone owners and carriers, keyed by phone and time, independent of the app.
package struct Habits: Sendable {
  let seed: UInt64
  let mix: PhoneMix
  let faults: [Fault]
  let offlineWindows: RecurringWindow
  let offWindows: RecurringWindow
  let airplaneWindows: RecurringWindow
  let staleTokenWindows: RecurringWindow
  /// The slot length of an owner with the mean rate of sessions; a slot has at most one session.
  private let sessionSpacing: SimDuration

  package init(seed: UInt64, mix: PhoneMix, faults: [Fault]) {
    self.seed = seed
    self.mix = mix
    self.faults = faults.filter { $0.kind == .networkOutage }
    let slots = mix.windows
    offlineWindows = RecurringWindow(
      purpose: .offlineWindow, slot: slots.offline, share: mix.offline, seed: seed)
    offWindows = RecurringWindow(
      purpose: .offWindow, slot: slots.switchedOff, share: mix.switchedOff, seed: seed)
    airplaneWindows = RecurringWindow(
      purpose: .airplaneWindow, slot: slots.airplane, share: mix.airplane, seed: seed)
    staleTokenWindows = RecurringWindow(
      purpose: .staleToken, slot: slots.staleToken, share: mix.staleToken, seed: seed)
    // Some sessions at night are dropped, and some days have no session. Slots are shorter by the
    // factor `kept` · (1 − `daysUnopened`), so that `sessionsPerDay` is reached.
    let day = SimDuration.hours(24).seconds
    let kept = 1 - mix.nights.sleepUntil.seconds / day * mix.nights.sessionsSlept
    sessionSpacing = SimDuration(
      seconds: kept * (1 - mix.daysUnopened) * day / max(mix.sessionsPerDay, 1e-6))
  }

  /// Returns the location permission that the owner finally chooses, drawn once per phone.
  package func authorization(of phone: PhoneID) -> Authorization {
    var draw = Draw(seed: seed, phone: phone.rawValue, .authorization)
    let u = draw.uniform()
    if u < mix.always { return .always }
    return u < mix.always + mix.whenInUse ? .whenInUse : .denied
  }

  /// Whether Background App Refresh is off on the phone (BR1).
  package func backgroundRefreshIsOff(_ phone: PhoneID) -> Bool {
    traits(of: phone).contains(.refreshOff)
  }

  package func tokenIsValid(_ phone: PhoneID) -> Bool {
    !traits(of: phone).contains(.deadToken)
  }

  /// Whether the push provider has invalidated the phone's token unnoticed by app and server.
  package func tokenIsStale(at t: SimInstant, phone: PhoneID) -> Bool {
    staleTokenWindows.around(t, phone: phone) != nil
  }

  package func traits(of phone: PhoneID) -> PhoneTraits {
    var traits = PhoneTraits()
    func draw(_ purpose: Purpose, _ share: Double, _ trait: PhoneTraits) {
      var draw = Draw(seed: seed, phone: phone.rawValue, purpose)
      if draw.chance(share) { traits.insert(trait) }
    }
    draw(.refresh, mix.refreshOff, .refreshOff)
    draw(.token, mix.unregistered, .deadToken)
    draw(.secondPrompt, provisionalShare, .provisional)
    draw(.precision, mix.reducedAccuracy, .imprecise)
    draw(.simCard, mix.withoutSIM, .withoutSIM)
    draw(.unopened, mix.unopened, .unopened)
    draw(.motionPermission, mix.motionDenied, .motionDenied)
    draw(.wifiSwitch, mix.wifiOff, .wifiOff)
    return traits
  }

  /// The share that answered Always at the first prompt, among the owners who end with When In Use.
  ///
  /// The mix states final permissions. The share `provisionalDenied` of the owners who first
  /// answered Always counts in `whenInUse`, the rest in `always`.
  var provisionalShare: Double {
    guard mix.provisionalDenied < 1 else { return 1 }
    guard mix.whenInUse > 0 else { return 0 }
    let takenBack = mix.always * mix.provisionalDenied / (1 - mix.provisionalDenied)
    return min(1, takenBack / mix.whenInUse)
  }

  /// Returns the next time without a network that ends after `t`: a random window or a scripted
  /// outage.
  package func offline(endingAfter t: SimInstant, phone: PhoneID, cohort: Int) -> Window {
    var window = offlineWindows.next(endingAfter: t, phone: phone)
    for (index, fault) in faults.enumerated() where hits(fault, index, phone, cohort) {
      let outage = Window(start: fault.at, end: fault.at + fault.lasts)
      if outage.end > t && outage.start < window.start { window = outage }
    }
    return window
  }

  private func hits(_ fault: Fault, _ index: Int, _ phone: PhoneID, _ cohort: Int) -> Bool {
    if let targets = fault.cohorts, !targets.contains(cohort) { return false }
    var draw = Draw(seed: seed, phone: phone.rawValue, .outage, Int64(index))
    return draw.chance(fault.share)
  }

  package func switchedOff(endingAfter t: SimInstant, phone: PhoneID) -> Window {
    offWindows.next(endingAfter: t, phone: phone)
  }

  /// NO4: Returns the next time in airplane mode that ends after `t`: a night or a random window.
  package func airplane(endingAfter t: SimInstant, phone: PhoneID, clock: CivilClock) -> Window {
    let night = airplaneNight(endingAfter: t, phone: phone, clock: clock)
    let day = airplaneWindows.next(endingAfter: t, phone: phone)
    return day.start < night.start ? day : night
  }

  private func airplaneNight(
    endingAfter t: SimInstant, phone: PhoneID, clock: CivilClock
  ) -> Window {
    guard mix.airplaneAtNight > 0 else { return .never }
    let today = clock.day(at: t)
    for day in (today - 1)...(today + 400) {
      var draw = Draw(seed: seed, phone: phone.rawValue, .airplaneNight, Int64(day))
      guard draw.chance(mix.airplaneAtNight) else { continue }
      let window = mix.nights.window(of: day, clock, seed: seed, phone: phone)
      if window.end > t { return window }
    }
    return .never
  }

  /// LC11: Returns when the owner force-quits the app after a use that ends at `t`; nil if the app
  /// stays in the app switcher. Owners with this habit differ in the share of uses.
  package func swipe(afterLeavingAt t: SimInstant, phone: PhoneID) -> SimInstant? {
    var person = Draw(seed: seed, phone: phone.rawValue, .forceQuit)
    guard person.chance(mix.forceQuit) else { return nil }
    let share = person.ownShare(mean: mix.forceQuitUses)
    var use = Draw(seed: seed, phone: phone.rawValue, .forceQuit, t.microseconds)
    return use.chance(share) ? t + mix.swipeAfter : nil
  }

  /// OP1: Returns the next foreground session that ends after `t`. A slot has at most one session;
  /// the slots of owners who open the app rarely are long. Few sessions are at night. Owners differ
  /// in the share of days without a session.
  package func session(
    endingAfter t: SimInstant, phone: PhoneID, _ traits: PhoneTraits, clock: CivilClock
  ) -> Window {
    guard mix.sessionsPerDay > 0, mix.daysUnopened < 1, !traits.contains(.unopened) else {
      return .never
    }
    var owner = Draw(seed: seed, phone: phone.rawValue, .sessionWindow)
    let unopened = owner.ownShare(mean: mix.daysUnopened)
    // The mean of the rates over owners is 1.
    let sigma = mix.sessionsSigma
    let rate = owner.logNormal(median: exp(-sigma * sigma / 2), sigma: sigma)
    let slot = SimDuration(seconds: max(sessionSpacing.seconds / rate, 60))
    let last = t + .hours(24 * 400)
    var k = t.microseconds / slot.microseconds
    while k * slot.microseconds < last.microseconds {
      var draw = Draw(seed: seed, phone: phone.rawValue, .sessionWindow, k)
      let length = min(
        max(1, draw.exponential(mean: mix.sessionLength.seconds)), mix.sessionFill * slot.seconds)
      let begin = draw.uniform() * (slot.seconds - length)
      let start =
        SimInstant(microseconds: k * slot.microseconds) + SimDuration(seconds: begin)
      let day = clock.day(at: start)
      k += 1
      if isUnopened(day, phone, unopened) {
        k = max(k, clock.midnight(of: day + 1).microseconds / slot.microseconds)
        continue
      }
      let isNight = clock.timeOfDay(at: start) < mix.nights.sleepUntil
      if isNight && draw.chance(mix.nights.sessionsSlept) { continue }
      let end = start + SimDuration(seconds: length)
      if end > t { return Window(start: start, end: end) }
    }
    return .never
  }

  private func isUnopened(_ day: Int32, _ phone: PhoneID, _ share: Double) -> Bool {
    guard share > 0 else { return false }
    var draw = Draw(seed: seed, phone: phone.rawValue, .unopenedDay, Int64(day))
    return draw.chance(share)
  }

  /// BT9, BT10: Returns the data path and the cells of a segment. A place has the same cells at
  /// each stay.
  package func link(of segment: Segment, phone: PhoneID, _ traits: PhoneTraits) -> Link {
    let (start, moving) = (segment.start, segment.isMoving)
    var link = Link()
    if !traits.contains(.wifiOff), isOnWifi(segmentStart: start, moving: moving, phone: phone) {
      link.insert(.wifi)
    }
    var draw = Draw(seed: seed, phone: phone.rawValue, .cells, segment.spot)
    if draw.chance(mix.weakSignal) { link.insert(.weakSignal) }
    if draw.chance(mix.newRadio) { link.insert(.newRadio) }
    return link
  }

  /// Returns whether a phone whose Wi-Fi is on sends over Wi-Fi in a segment: usually at stays,
  /// rarely in motion.
  func isOnWifi(segmentStart: SimInstant, moving: Bool, phone: PhoneID) -> Bool {
    var draw = Draw(seed: seed, phone: phone.rawValue, .wifi, segmentStart.microseconds)
    // The shares count all phones, including phones with Wi-Fi switched off.
    return draw.chance((moving ? mix.wifiOnTheWay : mix.wifiAtStays) / (1 - mix.wifiOff))
  }
}
