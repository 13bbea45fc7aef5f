internal import Figures
internal import Foundation
internal import SimulationCore
internal import Synchronization
internal import Transport

/// Sends requests over connections that are kept: as many as the server takes, or so many a second.
///
/// `@unchecked Sendable`: the client and the course are touched on the loop's thread only; the
/// methods go there by themselves.
final class HTTPOfferer: HTTPClientOwner, @unchecked Sendable {
  /// What came of the requests that ended in a window.
  struct Tally: Sendable {
    var answered = 0
    var failed = 0
    /// From the intended instant to the one at which the client took the request.
    var lag = Histogram()
    /// From the intended instant to the answer's last byte.
    var response = Histogram()
    /// Of the loop's thread, in nanoseconds.
    var threadNanoseconds: Int64 = 0
  }

  private let loop = EventLoop(name: "http generator", isUrgent: true)
  private var client: HTTPClient?
  private let requests: [HTTPRequest]
  private let connections: Int
  private var timer: LoopTimer?
  private var tally = Tally()
  /// When each request under way was intended, by its number modulo their count.
  private var intended: [WallInstant]
  private var next: UInt64 = 0
  /// Of an offer by the clock: when it began, what it offers a second, what has been offered.
  private var pace: (start: WallInstant, rate: Double, offered: Int)?
  private var isOver = false

  /// Requests that are due closer together than this share a turn of the loop.
  private static let tick = WallDuration.microseconds(250)
  /// Requests that are remembered at once, at most.
  private static let openMax = 65_536

  init(_ requests: [HTTPRequest], connections: Int) {
    self.requests = requests
    self.connections = connections
    intended = Array(repeating: .distantPast, count: Self.openMax)
    var settings = HTTPSettings()
    settings.use = .pooled(connections)
    settings.openMax = Self.openMax
    loop.start()
    let chosen = settings
    loop.sync { [self] in client = HTTPClient(on: loop, chosen, owner: self) }
  }

  /// Keeps a request under way on each connection.
  func saturate() {
    loop.post { [self] in
      for _ in 0..<connections { send(intended: loop.now) }
    }
  }

  /// Sends so many requests a second from `start` on, whatever becomes of them.
  func offer(_ rate: Double, from start: WallInstant) {
    loop.post { [self] in
      pace = (start, rate, 0)
      timer = LoopTimer(on: loop) { [unowned self] in offerDue() }
      timer?.arm(at: start)
    }
  }

  private func offerDue() {
    guard var pace, !isOver else { return }
    let now = loop.now
    func instant(_ number: Int) -> WallInstant {
      pace.start + WallDuration(seconds: Double(number) / pace.rate)
    }
    while instant(pace.offered) <= now {
      send(intended: instant(pace.offered))
      pace.offered += 1
    }
    self.pace = pace
    timer?.arm(at: max(now + Self.tick, instant(pace.offered)))
  }

  private func send(intended instant: WallInstant) {
    let number = next
    next += 1
    intended[Int(number % UInt64(Self.openMax))] = instant
    tally.lag.record(max(0, (loop.now - instant).microseconds))
    client?.send(
      requests[Int(number % UInt64(requests.count))], as: number,
      of: UInt32(truncatingIfNeeded: number))
  }

  func ended(_ exchange: UInt64, _ end: HTTPExchange) {
    let instant = intended[Int(exchange % UInt64(Self.openMax))]
    if case .success(let answer) = end.result, answer.status == 200 {
      tally.answered += 1
      tally.response.record((loop.now - instant).microseconds)
    } else {
      tally.failed += 1
    }
    if pace == nil, !isOver { send(intended: loop.now) }
  }

  /// Returns what came since the last call, and begins anew.
  func take() -> Tally {
    loop.sync { [self] in
      let now = Self.threadNanoseconds
      var ended = tally
      ended.threadNanoseconds = now - tally.threadNanoseconds
      tally = Tally()
      tally.threadNanoseconds = now
      return ended
    }
  }

  /// The processor time of the calling thread.
  private static var threadNanoseconds: Int64 {
    var time = timespec()
    // Cannot fail: every system here has this clock.
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  func stop() {
    loop.sync { [self] in
      isOver = true
      timer?.disarm()
      client?.close()
      client = nil
    }
    loop.stopAndWait()
  }
}
