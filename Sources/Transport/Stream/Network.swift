internal import CUV
internal import Core

/// The source of a loop's streams, and the only type that knows the kinds of streams.
package enum Network: Sendable {
  case sockets
  case memory(MemoryNetwork)
}

extension EventLoop {
  /// Begins to connect. The stream takes writes at once, and is plaintext if `dial` is nil.
  func connect(
    to address: Address, from source: Address? = nil, noDelay: Bool, dial: TLSDial? = nil
  ) throws(ConnectError) -> any ByteStream {
    assertOnLoop()
    let stream = try connectPlain(to: address, from: source, noDelay: noDelay)
    guard let dial else { return stream }
    guard let secured = TLSStream.opened(stream, dial, on: self) else {
      stream.close(reset: true)
      throw ConnectError(code: UV_ENOMEM.rawValue)
    }
    return secured
  }

  private func connectPlain(
    to address: Address, from source: Address?, noDelay: Bool
  ) throws(ConnectError) -> any ByteStream {
    switch network {
    case .sockets: return try TCPStream(on: self, to: address, from: source, noDelay: noDelay)
    case .memory(let network): return try network.connect(to: address, on: self)
    }
  }

  /// Listens, and passes each stream to `accept` after its TLS handshake. Resets a connection if
  /// `mayBegin` returns false.
  func listenSecurely(
    on endpoint: Endpoint, _ tls: TLSServer, mayBegin: @escaping () -> Bool,
    _ accept: @escaping (any ByteStream) -> Void
  ) throws(TransportError) -> any StreamListener {
    try listen(on: endpoint, takesTurns: true) { [unowned self] below in
      guard mayBegin(), let stream = TLSStream.accepted(below, tls.context, on: self) else {
        return below.close(reset: true)
      }
      stream.onHandshake = { stream, failure in
        if failure == nil { accept(stream) } else { stream.close(reset: false) }
      }
      stream.startReading()
    }
  }

  /// Listens. `takesTurns` limits the bytes read per stream and turn (`EventLoop.bytesPerTurn`).
  func listen(
    on endpoint: Endpoint, takesTurns: Bool, _ accept: @escaping (any ByteStream) -> Void
  ) throws(TransportError) -> any StreamListener {
    switch network {
    case .sockets:
      let listener = TCPListener(on: self, takesTurns: takesTurns, accept)
      do throws(TransportError) { try listener.listen(endpoint) } catch {
        listener.close()
        throw error
      }
      return listener
    case .memory(let network): return try network.listen(on: endpoint, loop: self, accept)
    }
  }
}
