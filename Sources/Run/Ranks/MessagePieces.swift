/// Cuts messages into pieces, each of which arrives at once or not at all. A receiver would wait
/// forever for the rest of a long MPI message from a lost host. Open MPI 4.1 sends 4,096 bytes at
/// once in shared memory and 65,536 over TCP (`ompi_info --all`), header included.
struct MessagePieces: Sendable {
  /// The maximum length of a piece, in bytes.
  static let longest = 4_000
  private static let more: UInt8 = 0
  private static let last: UInt8 = 1

  private var begun: [Int: [UInt8]] = [:]

  /// Cuts a message. The first byte of each piece says whether the piece is the last.
  static func cut(_ bytes: [UInt8]) -> [[UInt8]] {
    let content = longest - 1
    guard bytes.count > content else { return [[last] + bytes] }
    return stride(from: 0, to: bytes.count, by: content).map { from in
      let end = min(from + content, bytes.count)
      return [end == bytes.count ? last : more] + bytes[from..<end]
    }
  }

  /// Adds a piece; returns the complete message, or nil if more pieces follow.
  mutating func join(_ piece: [UInt8], from rank: Int) -> [UInt8]? {
    begun[rank, default: []] += piece.dropFirst()
    return piece.first == Self.last ? begun.removeValue(forKey: rank) : nil
  }
}
