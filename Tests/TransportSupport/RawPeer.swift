import Core
import Foundation
import Testing
import Wire

@testable import Transport

/// A peer in a world that sends arbitrary bytes, and reads at any time.
final class RawPeer: ByteStreamReceiver {
  private let world: World
  private let stream: any ByteStream
  private var unsent: [UInt8] = []
  private var isWriting = false
  private var received: [UInt8] = []
  private(set) var isEnded = false

  /// - Parameter reads: the server's bytes are read as they come; else not before `untilEnd`.
  init(in world: World, to port: UInt16, reads: Bool = true) throws {
    self.world = world
    let address = try Address(Endpoint(host: "127.0.0.1", port: port))
    stream = try world.loop.connect(to: address, noDelay: true)
    stream.receiver = self
    if reads { stream.startReading() }
  }

  func send(_ bytes: [UInt8]) {
    unsent += bytes
    sendRest()
    world.settle()
  }

  private func sendRest() {
    guard !isWriting, !unsent.isEmpty, !isEnded else { return }
    let count = unsent.count
    // Writing to a closed server costs only the bytes.
    if case .taken(let now) = unsent.withUnsafeBytes({ stream.write($0) }) {
      isWriting = now < count
    }
    unsent = []
  }

  func streamDrained() {
    isWriting = false
    sendRest()
  }

  func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) { received += bytes }
  func streamEnded(_ end: LinkError) { close() }

  func close() {
    isEnded = true
    stream.close(reset: false)
  }

  func send(_ encode: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer()
    encode(&buffer)
    send(buffer.copyBytes())
  }

  /// A call whose message is `sent` of `declared` bytes long.
  func call(
    _ stream: UInt32, _ method: CollectorMethod = .health, declared: Int = 0, sent: Int? = nil
  ) {
    send { Frames.call(stream, method, declared: declared, sent: sent, into: &$0) }
  }

  var bytes: [UInt8] { received }
  /// All frames so far.
  var answers: [Frames.Answer] { Frames.answers(in: received) }

  /// All frames until the server closes.
  func untilEnd() -> [Frames.Answer] {
    stream.startReading()
    let ended = world.run { isEnded }
    #expect(ended, "the server never closed the connection")
    return answers
  }
}
