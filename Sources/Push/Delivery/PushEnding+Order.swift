internal import Core

extension PushEnding {
  /// The order of (requested at, phone).
  package static func precedes(_ a: PushEnding, _ b: PushEnding) -> Bool {
    (a.requestedAt, a.phone) < (b.requestedAt, b.phone)
  }

  /// Merges sorted lists.
  package static func merged(_ parts: [[PushEnding]]) -> [PushEnding] {
    sorted(Array(parts.joined()))
  }

  /// Sorts concatenated sorted lists.
  package static func sorted(_ lists: consuming [PushEnding]) -> [PushEnding] {
    var all = lists
    // A sort that finds sorted runs merges them, in place except for half of their length.
    all.sort(by: precedes)
    return all
  }
}
