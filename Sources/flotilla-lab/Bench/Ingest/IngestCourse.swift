internal import Core
internal import Transport

/// Determines what follows a finished batch, and when. Uses no clock.
///
///     opening ──every phone's first batch has ended──▶ running ──drain──▶ draining
///
/// While connections open, no further batch starts. Handshakes cost much more than batches, and
/// immediate retries after rejections would sustain the overload.
struct IngestCourse {
  private enum Phase { case opening, running, draining }

  /// The wait after a failed batch: the collector's minimum backoff under a light overload.
  static let pause = WallDuration.milliseconds(250)

  private var phase = Phase.opening
  /// Whether each ack starts the next batch.
  private let isClosedLoop: Bool
  private(set) var tally = IngestDriver.Tally()
  private(set) var open = 0

  init(isClosedLoop: Bool) { self.isClosedLoop = isClosedLoop }

  mutating func submitted(_ count: Int) { open += count }

  /// - Returns: The instant at which the phone's next batch starts; nil for no batch.
  mutating func ended(_ completion: UploadCompletion, at now: WallInstant) -> WallInstant? {
    open -= 1
    let isAcknowledged = tally.add(completion)
    guard phase == .running, isClosedLoop else { return nil }
    return isAcknowledged ? now : now + Self.pause
  }

  /// Lets each ack start the next batch, once all connections are open.
  mutating func run() { phase = .running }

  mutating func beginWindow() { tally = IngestDriver.Tally() }

  mutating func drain() { phase = .draining }
}
