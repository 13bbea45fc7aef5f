/// The admin port's connections, longest silent first: above the limit the most silent one is
/// closed, so that idle sockets cannot block a probe. Pure: its owner shuts sockets down.
struct AdminVisitors {
  static let most = 48

  private var sockets: [Int32] = []

  /// Adds a connection; returns the socket to close for it, if any.
  mutating func came(_ socket: Int32) -> Int32? {
    sockets.append(socket)
    return sockets.count > Self.most ? sockets.removeFirst() : nil
  }

  mutating func asked(_ socket: Int32) {
    guard let place = sockets.firstIndex(of: socket) else { return }
    sockets.append(sockets.remove(at: place))
  }

  mutating func went(_ socket: Int32) { sockets.removeAll { $0 == socket } }
}
