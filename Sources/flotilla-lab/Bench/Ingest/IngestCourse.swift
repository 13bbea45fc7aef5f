internal import Core
internal import Transport

/// Determines what follows an ended batch, and when; pure, without a clock.
///
///     opening ──every phone's first batch has ended──▶ running ──drain──▶ draining
///
/// While connections open, no batch follows: handshakes take both sides many times as long as
/// batches, and refusals followed at once by the next batch made an overload that fed on itself.
struct IngestCourse {
  private enum Phase { case opening, running, draining }

  /// The wait after a failed batch: the least pushback of the collector under a light overload.
  static let pause = WallDuration.milliseconds(250)

  private var phase = Phase.opening
  /// Whether acks are followed by the next batch.
  private let isClosedLoop: Bool
  private(set) var tally = IngestDriver.Tally()
  private(set) var open = 0

  init(isClosedLoop: Bool) { self.isClosedLoop = isClosedLoop }

  mutating func submitted(_ count: Int) { open += count }

  /// - Returns: when the phone's next batch is to start; nil for none.
  mutating func ended(_ completion: UploadCompletion, at now: WallInstant) -> WallInstant? {
    open -= 1
    let isAcknowledged = tally.add(completion)
    guard phase == .running, isClosedLoop else { return nil }
    return isAcknowledged ? now : now + Self.pause
  }

  /// All connections are open: batches are followed by others from here on.
  mutating func run() { phase = .running }

  mutating func beginWindow() { tally = IngestDriver.Tally() }

  mutating func drain() { phase = .draining }
}
