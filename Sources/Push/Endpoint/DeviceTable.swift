package import Core

/// Each phone's valid token and recent pushes, in 28 bytes per phone.
package struct DeviceTable: Sendable {
  private struct Row: BitwiseCopyable {
    /// The second since 1970 at which the previous or the current token became invalid.
    var goneSince: UInt32 = 0
    /// The second since 1970 of the last push. `inSecond` counts the pushes in that second. For an
    /// Android phone, both are of the current minute, which began with a message.
    var lastSecond: UInt32 = 0
    /// The second of the last 429 answer, since 1970; 0 if none.
    var askedToWait: UInt32 = 0
    var accepted: UInt32 = 0
    var inSecond: UInt16 = 0
    var installation: UInt16 = 0
    /// The hour of the last background push or push for a Live Activity. `inHour` counts the
    /// background pushes in that hour, or all messages to an Android phone; `startsInHour` counts
    /// the starts of Live Activities.
    var lastHour: UInt16 = 0
    /// The second of that hour, from 1, of the last shown update; 0 if none.
    var updateShown: UInt16 = 0
    var inHour: UInt16 = 0
    var startsInHour: UInt8 = 0
    var ending: Ending = []
  }

  private struct Ending: OptionSet, BitwiseCopyable {
    let rawValue: UInt8

    static let gone = Ending(rawValue: 1)
    /// The sender got 410, so that a further push is the sender's mistake.
    static let answered = Ending(rawValue: 2)
  }

  private var rows: [Row]

  package init(phones: Int) { rows = .init(repeating: Row(), count: phones) }

  package var count: Int { rows.count }
  package static var bytesPerPhone: Int { MemoryLayout<Row>.stride }

  package enum Standing: Equatable, Sendable, BitwiseCopyable {
    case valid
    /// The token became invalid at `since`, in seconds since 1970. `isKnown`: 410 was sent before.
    case gone(since: UInt32, isKnown: Bool)
    /// The token belongs to no phone.
    case unknown
  }

  /// - Parameter second: the current time, in seconds since 1970.
  package func standing(_ owner: DeviceTokens.Owner, at second: UInt32) -> Standing {
    guard let row = row(of: owner.phone) else { return .unknown }
    if owner.installation > row.installation { return .unknown }
    if owner.installation == row.installation, !row.ending.contains(.gone) || row.goneSince > second
    {
      return .valid
    }
    return .gone(since: row.goneSince, isKnown: row.ending.contains(.answered))
  }

  private func row(of phone: PhoneID) -> Row? {
    Int(phone.rawValue) < rows.count ? rows[Int(phone.rawValue)] : nil
  }

  /// AFC10: FCM's limits for messages to an Android phone (Firebase, "Throttling and quotas").
  private static let perMinute = 240
  private static let perHour = 5_000

  /// AFC10: Counts a message to an Android phone, and returns whether it is within FCM's limits.
  mutating func countMessage(to phone: PhoneID, second: UInt32) -> Bool {
    countPush(to: phone, second: second, within: 60) <= Self.perMinute
      && countInHour(to: phone, second: second) <= Self.perHour
  }

  /// Counts a push and returns its number within a time that begins with a push, from 1.
  mutating func countPush(to phone: PhoneID, second: UInt32, within seconds: UInt32 = 1) -> Int {
    let index = Int(phone.rawValue)
    if second &- rows[index].lastSecond >= seconds {
      rows[index].lastSecond = second
      rows[index].inSecond = 0
    }
    if rows[index].inSecond < .max { rows[index].inSecond += 1 }
    return Int(rows[index].inSecond)
  }

  mutating func noteAskedToWait(_ phone: PhoneID, second: UInt32) {
    rows[Int(phone.rawValue)].askedToWait = second
  }

  /// Returns whether a push ignores Retry-After. A push within a second of the answer was in flight
  /// and does not count.
  func isTooSoon(_ phone: PhoneID, second: UInt32, wait: Int64) -> Bool {
    let asked = Int64(rows[Int(phone.rawValue)].askedToWait)
    return asked > 0 && Int64(second) > asked + 1 && Int64(second) < asked + wait
  }

  /// Counts a push and returns its number within the clock hour, from 1.
  mutating func countInHour(to phone: PhoneID, second: UInt32) -> Int {
    let index = beginHour(of: phone, second: second)
    if rows[index].inHour < .max { rows[index].inHour += 1 }
    return Int(rows[index].inHour)
  }

  /// Counts a start of a Live Activity and returns its number within the clock hour, from 1.
  mutating func countStart(to phone: PhoneID, second: UInt32) -> Int {
    let index = beginHour(of: phone, second: second)
    if rows[index].startsInHour < .max { rows[index].startsInHour += 1 }
    return Int(rows[index].startsInHour)
  }

  private mutating func beginHour(of phone: PhoneID, second: UInt32) -> Int {
    let index = Int(phone.rawValue)
    let hour = UInt16(truncatingIfNeeded: second / 3_600)
    if rows[index].lastHour != hour {
      rows[index].lastHour = hour
      rows[index].inHour = 0
      rows[index].startsInHour = 0
      rows[index].updateShown = 0
    }
    return index
  }

  /// Returns whether the phone shows an urgent update of a Live Activity: the first of a clock hour,
  /// or one at least `wait` seconds after the last shown one.
  mutating func showsUpdate(on phone: PhoneID, second: UInt32, wait: UInt16) -> Bool {
    let index = beginHour(of: phone, second: second)
    let now = UInt16(second % 3_600) + 1
    let last = rows[index].updateShown
    guard last == 0 || now >= last + wait else { return false }
    rows[index].updateShown = now
    return true
  }

  /// Counts an accepted push and returns its number for the phone, from 1.
  mutating func countAccepted(_ phone: PhoneID) -> UInt32 {
    rows[Int(phone.rawValue)].accepted &+= 1
    return rows[Int(phone.rawValue)].accepted
  }

  mutating func noteAnsweredGone(_ phone: PhoneID) {
    rows[Int(phone.rawValue)].ending.insert(.answered)
  }

  /// Ends the token of a deleted app at `second`, counted from 1970, possibly in the future.
  package mutating func unregister(_ phone: PhoneID, at second: UInt32) {
    guard let row = row(of: phone), !row.ending.contains(.gone) || row.goneSince > second else {
      return
    }
    rows[Int(phone.rawValue)].ending = .gone
    rows[Int(phone.rawValue)].goneSince = second
  }

  /// Replaces the token for a new installation. Returns the new owner; nil if no such phone exists.
  package mutating func reinstall(_ phone: PhoneID, at second: UInt32) -> DeviceTokens.Owner? {
    let index = Int(phone.rawValue)
    guard index < rows.count, rows[index].installation < .max else { return nil }
    if !rows[index].ending.contains(.gone) || rows[index].goneSince > second {
      rows[index].goneSince = second
    }
    rows[index].ending = []
    rows[index].installation += 1
    return DeviceTokens.Owner(phone, installation: UInt32(rows[index].installation))
  }

  package func owner(_ phone: PhoneID) -> DeviceTokens.Owner? {
    row(of: phone).map { .init(phone, installation: UInt32($0.installation)) }
  }
}
