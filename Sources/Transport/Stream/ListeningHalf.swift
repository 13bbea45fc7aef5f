internal import Core

/// The owner of a listening half. All functions are called on the loop's thread.
protocol ListeningOwner: AnyObject, Sendable {
  var mayShakeHands: Bool { get }
  func listens()
  /// Takes a connection, with TLS after the handshake.
  func accept(_ stream: any ByteStream)
}

/// Accepts connections for servers of every protocol. `@unchecked Sendable`: the state is touched
/// only on the loop's thread, to which `listen` switches.
final class ListeningHalf: @unchecked Sendable {
  private let loop: EventLoop
  private let tls: TLSServer?
  private var listener: (any StreamListener)?

  init(on loop: EventLoop, _ tls: TLSServer?) {
    self.loop = loop
    self.tls = tls
  }

  /// - Parameter owner: the owner, which is not retained and must outlive the accepted connections.
  func listen(
    on endpoint: Endpoint, for owner: any ListeningOwner
  ) throws(TransportError) -> UInt16 {
    let result = loop.sync { [self] () -> Result<UInt16, TransportError> in
      do throws(TransportError) {
        let listener = try open(endpoint, owner)
        self.listener = listener
        owner.listens()
        return .success(listener.port)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func open(
    _ endpoint: Endpoint, _ owner: any ListeningOwner
  ) throws(TransportError) -> any StreamListener {
    guard let tls else {
      return try loop.listen(on: endpoint, takesTurns: true) { [unowned owner] in
        owner.accept($0)
      }
    }
    return try loop.listenSecurely(
      on: endpoint, tls, mayBegin: { [unowned owner] in owner.mayShakeHands }
    ) { [unowned owner] in owner.accept($0) }
  }

  func close() {
    listener?.close()
    listener = nil
  }
}
