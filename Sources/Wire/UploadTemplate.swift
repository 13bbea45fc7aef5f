internal import CFlotillaProto
internal import CProtobufC
package import Core

/// A batch encoded once and sent under many ids, so that encoding does not limit the load.
package struct UploadTemplate: Sendable {
  private let payload: [UInt8]
  private let tail: BatchCheck.Tail
  private let fixCount: UInt32
  private let encoding: UInt32
  private let uncompressedSize: UInt32

  package init(_ fixes: [Fix]) throws(WireError) {
    let id = BatchID(phone: PhoneID(rawValue: 1), epoch: 1, sequence: 1)
    let message = try BatchEncoder().encode(id, fixes)
    let decoder = BatchDecoder()
    let envelope = try message.span.bytes.withUnsafeBytes { bytes throws(WireError) in
      try decoder.envelope(bytes)
    }
    // The payload points into the decoder, which must outlive the copy.
    (payload, tail) = withExtendedLifetime(decoder) {
      (Array(envelope.payload), BatchCheck.Tail(envelope.payload))
    }
    fixCount = UInt32(envelope.fixCount)
    encoding = UInt32(envelope.encoding.rawValue)
    uncompressedSize = UInt32(envelope.uncompressedSize)
  }

  /// Returns an `UploadRequest` and the check that its ack repeats.
  package func message(_ id: BatchID) -> (bytes: [UInt8], check: UInt32) {
    payload.withUnsafeBufferPointer { payload in
      var request = Flotilla__V1__UploadRequest()
      flotilla__v1__upload_request__init(&request)
      request.phone = id.phone.rawValue
      request.epoch = id.epoch
      request.sequence = id.sequence
      request.fix_count = fixCount
      request.encoding = Flotilla__V1__Encoding(rawValue: encoding)
      request.uncompressed_size = uncompressedSize
      request.payload.len = payload.count
      // protobuf-c only reads what it packs.
      request.payload.data = UnsafeMutablePointer(mutating: payload.baseAddress)
      request.check = tail.check(request)
      let size = flotilla__v1__upload_request__get_packed_size(&request)
      let bytes = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
        count = flotilla__v1__upload_request__pack(&request, bytes.baseAddress)
      }
      return (bytes, request.check)
    }
  }
}
