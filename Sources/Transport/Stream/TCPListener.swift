internal import Core
internal import CCurl
internal import CUV
internal import Foundation
internal import Wire

final class TCPListener: TCPHandle, StreamListener {
  private let accept: (any ByteStream) -> Void
  private let takesTurns: Bool
  private(set) var port: UInt16 = 0

  /// The limit of pending connections, for bursts of wakes. Linux's default limit is 4,096.
  private static let backlog: Int32 = 4_096

  init(on loop: EventLoop, takesTurns: Bool, _ accept: @escaping (any ByteStream) -> Void) {
    self.accept = accept
    self.takesTurns = takesTurns
    super.init(on: loop)
  }

  func listen(_ endpoint: Endpoint) throws(TransportError) {
    let address = try Address(endpoint)
    try check(address.withPointer { uv_tcp_bind(handle, $0, 0) }, endpoint)
    try check(
      uv_listen(stream, Self.backlog) { stream, status in
        // Without a free descriptor accept fails, and libuv closes the client's connection.
        guard status == 0, let this = TCPHandle.of(stream!.pointee.data) as? TCPListener else {
          return
        }
        this.loop.notePoll()
        this.acceptOne()
      }, endpoint)
    port = boundPort()
  }

  private func boundPort() -> UInt16 {
    var name = sockaddr_storage()
    var length = Int32(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &name) { bytes in
      uv_tcp_getsockname(
        handle, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
      // The port has the same offset for both families.
      return UnsafeRawBufferPointer(bytes).loadBigEndian(UInt16.self, at: 2)
    }
  }

  private func check(_ code: Int32, _ endpoint: Endpoint) throws(TransportError) {
    if code != 0 {
      throw TransportError(listen: code, host: endpoint.host, port: endpoint.port)
    }
  }

  private func acceptOne() {
    let accepted = TCPStream(on: loop, takesTurns: takesTurns)
    guard uv_accept(stream, accepted.stream) == 0 else { return accepted.close(reset: false) }
    uv_tcp_nodelay(accepted.handle, 1)
    accept(accepted)
  }

  func close() { closeHandle(reset: false) }
}
