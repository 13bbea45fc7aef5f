/// The connections of a port for probes and metrics. Above `most`, the longest silent connection is closed, so that
/// idle sockets cannot block a probe. The owner of this value closes sockets.
struct AdminVisitors {
  static let most = 48

  private var sockets: [Int32] = []

  /// Adds a connection; returns the socket to close if there are too many, else nil.
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
