extension PushEnding {
  /// Orders endings by the time of the request, then by phone.
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
    // The standard sort finds sorted runs and merges them, with a buffer of half their length.
    all.sort(by: precedes)
    return all
  }
}
