/// The phones of one part of a fleet that wait for the pushes of a sweep.
///
/// The rate is one server's. Where each part of a fleet has a backend of its own, as in a
/// simulation over several processes, the parts agree at each sweep that the rate may bind.
package struct SweepBids: Codable, Equatable, Sendable {
  /// The number of the sweep.
  package let sweep: Int64
  /// How many pushes the rate allows the whole fleet at this sweep.
  package let allowed: Int
  /// Since which sweep each is due, and its phone, ascending; no more than are allowed, and no
  /// controls of the holdout.
  package let keys: [UInt64]

  /// What one server of all the phones would choose.
  ///
  /// - Parameter parts: the bids of every part of the fleet for one sweep, in any order.
  package static func cut(_ parts: [SweepBids]) -> SweepCut {
    let allowed = parts.first?.allowed ?? 0
    guard allowed > 0 else { return .nobody }
    let keys = parts.flatMap(\.keys)
    guard keys.count >= allowed else { return .everybody }
    return .through(keys.sorted()[allowed - 1])
  }
}

/// Up to which of the phones that wait for the rate a sweep comes.
package enum SweepCut: Codable, Equatable, Sendable {
  case nobody
  case everybody
  /// The last push that the rate allows.
  case through(UInt64)

  var last: UInt64 {
    switch self {
    case .nobody: 0
    case .everybody: .max
    case .through(let key): key
    }
  }
}
