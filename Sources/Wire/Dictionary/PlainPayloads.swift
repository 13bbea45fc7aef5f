package import Core

package struct PlainPayloads {
  package private(set) var bytes: [UInt8] = []
  package private(set) var sizes: [Int] = []
  private let encoder = BatchEncoder(.columns(level: 0))
  private let decoder = BatchDecoder()

  package init() {}

  /// Appends a batch as uncompressed columns; throws if the batch is empty or exceeds the limits.
  package mutating func add(_ id: BatchID, _ fixes: [Fix]) throws(WireError) {
    let message = try encoder.encode(id, fixes)
    let payload = try message.span.bytes.withUnsafeBytes { message throws(WireError) in
      Array(try decoder.envelope(message).payload)
    }
    bytes += payload
    sizes.append(payload.count)
  }
}
