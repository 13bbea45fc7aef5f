/// What each phone may still spend on trying again, so that a failing server is not offered
/// its load several times over: gRPC's retry throttling (gRFC A6), one byte a phone.
///
/// A failed attempt takes one token, an upload that is acknowledged gives a tenth of one; a phone
/// with no more than half of its tokens sends each upload once. So in the long run retries add at
/// most a tenth to the load, however long the failure lasts, and a phone that is well can try one
/// upload to the end.
struct RetryBudget {
  /// Tenths of a token: gRFC A6's example has maxTokens 10 and tokenRatio 0.1.
  private static let most: UInt8 = 100
  private static let failure: UInt8 = 10
  private static let success: UInt8 = 1

  private var tenths: [UInt8] = []

  mutating func succeeded(_ phone: UInt32) {
    guard phone < tenths.count else { return }
    tenths[Int(phone)] = min(Self.most, tenths[Int(phone)] + Self.success)
  }

  /// Takes a token; whether the phone may try again.
  mutating func failed(_ phone: UInt32) -> Bool {
    let place = Int(phone)
    if place >= tenths.count {
      tenths.append(contentsOf: repeatElement(Self.most, count: place + 1 - tenths.count))
    }
    tenths[place] -= min(Self.failure, tenths[place])
    return tenths[place] > Self.most / 2
  }
}
