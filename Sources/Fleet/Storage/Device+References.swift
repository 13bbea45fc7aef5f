internal import Phone

extension Device {
  /// The references, by the index of a word in the record. References cover the instants at which a
  /// window or segment begins or ends, and the last fix that the app kept.
  static var references: [Int: RecordPacker<Device>.References] {
    var references: [Int: RecordPacker<Device>.References] = [:]
    func word(_ member: PartialKeyPath<Device>) -> Int {
      (MemoryLayout<Device>.offset(of: member) ?? 0) / 8
    }
    let windows: [(DueSlot, PartialKeyPath<Device>)] = [
      (.segment, \.segment), (.offlineEdge, \.offline), (.powerEdge, \.switchedOff),
      (.airplaneEdge, \.airplane), (.session, \.session),
    ]
    for (slot, window) in windows {
      references[word(\.due) + slot.rawValue] = .init(
        first: word(window), second: word(window) + 1)
    }
    let (known, accepted) = (word(\.lastKnown), word(\.tracker) + 1)
    for n in 0..<3 { references[accepted + n] = .init(first: known + n, second: known + n) }
    // The newest data at the collector is usually from the last upload.
    let sent = word(\.upload) + (MemoryLayout<UploadState>.offset(of: \.newestPlace) ?? 0) / 8
    references[word(\.stored) + 1] = .init(first: sent, second: accepted)
    return references
  }
}
