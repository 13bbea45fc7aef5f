internal import Core

/// A phone chosen by a sweep. Choices are ordered by the phone's due sweep, then by phone.
struct Choice: Comparable, BitwiseCopyable {
  /// The due sweep, the phone and the control flag, from the highest bit down.
  private let key: UInt64

  init(since sweep: Int64, _ phone: PhoneID, _ isWithheld: Bool) {
    key = UInt64(UInt32(clamping: sweep)) << 33 | UInt64(phone.rawValue) << 1 | (isWithheld ? 1 : 0)
  }

  static func < (a: Choice, b: Choice) -> Bool { a.key < b.key }

  func occasion(at now: SimInstant, _ sweep: SimDuration) -> WakeOccasion {
    let phone = PhoneID(rawValue: UInt32(truncatingIfNeeded: key >> 1))
    return WakeOccasion(
      pushID: SweepQueue.key(phone, sweep: WakeCalendar.number(of: now, sweep)), at: now,
      isWithheld: key & 1 == 1)
  }
}
