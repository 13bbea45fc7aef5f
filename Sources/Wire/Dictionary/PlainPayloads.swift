package import Telemetry

/// Payloads as a dictionary is trained on them: plain columns, one behind the other.
package struct PlainPayloads {
  /// Holds the payloads one behind the other, without anything between them.
  package private(set) var bytes: [UInt8] = []
  /// Bytes of each.
  package private(set) var sizes: [Int] = []
  private let encoder = BatchEncoder(.columns(level: 0))
  private let decoder = BatchDecoder()

  /// Makes a collection without payloads.
  package init() {}

  /// Encodes a batch as plain columns and appends its payload; throws where the batch is empty or
  /// exceeds `BatchLimits`.
  package mutating func add(_ id: BatchID, _ fixes: [Fix]) throws(WireError) {
    let message = try encoder.encode(id, fixes)
    let payload = try message.span.bytes.withUnsafeBytes { message throws(WireError) in
      Array(try decoder.envelope(message).payload)
    }
    bytes += payload
    sizes.append(payload.count)
  }
}
