/// Who is connected to the admin port, the one that has asked for nothing the longest first.
///
/// Sockets that a client opens and leaves idle cannot keep a probe out: for each connection above
/// the limit the most silent one has to go.
///
/// Pure: it knows sockets by their numbers, and its owner shuts them down.
struct AdminVisitors {
  /// Suffices for some scrapers, probes and people at once.
  static let most = 48

  private var sockets: [Int32] = []

  /// A connection has come; returns the socket of the one that has to go for it.
  mutating func came(_ socket: Int32) -> Int32? {
    sockets.append(socket)
    return sockets.count > Self.most ? sockets.removeFirst() : nil
  }

  /// A request has come.
  mutating func asked(_ socket: Int32) {
    guard let place = sockets.firstIndex(of: socket) else { return }
    sockets.append(sockets.remove(at: place))
  }

  /// A connection has gone, by itself or since it had to.
  mutating func went(_ socket: Int32) { sockets.removeAll { $0 == socket } }
}
