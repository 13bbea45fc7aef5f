internal import Core
internal import Transport

/// Distributes a fleet's uploads by phone over one dispatcher per collector, all on one loop.
final class UploadFan: Sendable {
  private let dispatchers: [UploadDispatcher]

  /// - Parameter settings: the settings of uploads; each dispatcher has another address.
  /// - Parameter sink: takes the reports of all dispatchers, on the loop's thread.
  init(
    to endpoints: [Endpoint], loop: EventLoop, settings: UploadSettings,
    sink: @escaping @Sendable (UploadReport) -> Void
  ) throws(TransportError) {
    var dispatchers: [UploadDispatcher] = []
    for (number, endpoint) in endpoints.enumerated() {
      var own = settings
      own.endpoint = endpoint
      let place = SharePlace(number: number, of: endpoints.count)
      own.openConnectionsMax = max(1, place.range(of: settings.openConnectionsMax).count)
      own.use = settings.use.part(of: place)
      dispatchers.append(try UploadDispatcher(loop: loop, settings: own, sink: sink))
    }
    self.dispatchers = dispatchers
  }

  /// Returns the index of a phone's collector, spreading both neighbouring and evenly spaced
  /// numbers (Knuth, "The Art of Computer Programming" 3, 6.4: multiplicative hashing).
  static func place(of phone: UInt32, among count: Int) -> Int {
    Int((UInt64(phone &* 2_654_435_769) &* UInt64(count)) >> 32)
  }

  /// Takes jobs from any thread, preferably ahead of their intended instants.
  func submit(_ jobs: [UploadJob]) {
    guard dispatchers.count > 1 else { return dispatchers[0].submit(jobs) }
    var parts = [[UploadJob]](repeating: [], count: dispatchers.count)
    for job in jobs { parts[Self.place(of: job.phone, among: parts.count)].append(job) }
    for (part, dispatcher) in zip(parts, dispatchers) { dispatcher.submit(part) }
  }

  var countersByCollector: [Sheet] { dispatchers.map { $0.counters() } }

  func counters() -> Sheet {
    dispatchers.reduce(into: Sheet()) { $0 += $1.counters() }
  }

  func capture(to file: CaptureFile) {
    for dispatcher in dispatchers { dispatcher.capture(to: file) }
  }

  func drain() { for dispatcher in dispatchers { dispatcher.drain() } }

  /// Ends every unfinished job as timed out, and closes all connections.
  func abort() { for dispatcher in dispatchers { dispatcher.abort() } }
}
