internal import SimulationCore

/// Who takes what a listening half accepts; called on the loop's thread.
protocol ListeningOwner: AnyObject, Sendable {
  /// Whether a connection more than there are, open or on the way to it, may shake hands.
  var mayShakeHands: Bool { get }
  /// Comes once, when it listens.
  func listens()
  /// Takes a connection, whose handshake is done where there is one.
  func accept(_ stream: any ByteStream)
}

/// What servers of every protocol have in common: an address on which connections are accepted, in
/// the clear or over TLS.
///
/// `@unchecked Sendable`: the state is touched on the loop's thread only; `listen` goes there by
/// itself.
final class ListeningHalf: @unchecked Sendable {
  private let loop: EventLoop
  private let tls: TLSServer?
  private var listener: (any StreamListener)?

  /// - Parameter tls: what secures its connections; nil: they are in the clear.
  init(on loop: EventLoop, _ tls: TLSServer?) {
    self.loop = loop
    self.tls = tls
  }

  /// Listens and returns the port, which the system chooses for 0.
  ///
  /// - Parameter owner: not retained; must outlive what is accepted.
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

  /// Accepts nothing more; on the loop's thread.
  func close() {
    listener?.close()
    listener = nil
  }
}
