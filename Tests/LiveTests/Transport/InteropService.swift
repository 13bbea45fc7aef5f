import Core
import Wire

@testable import Transport

/// gRPC's `TestService`, as in interop-test-descriptions.md.
final class InteropService: GRPCService {
  private let loop: EventLoop
  private var timers: [LoopTimer] = []

  init(on loop: EventLoop) { self.loop = loop }

  func serves(_ path: String) -> Bool {
    [
      "EmptyCall", "UnaryCall", "StreamingInputCall", "StreamingOutputCall", "FullDuplexCall",
    ].contains { path == "/grpc.testing.TestService/\($0)" }
  }

  func begin(_ call: GRPCServiceCall) {
    call.headers = call.metadata.filter { $0.name == "x-grpc-test-echo-initial" }
    if call.path.hasSuffix("/StreamingInputCall") { return sum(call) }
    let isStream = !call.path.hasSuffix("/EmptyCall") && !call.path.hasSuffix("/UnaryCall")
    // Answers of a stream follow each other; the end follows the last.
    var waiting = 0
    var isOver = false
    let finish = { [unowned self, weak call] in
      guard isOver, waiting == 0, let call else { return }
      call.finish(CallStatus(.ok), trailers: trailers(of: call))
    }
    call.onMessage = { [unowned self, unowned call] request in
      guard isRight(request, call) else { return }
      guard isStream else { return answer(request, call) }
      var delay = WallDuration.zero
      for parameters in ProtobufFields.bytes(of: 2, in: request) {
        delay = delay + .microseconds(Int64(Self.number(2, in: parameters)))
        waiting += 1
        // The client may have ended the call meanwhile.
        after(delay) { [weak call] in
          call?.send(
            Self.payload(of: Self.number(1, in: parameters)),
            compress: Self.flag(3, in: parameters) ?? false)
          waiting -= 1
          finish()
        }
      }
    }
    call.onHalfClose = {
      isOver = true
      finish()
    }
  }

  private func sum(_ call: GRPCServiceCall) {
    var sum = 0
    call.onMessage = { [unowned self, unowned call] request in
      guard isRight(request, call, expecting: 2) else { return }
      sum += ProtobufFields.bytes(of: 1, in: request).first.map(Self.bodyBytes) ?? 0
    }
    call.onHalfClose = { [unowned call] in
      var writer = ProtobufWriter()
      writer.add(1, sum)
      call.send(writer.message)
      call.finish(CallStatus(.ok))
    }
  }

  private func answer(_ request: [UInt8], _ call: GRPCServiceCall) {
    let size = Self.number(2, in: request)
    call.send(
      call.path.hasSuffix("/EmptyCall") ? [] : Self.payload(of: size),
      compress: Self.flag(6, in: request) ?? false)
  }

  /// False if the request asks for a failure, or should be compressed and is not.
  private func isRight(
    _ request: [UInt8], _ call: GRPCServiceCall, expecting field: Int = 8
  ) -> Bool {
    if let isExpected = Self.flag(field, in: request), isExpected != call.wasCompressed {
      call.finish(CallStatus(.invalidArgument, "compressed: \(call.wasCompressed)"))
      return false
    }
    guard let status = ProtobufFields.bytes(of: 7, in: request).first else { return true }
    let code = StatusCode(rawValue: UInt8(Self.number(1, in: status))) ?? .unknown
    call.finish(CallStatus(code, ProtobufFields.text(of: 2, in: status)))
    return false
  }

  private func trailers(of call: GRPCServiceCall) -> [(name: String, value: [UInt8])] {
    call.metadata.filter { $0.name == "x-grpc-test-echo-trailing-bin" }
  }

  private func after(_ delay: WallDuration, _ work: @escaping () -> Void) {
    guard delay > .zero else { return work() }
    let timer = LoopTimer(on: loop, work)
    timers.append(timer)
    timer.arm(at: loop.now + delay)
  }

  private static func number(_ field: Int, in message: [UInt8]) -> Int {
    ProtobufFields.numbers(of: field, in: message).first.map { Int($0) } ?? 0
  }

  /// A `BoolValue`; nil if there is none.
  private static func flag(_ field: Int, in message: [UInt8]) -> Bool? {
    ProtobufFields.bytes(of: field, in: message).first.map { number(1, in: $0) != 0 }
  }

  private static func bodyBytes(_ payload: [UInt8]) -> Int {
    ProtobufFields.bytes(of: 2, in: payload).first?.count ?? 0
  }

  private static func payload(of size: Int) -> [UInt8] {
    var payload = ProtobufWriter()
    payload.add(2, [UInt8](repeating: 0, count: size))
    var answer = ProtobufWriter()
    answer.add(1, payload.message)
    return answer.message
  }
}
