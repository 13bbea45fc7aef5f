@testable internal import Wire

/// Invariants for any bytes of a connection, to a server or to a client.
///
/// The first byte selects which of the two, and the cuts into reads. The result may not depend on
/// the cuts.
struct ConnectionCheck {
  /// Small, so that inputs of a few kilobytes exceed it.
  static let messageBytesMax = 1_024

  /// One for all inputs, as in a loop: traces of an earlier input must not matter.
  private let codec = MessageCodec(capacity: 1 << 20)

  func callAsFunction(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = bytes.dropFirst()
    let isServer = first & 0x80 == 0
    let whole = read(Array(stream), isServer, cut: stream.count)
    let cut = read(Array(stream), isServer, cut: Int(first & 0x7F) + 1)
    precondition(whole == cut, "cuts change what is read: \(whole) \(cut)")
  }

  private func read(_ bytes: [UInt8], _ isServer: Bool, cut: Int) -> Outcome {
    Reader(codec, isServer: isServer).read(bytes, cut: cut)
  }

  /// Result of a reader.
  struct Outcome: Equatable {
    var frames = 0
    var messages = 0
    var refused = 0
    /// FNV-1a over everything that was decoded.
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    var error = ""

    mutating func mix(_ bytes: UnsafeRawBufferPointer) {
      for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
      mix(bytes.count)
    }

    mutating func mix(_ number: Int) {
      digest = (digest ^ UInt64(truncatingIfNeeded: number)) &* 0x100_0000_01b3
    }
  }
}

/// Reads as the connections of `Transport` do, with every decoder of `Wire` that they use.
private final class Reader {
  private let codec: MessageCodec
  private let isServer: Bool
  private var outcome = ConnectionCheck.Outcome()
  private var streams: [UInt32: (method: CollectorMethod, assembly: Assembly)] = [:]

  private final class Assembly {
    var assembler = MessageAssembler(messageBytesMax: ConnectionCheck.messageBytesMax)
  }

  init(_ codec: MessageCodec, isServer: Bool) {
    self.codec = codec
    self.isServer = isServer
  }

  func read(_ bytes: [UInt8], cut: Int) -> ConnectionCheck.Outcome {
    var decoder = FrameDecoder(expectsPreface: isServer)
    bytes.withUnsafeBytes { all in
      var start = 0
      while start < all.count, outcome.error.isEmpty {
        let end = min(all.count, start + max(1, cut))
        decoder.begin(UnsafeRawBufferPointer(rebasing: all[start..<end]))
        do throws(WireError) {
          while let frame = try decoder.next() { try take(frame) }
        } catch {
          outcome.error = error.description
          precondition(!error.description.isEmpty, "a refusal says why")
        }
        decoder.end()
        start = end
      }
    }
    return outcome
  }

  private func take(_ frame: Frame) throws(WireError) {
    outcome.frames += 1
    outcome.mix(Int(frame.type.rawValue) << 8 | Int(frame.flags.rawValue))
    outcome.mix(Int(frame.stream))
    precondition(frame.body.count <= Carrier.frameBodyBytesMax, "a body is within its limit")
    precondition(frame.type.isOfConnection == (frame.stream == 0), "a frame is where it may be")
    switch frame.type {
    case .headers: try open(frame)
    case .data: data(frame)
    case .cancel: streams[frame.stream] = nil
    case .settings:
      let settings = try CarrierSettings(frame.body)
      outcome.mix(settings.windowBytes ^ settings.streamsMax ^ settings.messageBytesMax)
    case .status:
      let status = try CallStatus(frame)
      outcome.mix(Int(status.code.rawValue))
      outcome.mix(Int(status.pushbackMilliseconds ?? 1))
      outcome.mix(status.text.utf8.count)
    case .ping: outcome.mix(Int(frame.body.loadBigEndian(UInt32.self, at: 4)))
    case .goAway, .window: outcome.mix(frame.body)
    }
  }

  private func open(_ frame: Frame) throws(WireError) {
    let headers = try CallHeaders(frame.body)
    outcome.mix(headers.path)
    outcome.mix(Int(headers.timeoutMilliseconds))
    if let value = headers.value(of: "authorization") { outcome.mix(value) }
    guard let method = CollectorMethod(path: headers.path), streams.count < 64 else { return }
    streams[frame.stream] = (method, Assembly())
  }

  private func data(_ frame: Frame) {
    let place = streams[frame.stream] ?? (.upload, Assembly())
    streams[frame.stream] = place
    let assembly = place.assembly
    assembly.assembler.begin(frame.body)
    do throws(WireError) {
      while let message = try assembly.assembler.next() {
        precondition(message.count <= ConnectionCheck.messageBytesMax, "messages have a limit")
        outcome.messages += 1
        outcome.mix(message)
        understand(place.method, message)
      }
      assembly.assembler.end()
    } catch {
      outcome.mix(Int(error.status.rawValue))
      streams[frame.stream] = nil
    }
    precondition(
      assembly.assembler.bytesBuffered
        <= ConnectionCheck.messageBytesMax + Carrier.messagePrefixBytes + Carrier.frameBodyBytesMax,
      "what is held is bounded")
  }

  private func understand(_ method: CollectorMethod, _ bytes: UnsafeRawBufferPointer) {
    switch method {
    case .openRun: decode(OpenRunRequest.self, OpenRunReply.self, bytes)
    case .register: decode(RegisterRequest.self, RegisterReply.self, bytes)
    case .upload: decode(UploadReply.self, UploadReply.self, bytes)
    case .pushes: decode(PushesRequest.self, PushSweep.self, bytes)
    case .pushResult: decode(PushResultRequest.self, PushResultReply.self, bytes)
    case .snapshot: decode(SnapshotRequest.self, SnapshotReply.self, bytes)
    case .restore: decode(RestoreRequest.self, RestoreReply.self, bytes)
    case .holdings: decode(HoldingsRequest.self, HoldingsReply.self, bytes)
    case .health: decode(HealthRequest.self, HealthReply.self, bytes)
    case .ask: decode(AskRequest.self, AskReply.self, bytes)
    }
  }

  private func decode<Request: WireMessage, Reply: WireMessage>(
    _: Request.Type, _: Reply.Type, _ bytes: UnsafeRawBufferPointer
  ) {
    if isServer { roundTrip(Request.self, bytes) } else { roundTrip(Reply.self, bytes) }
  }

  /// A decoded message encodes to bytes that decode to the same.
  private func roundTrip<Message: WireMessage>(
    _: Message.Type, _ bytes: UnsafeRawBufferPointer
  ) {
    do throws(WireError) {
      let message = try codec.decode(Message.self, from: bytes)
      let again = try codec.encode(message)
      let same = try codec.decode(Message.self, from: again)
      // By their bytes: a NaN is not equal to itself, except sometimes in a list.
      let bytes = try codec.encode(same)
      precondition(bytes == again, "\(message) is read back as \(same)")
    } catch {
      outcome.refused += 1
      outcome.mix(Int(error.status.rawValue))
    }
  }
}
