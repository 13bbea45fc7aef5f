import Core
import TestSupport
import Testing

@testable import Wire

@Suite("Frames", .quick)
struct FrameTests {
  struct Seen: Equatable {
    var type: FrameType
    var flags: UInt8
    var stream: UInt32
    var body: [UInt8]
  }

  static func conversation() -> [UInt8] {
    var buffer = ByteBuffer()
    FrameEncoder.preface(into: &buffer)
    FrameEncoder.settings(CarrierSettings(), into: &buffer)
    FrameEncoder.headers(
      stream: 1, path: CollectorMethod.upload.path, timeoutMilliseconds: 900,
      metadata: [("authorization", Array("Bearer x".utf8))], into: &buffer)
    Array(repeating: 7 as UInt8, count: 300).withUnsafeBytes {
      FrameEncoder.message(stream: 1, $0, endOfStream: true, into: &buffer)
    }
    FrameEncoder.ping(42, isAnswer: false, into: &buffer)
    FrameEncoder.status(
      stream: 1, CallStatus(.resourceExhausted, "full", pushbackMilliseconds: 250), into: &buffer)
    FrameEncoder.window(1_000, into: &buffer)
    FrameEncoder.goAway(lastStream: 1, .unavailable, "bye", into: &buffer)
    FrameEncoder.cancel(stream: 3, into: &buffer)
    return buffer.copyBytes()
  }

  /// Feeds `bytes` in the given parts.
  static func decode(_ bytes: [UInt8], cuts: [Int]) throws -> [Seen] {
    var decoder = FrameDecoder(expectsPreface: true)
    var seen: [Seen] = []
    var start = 0
    for end in cuts + [bytes.count] where end > start {
      try bytes[start..<end].withUnsafeBytes { part in
        decoder.begin(part)
        while let frame = try decoder.next() {
          seen.append(
            Seen(
              type: frame.type, flags: frame.flags.rawValue, stream: frame.stream,
              body: Array(frame.body)))
        }
        decoder.end()
      }
      start = end
    }
    return seen
  }

  @Test("any split of the bytes gives the same frames")
  func anySplit() throws {
    let bytes = Self.conversation()
    let whole = try Self.decode(bytes, cuts: [])
    #expect(
      whole.map(\.type) == [
        .settings, .headers, .data, .ping, .status, .window, .goAway, .cancel,
      ])
    for cut in 1..<bytes.count {
      #expect(try Self.decode(bytes, cuts: [cut]) == whole)
    }
    #expect(try Self.decode(bytes, cuts: Array(1..<bytes.count)) == whole)
    var draw = Draw(seed: 4, phone: 0, Purpose(rawValue: 9_000))
    for _ in 0..<200 {
      let cuts = (0..<6).map { _ in Int(draw.uniform() * Double(bytes.count)) }.sorted()
      #expect(try Self.decode(bytes, cuts: cuts) == whole)
    }
  }

  @Test("junk is refused or waited for, never a crash")
  func junk() {
    var draw = Draw(seed: 5, phone: 0, Purpose(rawValue: 9_000))
    for _ in 0..<3_000 {
      var bytes = Array("FLOTLA/1".utf8)
      bytes += (0..<Int(draw.uniform() * 60)).map { _ in UInt8(truncatingIfNeeded: draw.next()) }
      let frames = (try? Self.decode(bytes, cuts: [])) ?? []
      for frame in frames {
        frame.body.withUnsafeBytes { body in
          _ = try? CallHeaders(body)
          _ = try? CarrierSettings(body)
          let raw = Frame(
            type: frame.type, flags: FrameFlags(rawValue: frame.flags), stream: 0, body: body)
          _ = try? CallStatus(raw)
        }
      }
    }
  }

  @Test("a foreign protocol is refused at the first wrong byte")
  func unknownPeer() {
    #expect(throws: WireError.badPreface) { try Self.decode(Array("GET /".utf8), cuts: []) }
    #expect(throws: Never.self) { try Self.decode(Array("FLOT".utf8), cuts: [1]) }
  }

  @Test("a frame's length is checked before memory is allocated for it")
  func hugeFrame() {
    let header: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]
    #expect(throws: WireError.frameTooLarge(bytes: 0xffff_ffff, limit: 65_536)) {
      try Self.decode(Array("FLOTLA/1".utf8) + header, cuts: [])
    }
  }

  @Test(
    "a frame on a wrong stream for its type, and a PING of another length, are refused",
    arguments: [
      (0, 0, 1), (1, 0, 8), (2, 0, 1), (3, 0, 0), (4, 3, 6), (5, 1, 8), (6, 3, 5), (7, 1, 4),
      (5, 0, 7), (5, 0, 9),
    ] as [(UInt8, UInt8, UInt8)])
  func misplaced(type: UInt8, stream: UInt8, length: UInt8) {
    let frame = [0, 0, 0, length, type, 0, 0, 0, 0, stream]
    let body = [UInt8](repeating: 0, count: Int(length))
    #expect(throws: WireError.self) {
      try Self.decode(Array("FLOTLA/1".utf8) + frame + body, cuts: [])
    }
  }

  @Test("headers carry path, timeout and metadata")
  func headers() throws {
    let frame = try Self.decode(Self.conversation(), cuts: [])[1]
    try frame.body.withUnsafeBytes { body in
      let headers = try CallHeaders(body)
      #expect(headers.timeoutMilliseconds == 900)
      #expect(CollectorMethod(path: headers.path) == .upload)
      let token = try #require(headers.value(of: "authorization"))
      #expect(Array(token) == Array("Bearer x".utf8))
      #expect(headers.value(of: "missing") == nil)
    }
  }

  @Test(
    "a message of any length is unchanged by its frames",
    arguments: [0, 1, 65_530, 65_531, 65_532, 65_536, 131_072, 500_000])
  func longMessages(length: Int) throws {
    var buffer = ByteBuffer()
    let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    message.withUnsafeBytes {
      FrameEncoder.message(stream: 9, $0, endOfStream: true, into: &buffer)
    }
    let frames = try Self.decode(Array("FLOTLA/1".utf8) + buffer.copyBytes(), cuts: [])
    #expect(frames.dropLast().allSatisfy { $0.flags == 0 })
    #expect(frames.last?.flags == 1)
    var assembler = MessageAssembler()
    var seen: [[UInt8]] = []
    for frame in frames {
      try frame.body.withUnsafeBytes { body in
        assembler.begin(body)
        while let message = try assembler.next() { seen.append(Array(message)) }
        assembler.end()
      }
    }
    #expect(seen == [message])
  }

  @Test("a status is sent with its pushback and its text")
  func status() throws {
    let frame = try Self.decode(Self.conversation(), cuts: [])[4]
    let status = try frame.body.withUnsafeBytes { body in
      try CallStatus(
        Frame(type: .status, flags: FrameFlags(rawValue: frame.flags), stream: 1, body: body))
    }
    #expect(status == CallStatus(.resourceExhausted, "full", pushbackMilliseconds: 250))
  }

  @Test("a status may end after its pushback, but not within it")
  func statusWithoutText() throws {
    let body: [UInt8] = [UInt8(StatusCode.unavailable.rawValue), 0, 0, 0, 250]
    func status(_ count: Int) throws -> CallStatus {
      try body.prefix(count).withUnsafeBytes {
        try CallStatus(Frame(type: .status, flags: .pushback, stream: 1, body: $0))
      }
    }
    #expect(try status(5) == CallStatus(.unavailable, pushbackMilliseconds: 250))
    for count in 0..<5 { #expect(throws: WireError.self) { try status(count) } }
  }
}
