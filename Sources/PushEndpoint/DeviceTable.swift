package import Telemetry

/// What the endpoint knows of each phone: which installation's token is good, and what was pushed
/// of late. 28 bytes a phone.
package struct DeviceTable: Sendable {
  /// What it knows of one phone.
  private struct Row: BitwiseCopyable {
    /// Seconds since 1970 at which the token before the present one, or the present one, died.
    var goneSince: UInt32 = 0
    /// The second of the last push, and how many came within it.
    var lastSecond: UInt32 = 0
    /// The second of the last answer 429 to a push to it; 0: none.
    var askedToWait: UInt32 = 0
    /// Counts the pushes that were accepted.
    var accepted: UInt32 = 0
    var inSecond: UInt16 = 0
    var installation: UInt16 = 0
    /// The hour of the last background push, and how many came within it.
    var lastHour: UInt16 = 0
    var inHour: UInt8 = 0
    var isGone = false
    /// It was answered 410: a further push to it is the sender's mistake.
    var wasAnsweredGone = false
  }

  private var rows: [Row]

  /// Makes the table of a fleet whose phones all have the app installed.
  package init(phones: Int) { rows = .init(repeating: Row(), count: phones) }

  /// The number of phones.
  package var count: Int { rows.count }
  /// Is what a phone takes, in bytes.
  package static var bytesPerPhone: Int { MemoryLayout<Row>.stride }

  /// What a token is worth.
  package enum Standing: Equatable, Sendable, BitwiseCopyable {
    case valid
    /// Dead since that second of 1970; `isKnown`: the sender has been answered so before.
    case gone(since: UInt32, isKnown: Bool)
    /// Nobody's.
    case unknown
  }

  /// Returns what the token of an installation is worth.
  ///
  /// - Parameter second: the present, since 1970.
  package func standing(_ owner: DeviceTokens.Owner, at second: UInt32) -> Standing {
    guard let row = row(of: owner.phone) else { return .unknown }
    if owner.installation > row.installation { return .unknown }
    if owner.installation == row.installation, !row.isGone || row.goneSince > second {
      return .valid
    }
    return .gone(since: row.goneSince, isKnown: row.wasAnsweredGone)
  }

  private func row(of phone: PhoneID) -> Row? {
    Int(phone.rawValue) < rows.count ? rows[Int(phone.rawValue)] : nil
  }

  /// Counts a push to a phone; returns how many have come within this second, this one included.
  mutating func countPush(to phone: PhoneID, second: UInt32) -> Int {
    let index = Int(phone.rawValue)
    if rows[index].lastSecond != second {
      rows[index].lastSecond = second
      rows[index].inSecond = 0
    }
    if rows[index].inSecond < .max { rows[index].inSecond += 1 }
    return Int(rows[index].inSecond)
  }

  /// Notes that a push to a phone was answered 429, with Retry-After.
  mutating func noteAskedToWait(_ phone: PhoneID, second: UInt32) {
    rows[Int(phone.rawValue)].askedToWait = second
  }

  /// Returns whether a push to a phone comes before the time is over for which the sender was asked
  /// to wait; what comes within a second of the answer was under way.
  func isTooSoon(_ phone: PhoneID, second: UInt32, wait: Int64) -> Bool {
    let asked = Int64(rows[Int(phone.rawValue)].askedToWait)
    return asked > 0 && Int64(second) > asked + 1 && Int64(second) < asked + wait
  }

  /// Counts a background push to a phone; returns how many have come within this hour of the
  /// clock, this one included.
  mutating func countBackground(to phone: PhoneID, second: UInt32) -> Int {
    let index = Int(phone.rawValue)
    let hour = UInt16(truncatingIfNeeded: second / 3_600)
    if rows[index].lastHour != hour {
      rows[index].lastHour = hour
      rows[index].inHour = 0
    }
    if rows[index].inHour < .max { rows[index].inHour += 1 }
    return Int(rows[index].inHour)
  }

  /// Counts an accepted push; returns its number among those of the phone, from 1.
  mutating func countAccepted(_ phone: PhoneID) -> UInt32 {
    rows[Int(phone.rawValue)].accepted &+= 1
    return rows[Int(phone.rawValue)].accepted
  }

  mutating func noteAnsweredGone(_ phone: PhoneID) {
    rows[Int(phone.rawValue)].wasAnsweredGone = true
  }

  /// The app was deleted: its token is dead from that second of 1970 on, which may be ahead.
  package mutating func unregister(_ phone: PhoneID, at second: UInt32) {
    guard let row = row(of: phone), !row.isGone || row.goneSince > second else { return }
    rows[Int(phone.rawValue)].isGone = true
    rows[Int(phone.rawValue)].wasAnsweredGone = false
    rows[Int(phone.rawValue)].goneSince = second
  }

  /// The app was installed anew: it has another token, and the one before is dead.
  ///
  /// - Returns: the new installation; nil: there is no such phone.
  package mutating func reinstall(_ phone: PhoneID, at second: UInt32) -> DeviceTokens.Owner? {
    let index = Int(phone.rawValue)
    guard index < rows.count, rows[index].installation < .max else { return nil }
    if !rows[index].isGone || rows[index].goneSince > second { rows[index].goneSince = second }
    rows[index].isGone = false
    rows[index].wasAnsweredGone = false
    rows[index].installation += 1
    return DeviceTokens.Owner(phone, installation: UInt32(rows[index].installation))
  }

  /// Returns the present installation of a phone.
  package func owner(_ phone: PhoneID) -> DeviceTokens.Owner? {
    row(of: phone).map { .init(phone, installation: UInt32($0.installation)) }
  }
}
