internal import CUV
internal import Core

/// A connected, ordered, bidirectional stream of bytes, for the loop's thread. Called per read and
/// write, not per frame, so dynamic calls are cheap enough.
protocol ByteStream: AnyObject {
  /// Receives the stream's events. Released by `close`, which must be called for every stream.
  var receiver: (any ByteStreamReceiver)? { get set }

  /// Accepts all of `bytes`. Not to be called before `streamDrained` while bytes are kept.
  func write(_ bytes: UnsafeRawBufferPointer) -> StreamWrite

  func startReading()

  /// Stops reading until `startReading`, so that the sender waits.
  func pauseReading()

  /// The time since which reads have never emptied the input; nil if everything is read.
  var backlogSince: WallInstant? { get }

  var isSecured: Bool { get }

  /// The negotiated protocol, once the stream is open; nil if none.
  var applicationProtocol: ApplicationProtocol? { get }

  /// Network bytes in excess of the receiver's.
  var bytesOfSecurity: (read: Int, written: Int) { get }

  /// Closes both directions, without events; `reset` sends RST, so that no port stays in TIME_WAIT.
  func close(reset: Bool)
}

extension ByteStream {
  var isSecured: Bool { false }
  var applicationProtocol: ApplicationProtocol? { nil }
  var bytesOfSecurity: (read: Int, written: Int) { (0, 0) }
}

enum StreamWrite: Equatable {
  /// The bytes sent at once; `streamDrained` reports the rest.
  case taken(now: Int)
  /// The stream is broken and to be closed.
  case failed(reason: String)
}

protocol ByteStreamReceiver: AnyObject {
  /// Delivers bytes, mutable in place and valid until this returns.
  func streamReceived(_ bytes: UnsafeMutableRawBufferPointer)
  /// Reports that all kept bytes have been sent.
  func streamDrained()
  /// Reports the end of input: the receiver closes the stream, at the latest after its last write.
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
