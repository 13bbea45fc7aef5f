package import Telemetry

/// What the endpoint knows of each phone: which installation's token is good, and what was pushed
/// of late. 20 bytes a phone.
package struct DeviceTable: Sendable {
  /// What it knows of one phone.
  private struct Row: BitwiseCopyable {
    /// Seconds since 1970 at which the token before the present one, or the present one, died.
    var goneSince: UInt32 = 0
    /// The second of the last push, and how many came within it.
    var lastSecond: UInt32 = 0
    /// Counts the pushes that were accepted.
    var accepted: UInt32 = 0
    var inSecond: UInt16 = 0
    var installation: UInt16 = 0
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
  package func standing(_ owner: DeviceTokens.Owner) -> Standing {
    guard let row = row(of: owner.phone) else { return .unknown }
    if owner.installation > row.installation { return .unknown }
    if owner.installation == row.installation, !row.isGone { return .valid }
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

  /// Counts an accepted push; returns its number among those of the phone, from 1.
  mutating func countAccepted(_ phone: PhoneID) -> UInt32 {
    rows[Int(phone.rawValue)].accepted &+= 1
    return rows[Int(phone.rawValue)].accepted
  }

  mutating func noteAnsweredGone(_ phone: PhoneID) {
    rows[Int(phone.rawValue)].wasAnsweredGone = true
  }

  /// The app was deleted: its token is dead from that second of 1970 on.
  package mutating func unregister(_ phone: PhoneID, at second: UInt32) {
    guard Int(phone.rawValue) < rows.count, !rows[Int(phone.rawValue)].isGone else { return }
    rows[Int(phone.rawValue)].isGone = true
    rows[Int(phone.rawValue)].goneSince = second
  }

  /// The app was installed anew: it has another token, and the one before is dead.
  ///
  /// - Returns: the new installation; nil: there is no such phone.
  package mutating func reinstall(_ phone: PhoneID, at second: UInt32) -> DeviceTokens.Owner? {
    let index = Int(phone.rawValue)
    guard index < rows.count, rows[index].installation < .max else { return nil }
    if !rows[index].isGone { rows[index].goneSince = second }
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
