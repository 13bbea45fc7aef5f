internal import CUV
internal import Core

/// A connected, ordered, bidirectional stream of bytes, for the loop's thread. Dynamic dispatch is
/// cheap enough, since it happens once per read or write, not per frame.
protocol ByteStream: AnyObject {
  /// The receiver of the stream's events. `close`, which every stream needs, releases the receiver.
  var receiver: (any ByteStreamReceiver)? { get set }

  /// Sends or keeps all of `bytes`. After kept bytes, the next write must follow `streamDrained`.
  func write(_ bytes: UnsafeRawBufferPointer) -> StreamWrite

  func startReading()

  /// Stops reading until `startReading`, so that the sender waits.
  func pauseReading()

  /// The instant since which reads have not emptied the input, or nil if all input has been read.
  var backlogSince: WallInstant? { get }

  var isSecured: Bool { get }

  /// The protocol that TLS negotiated, once the stream is open. nil without a negotiated protocol.
  var applicationProtocol: ApplicationProtocol? { get }

  /// The bytes that TLS added: the bytes on the network minus the bytes of the receiver.
  var bytesOfSecurity: (read: Int, written: Int) { get }

  /// Closes both directions without events. `reset` sends RST, so no port stays in TIME_WAIT.
  func close(reset: Bool)
}

extension ByteStream {
  var isSecured: Bool { false }
  var applicationProtocol: ApplicationProtocol? { nil }
  var bytesOfSecurity: (read: Int, written: Int) { (0, 0) }
}

enum StreamWrite: Equatable {
  /// The stream sent `now` bytes at once and keeps the rest until `streamDrained`.
  case taken(now: Int)
  /// The stream is broken and must be closed.
  case failed(reason: String)
}

protocol ByteStreamReceiver: AnyObject {
  /// Delivers bytes, which are mutable in place and valid until the function returns.
  func streamReceived(_ bytes: UnsafeMutableRawBufferPointer)
  /// Reports that all kept bytes have been sent.
  func streamDrained()
  /// Reports the end of input. The receiver may write once more and must then close the stream.
  func streamEnded(_ end: LinkError)
}

struct ConnectError: Error {
  let code: Int32
  var reason: String { String(cString: uv_strerror(code)) }
  /// Whether this machine ran out of descriptors.
  var isDescriptorLimit: Bool { code == UV_EMFILE.rawValue || code == UV_ENFILE.rawValue }
  /// Whether this machine ran out of ports to the destination.
  var isPortLimit: Bool { code == UV_EADDRNOTAVAIL.rawValue }
}

protocol StreamListener: AnyObject {
  var port: UInt16 { get }
  func close()
}
