internal import CUV
internal import SimulationCore

/// A connected stream of bytes, in order, both ways; for the loop's thread only.
///
/// Kinds: `TCPStream`, `TLSStream` over another, `MemoryStream` (tests). A further kind is a type
/// of its own and a line in `Network`. It is called once a read and once a write and never once a
/// frame, so that dynamic calls are cheap enough.
protocol ByteStream: AnyObject {
  /// Hears what happens on the stream. Let go of by `close`, which every stream needs.
  var receiver: (any ByteStreamReceiver)? { get set }

  /// Takes all of `bytes`: what cannot go at once is kept and goes when it can.
  ///
  /// Not to be called again while bytes are kept, which `streamDrained` ends.
  func write(_ bytes: UnsafeRawBufferPointer) -> StreamWrite

  func startReading()

  /// Leaves what comes where it is until `startReading`, so that its sender has to wait.
  func pauseReading()

  /// Since when there has always been more to read than was read; nil: all has been read.
  var backlogSince: WallInstant? { get }

  /// Whether what goes over the network is encrypted.
  var isSecured: Bool { get }

  /// What the two sides agreed to speak, once the stream is open; nil: they did not say.
  var applicationProtocol: ApplicationProtocol? { get }

  /// Bytes that went over the network beside those that the receiver read and wrote.
  var bytesOfSecurity: (read: Int, written: Int) { get }

  /// Closes both ways. The receiver hears nothing more.
  ///
  /// - Parameter reset: drop what has not gone and tell the peer so (RST), so that no port stays in
  ///   TIME_WAIT.
  func close(reset: Bool)
}

extension ByteStream {
  var isSecured: Bool { false }
  var applicationProtocol: ApplicationProtocol? { nil }
  var bytesOfSecurity: (read: Int, written: Int) { (0, 0) }
}

/// What became of the bytes of a write.
enum StreamWrite: Equatable {
  /// So many went at once; `streamDrained` tells when the others have gone.
  case taken(now: Int)
  /// The stream is broken, for this reason, and to be closed.
  case failed(reason: String)
}

/// Who uses a stream; always called on the loop's thread.
protocol ByteStreamReceiver: AnyObject {
  /// Bytes have come. They may be changed in place, and are valid until this returns.
  func streamReceived(_ bytes: UnsafeMutableRawBufferPointer)
  /// What a write had to keep has gone.
  func streamDrained()
  /// Nothing more comes, and the receiver closes the stream: at once, or, where the peer has only
  /// closed its own side, when it has written what is left.
  func streamEnded(_ end: LinkError)
}

/// Why a connection could not even be begun.
struct ConnectError: Error {
  let code: Int32
  var reason: String { String(cString: uv_strerror(code)) }
  /// The client's machine ran out of descriptors.
  var isDescriptorLimit: Bool { code == UV_EMFILE.rawValue || code == UV_ENFILE.rawValue }
  /// The client's machine ran out of ports towards this destination.
  var isPortLimit: Bool { code == UV_EADDRNOTAVAIL.rawValue }
}

/// Something that accepts streams until it is closed.
protocol StreamListener: AnyObject {
  /// The port that it listens on.
  var port: UInt16 { get }
  func close()
}
