internal import Core
internal import Dispatch
internal import Figures
internal import Synchronization
internal import Transport

/// Reads CPU time and resident memory from a server's metrics page, as exported by Prometheus
/// client libraries. Uses a separate queue, so that a slow server delays nothing.
final class MetricsWatch: Sendable {
  private struct State: Sendable {
    var first: (at: WallInstant, cpuSeconds: Double)?
    var last: (at: WallInstant, cpuSeconds: Double)?
    var residentBytesMax = 0.0
    var problem: String?
    var isAsking = false
    var next = WallInstant.distantPast
  }

  private let caller: HTTPCaller
  private let request: HTTPRequest
  private let wall: @Sendable () -> WallInstant
  private let queue = DispatchQueue(label: "flotilla.metrics")
  private let state = Mutex(State())

  private static let bytesMax = 4 << 20
  private static let pause = WallDuration.seconds(1)

  init(_ url: String, wall: @escaping @Sendable () -> WallInstant) {
    var settings = HTTPSettings()
    settings.use = .pooled(1)
    settings.timeout = .seconds(2)
    settings.answerBytesMax = Self.bytesMax
    caller = HTTPCaller(settings)
    request = HTTPRequest(method: "GET", url: url, headers: ["Accept: text/plain"])
    self.wall = wall
  }

  var nextLook: WallInstant { state.withLock { $0.isAsking ? .distantFuture : $0.next } }

  func look() {
    let isDue = state.withLock { state in
      let now = wall()
      guard !state.isAsking, now >= state.next else { return false }
      state.isAsking = true
      state.next = now + Self.pause
      return true
    }
    if isDue { queue.async { [self] in read() } }
  }

  /// Reads the page once more and returns the usage; nil without two readings.
  func end() -> TargetFigures.Server? {
    queue.sync { read() }
    caller.close()
    return state.withLock { state in
      guard let first = state.first, let last = state.last, last.at > first.at else { return nil }
      return TargetFigures.Server(
        coresUsed: max(0, last.cpuSeconds - first.cpuSeconds) / (last.at - first.at).seconds,
        residentBytesMax: state.residentBytesMax)
    }
  }

  func takeProblem() -> String? { state.withLock { $0.problem.take() } }

  private func read() {
    let end = caller.call(request)
    defer { Waiter.shared.wake() }
    let now = wall()
    state.withLock { state in
      state.isAsking = false
      let isFirst = state.first == nil
      switch end.result {
      case .failure(let failure): if isFirst { state.problem = "\(failure)" }
      case .success(let answer):
        guard answer.status == 200,
          let cpu = Self.value(of: "process_cpu_seconds_total", in: answer.body)
        else {
          if isFirst { state.problem = "\(answer.status), without process_cpu_seconds_total" }
          return
        }
        if isFirst { state.first = (now, cpu) }
        state.last = (now, cpu)
        let bytes = Self.value(of: "process_resident_memory_bytes", in: answer.body) ?? 0
        state.residentBytesMax = max(state.residentBytesMax, bytes)
      }
    }
  }

  /// Returns the sum of a metric's samples in the text format of Prometheus; nil without samples.
  static func value(of name: String, in page: [UInt8]) -> Double? {
    var sum: Double?
    for line in PlainText.repaired(page).split(separator: "\n") where line.hasPrefix(name) {
      var rest = line.dropFirst(name.count)
      if rest.first == "{" {
        guard let close = rest.lastIndex(of: "}") else { continue }
        rest = rest[rest.index(after: close)...]
      } else if rest.first != " ", rest.first != "\t" {
        continue
      }
      // The first word is the value; a timestamp may follow.
      guard let word = rest.split(whereSeparator: \.isWhitespace).first, let value = Double(word)
      else { continue }
      sum = (sum ?? 0) + value
    }
    return sum
  }
}
