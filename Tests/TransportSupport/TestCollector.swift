import Core
import Foundation
import Synchronization
import Testing
import Wire

@testable import Transport

/// A collector whose answers a test decides, in a world or on sockets. `@unchecked Sendable`: its
/// state is used on its loop's thread, or set before the first call.
final class TestCollector: RPCHandler, @unchecked Sendable {
  let loop: EventLoop
  private(set) var server: RPCServer!
  private(set) var port: UInt16 = 0
  let codec = MessageCodec(capacity: 1 << 20)
  let received = Mutex<[CollectorMethod]>([])
  /// Called for every request; the default acknowledges at once.
  var onCall: ((TestCollector, ServerCall, CollectorMethod, [UInt8]) -> Void)?
  var onCancel: (() -> Void)?
  var held: [ServerCall] = []
  /// What the ack of each upload must repeat; a test may replace it.
  var checks: [ServerCall: UInt32] = [:]
  /// Delayed answers.
  private var timers: [LoopTimer] = []
  private let decoder = BatchDecoder()

  /// In a world, which keeps it.
  convenience init(
    in world: World, port: UInt16 = 0, limits: ServerLimits = .init(), token: String? = nil,
    tls: TLSServer? = nil
  ) throws {
    try self.init(on: world.loop, port: port, limits: limits, token: token, tls: tls)
    world.keep(self)
  }

  /// On a socket, with its own running loop.
  convenience init(
    socket port: UInt16, limits: ServerLimits = .init(), tls: TLSServer? = nil
  ) throws {
    try self.init(
      on: EventLoop(name: "test collector"), port: port, limits: limits, token: nil, tls: tls)
    loop.start()
  }

  private init(
    on loop: EventLoop, port: UInt16, limits: ServerLimits, token: String?, tls: TLSServer?
  ) throws {
    self.loop = loop
    server = RPCServer(
      loop: loop, limits: limits, tls: tls, token: token.flatMap(BearerToken.init), handler: self)
    self.port = try server.listen(host: "127.0.0.1", port: port)
  }

  /// Does `work` later, on the loop.
  func after(_ wait: WallDuration, _ work: @escaping () -> Void) {
    let timer = LoopTimer(on: loop, work)
    timer.arm(at: loop.now + wait)
    timers.append(timer)
  }

  var endpoint: Endpoint { Endpoint(host: "127.0.0.1", port: port) }

  func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
    let method = call.method
    received.withLock { $0.append(method) }
    if method == .upload { checks[call] = try? decoder.envelope(message).check }
    if let onCall {
      onCall(self, call, method, Array(message))
    } else {
      acknowledge(call, method)
    }
  }

  func acknowledge(_ call: ServerCall, _ method: CollectorMethod) {
    switch method {
    case .upload:
      call.reply(
        Self.encode(
          UploadReply(sequence: 1, duplicate: false, fixes: 3, check: checks[call] ?? 0), codec))
    case .register:
      call.reply(Self.encode(RegisterReply(settings: TrackerSettings(version: 4)), codec))
    case .health, .openRun, .pushes, .pushResult, .snapshot, .restore, .holdings, .ask:
      call.reply(Self.encode(HealthReply(serving: true, detail: "fine"), codec))
    }
  }

  static func encode(_ message: some WireMessage, _ codec: MessageCodec) -> [UInt8] {
    (try? codec.encode(message)) ?? []
  }

  func cancelled(_ call: ServerCall) { onCancel?() }

  var counters: ServerCounters { loop.sync { [server] in server!.counters } }

  var handshakes: TLSCounters { loop.sync { [loop] in loop.handshakes } }

  /// The loop of a collector on a socket.
  func stop() { loop.stopAndWait() }
}
