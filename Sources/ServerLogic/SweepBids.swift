/// The phones in one part of a fleet that wait for a push at a sweep. If each part has its own
/// backend, the backends agree at each sweep that may reach the common rate.
package struct SweepBids: Codable, Equatable, Sendable {
  package let sweep: Int64
  package let allowed: Int
  /// At most `allowed` keys of due sweep and phone, ascending and without controls.
  package let keys: [UInt64]

  /// Returns the choice of a single server with all phones, from all parts' bids in any order.
  package static func cut(_ parts: [SweepBids]) -> SweepCut {
    let allowed = parts.first?.allowed ?? 0
    guard allowed > 0 else { return .nobody }
    let keys = parts.flatMap(\.keys)
    guard keys.count >= allowed else { return .everybody }
    return .through(keys.sorted()[allowed - 1])
  }
}

package enum SweepCut: Codable, Equatable, Sendable {
  case nobody
  case everybody
  case through(UInt64)

  var last: UInt64 {
    switch self {
    case .nobody: 0
    case .everybody: .max
    case .through(let key): key
    }
  }
}
