internal import CFlotillaProto
internal import Core

@testable internal import Wire

/// Invariants for any bytes that are read as an upload.
///
/// The first byte selects the rest: an `UploadRequest` (its check is corrected, since nothing else
/// gets past it), a plain `BatchPayload`, a compressed one, packed columns, or rows plain, in gzip
/// and in zstd.
struct UploadCheck {
  /// One for all inputs, as a collector's loop has one for all its clients.
  private let decoder = BatchDecoder()
  private let other = BatchDecoder()
  private let encoder = BatchEncoder()
  private let rowEncoder = BatchEncoder(.rows(.gzip))
  /// Has a dictionary, which a frame may name or not.
  private let learned = BatchDecoder(dictionary: Self.dictionary)
  private let arena = Arena(capacity: 1 << 20)

  func callAsFunction(_ bytes: [UInt8]) {
    guard bytes.count >= 4 else { return }
    let rest = Array(bytes[3...])
    let number = Int(bytes[1]) << 8 | Int(bytes[2])
    do throws(WireError) {
      switch bytes[0] % 8 {
      case 0: try upload(rest)
      case 1: try upload(rest + rightCheck(of: rest))
      case 2: try payload(rest, .identity, fixes: number, size: rest.count)
      case 4: try payload(rest, .packed, fixes: number, size: 0)
      case 5: try payload(rest, .rows, fixes: number, size: rest.count)
      case 6: try payload(rest, .rowsGzip, fixes: number, size: trailingSize(of: rest))
      case 7: try payload(rest, .rowsZstd, fixes: number, size: statedSize(of: rest))
      default: try payload(rest, .zstd, fixes: number, size: statedSize(of: rest))
      }
    } catch {
      precondition(!error.description.isEmpty, "a refusal says why")
      precondition(error.status != .ok, "a refusal is no OK")
    }
  }

  private func upload(_ bytes: [UInt8]) throws(WireError) {
    let fault: WireError? = bytes.withUnsafeBytes { bytes in
      do throws(WireError) {
        try read(try decoder.envelope(bytes))
        return nil
      } catch { return error }
    }
    if let fault { throw fault }
  }

  private func payload(
    _ bytes: [UInt8], _ encoding: Encoding, fixes: Int, size: Int
  ) throws(WireError) {
    // The size limit of step one.
    let limits = BatchLimits()
    guard (1...limits.fixesMax).contains(fixes), size <= limits.uncompressedBytesMax else { return }
    let fault: WireError? = bytes.withUnsafeBytes { bytes in
      do throws(WireError) {
        try read(
          UploadEnvelope(
            id: BatchID(phone: PhoneID(rawValue: 1), epoch: 0, sequence: 1), fixCount: fixes,
            encoding: encoding, uncompressedSize: size, payload: bytes))
        return nil
      } catch { return error }
    }
    if let fault { throw fault }
  }

  /// A fix that was read can be sent, and reads back the same.
  private func read(_ envelope: UploadEnvelope) throws(WireError) {
    let fixes = Array(try decoded(envelope))
    precondition(fixes.count == envelope.fixCount, "as many fixes as the envelope declares")
    if envelope.encoding.isOfRows { readAgainAsRows(fixes) }
    let again: [UInt8]
    do throws(WireError) {
      again = try encoder.encode(envelope.id, fixes, settingsVersion: envelope.settingsVersion)
    } catch {
      preconditionFailure("what was read cannot be sent: \(error)")
    }
    again.withUnsafeBytes { bytes in
      do throws(WireError) {
        let second = try other.envelope(bytes)
        precondition(second.id == envelope.id && second.check == encoder.check, "its name stays")
        let same = try other.fixes(of: second)
        precondition(same.elementsEqual(fixes), "its fixes stay")
      } catch {
        // Values of full width take more bytes than payloads may have.
        switch error.status {
        case .resourceExhausted: break
        default: preconditionFailure("\(error)")
        }
      }
    }
  }

  /// The fixes; a decoder with a dictionary reads the same wherever the other one reads.
  private func decoded(
    _ envelope: UploadEnvelope
  ) throws(WireError) -> UnsafeBufferPointer<Fix> {
    let second = try? learned.fixes(of: envelope)
    do throws(WireError) {
      let first = try decoder.fixes(of: envelope)
      precondition(second?.elementsEqual(first) ?? false, "a dictionary changes nothing else")
      return first
    } catch {
      guard case .unknownDictionary = error, let second else { throw error }
      return second
    }
  }

  /// Fixes read from rows are within the range of rows.
  private func readAgainAsRows(_ fixes: [Fix]) {
    do throws(WireError) {
      let message = try rowEncoder.encode(
        BatchID(phone: PhoneID(rawValue: 1), epoch: 0, sequence: 1), fixes)
      try message.span.bytes.withUnsafeBytes { bytes throws(WireError) in
        let same = try other.fixes(of: try other.envelope(bytes))
        precondition(same.elementsEqual(fixes), "rows say the same again")
      }
    } catch {
      preconditionFailure("what was read of rows cannot be rows: \(error)")
    }
  }

  /// Trained once on similar batches.
  static let dictionary: PayloadDictionary? = {
    var plain = PlainPayloads()
    for number in 0..<Int32(200) {
      var fixes: [Fix] = []
      for i in 0..<Int32(20) {
        let place = Coordinate(
          latitudeE6: 48_137_000 + i * (13 + number % 7),
          longitudeE6: 11_575_000 - i * (number % 5))
        fixes.append(
          Fix(
            coordinate: place, time: FixTime(centiseconds: 179_000_000_000 + Int64(i) * 100),
            accuracyMeters: UInt16(5 + number % 11), speedDecimetersPerSecond: 14,
            courseDegrees: Int16(number)))
      }
      let id = BatchID(phone: PhoneID(rawValue: UInt32(number)), epoch: 1, sequence: 1)
      try? plain.add(id, fixes)
    }
    return try? PayloadDictionary.train(
      plain.bytes, sizes: plain.sizes, byteCount: 1_024, level: BatchCodec.dictionaryLevel)
  }()

  /// The size that a gzip stream states in its last four bytes.
  private func trailingSize(of bytes: [UInt8]) -> Int {
    bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The last of repeated fields counts, so one more at the end corrects the check.
  private func rightCheck(of bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { bytes in
      let request = try? arena.unpack(
        bytes, "UploadRequest", flotilla__v1__upload_request__unpack)
      guard let request else { return [] }
      let check = BatchCheck.of(request.pointee)
      return [9 << 3 | 5] + withUnsafeBytes(of: check.littleEndian, Array.init)
    }
  }

  /// A zstd frame's content size if it is stated; errors in it are the decoder's.
  private func statedSize(of bytes: [UInt8]) -> Int {
    guard bytes.count >= 6 else { return 0 }
    let descriptor = bytes[4]
    let isSingle = descriptor & 0x20 != 0
    let dictionary = [0, 1, 2, 4][Int(descriptor & 3)]
    let width = [isSingle ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
    let start = 5 + (isSingle ? 0 : 1) + dictionary
    guard width > 0, start + width <= bytes.count else { return 0 }
    let value = bytes[start..<start + width].reversed().reduce(0) { $0 &<< 8 | Int($1) }
    return width == 2 ? value + 256 : max(0, value)
  }
}

extension Encoding {
  fileprivate var isOfRows: Bool {
    switch self {
    case .rows, .rowsGzip, .rowsZstd: true
    case .identity, .zstd, .packed: false
    }
  }
}
