/// The phones of one part of a fleet that wait for the pushes of a sweep. If each part has a
/// separate backend, the parts agree at each sweep that may reach the common rate.
package struct SweepBids: Codable, Equatable, Sendable {
  package let sweep: Int64
  package let allowed: Int
  /// The phones as keys (due sweep, phone), ascending; at most `allowed`, without controls.
  package let keys: [UInt64]

  /// Returns what a single server with all phones would choose, from all parts' bids in any order.
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
