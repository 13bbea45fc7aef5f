internal import SimulationCore

extension PushEnding {
  /// The order of (requested at, phone), in which endings are kept.
  package static func precedes(_ a: PushEnding, _ b: PushEnding) -> Bool {
    (a.requestedAt, a.phone) < (b.requestedAt, b.phone)
  }

  /// Returns the endings of several lists as one; each list is in order already.
  package static func merged(_ parts: [[PushEnding]]) -> [PushEnding] {
    sorted(Array(parts.joined()))
  }

  /// Returns sorted lists that stand one after the other as one.
  package static func sorted(_ lists: consuming [PushEnding]) -> [PushEnding] {
    var all = lists
    // A sort that finds sorted runs merges them, in place but for half of their length.
    all.sort(by: precedes)
    return all
  }
}
