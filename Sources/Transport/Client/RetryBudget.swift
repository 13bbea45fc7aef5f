/// The retry budgets of phones: gRPC's retry throttling (gRFC A6) in one byte per phone. A failed
/// attempt takes one token, and an acknowledged upload returns a tenth of a token. A phone with at
/// most half of its tokens does not retry. In the long run retries add at most a tenth to the load.
struct RetryBudget {
  /// The full budget, in tenths of a token. gRFC A6's example has maxTokens 10 and tokenRatio 0.1.
  private static let most: UInt8 = 100
  private static let failure: UInt8 = 10
  private static let success: UInt8 = 1

  private var tenths: [UInt8] = []

  mutating func succeeded(_ phone: UInt32) {
    guard phone < tenths.count else { return }
    tenths[Int(phone)] = min(Self.most, tenths[Int(phone)] + Self.success)
  }

  mutating func failed(_ phone: UInt32) -> Bool {
    let place = Int(phone)
    if place >= tenths.count {
      tenths.append(contentsOf: repeatElement(Self.most, count: place + 1 - tenths.count))
    }
    tenths[place] -= min(Self.failure, tenths[place])
    return tenths[place] > Self.most / 2
  }
}
