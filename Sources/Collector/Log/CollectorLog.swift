package import Core
internal import Dispatch
internal import Synchronization

/// A collector's log, with one line per event. A separate queue writes, so that a slow reader
/// delays no upload. Lines beyond the limit are dropped, and the next line gives their number.
package final class CollectorLog: Sendable {
  /// The maximum number of waiting lines; 1,000 are about 200 kB, and more than an hour's lines.
  static let waitingMax = 1_000
  private static let flushTime = DispatchTimeInterval.seconds(1)

  private let level: LogLevel
  private let format: LogFormat
  private let now: @Sendable () -> UnixInstant
  private let write: @Sendable (String) -> Void
  private let queue = DispatchQueue(label: "flotilla.log", qos: .utility)
  private let state = Mutex((waiting: 0, dropped: 0))

  /// - Parameter write: takes one line without a newline; only one thread calls it at a time.
  package init(
    level: LogLevel, format: LogFormat, now: @escaping @Sendable () -> UnixInstant,
    write: @escaping @Sendable (String) -> Void
  ) {
    self.level = level
    self.format = format
    self.now = now
    self.write = write
  }

  package static var none: CollectorLog {
    CollectorLog(level: .error, format: .text, now: UnixInstant.now, write: { _ in })
  }

  /// Logs a line without blocking. Lines beyond the limit are dropped and counted.
  package func callAsFunction(
    _ level: LogLevel, _ event: String, _ fields: KeyValuePairs<String, LogValue> = [:]
  ) {
    guard level >= self.level else { return }
    var all = fields.map { (key: $0.key, value: $0.value) }
    let dropped: Int? = state.withLock { state in
      guard state.waiting < Self.waitingMax else {
        state.dropped += 1
        return nil
      }
      state.waiting += 1
      defer { state.dropped = 0 }
      return state.dropped
    }
    guard let dropped else { return }
    if dropped > 0 { all.append((key: "dropped_before", value: .whole(dropped))) }
    let line = LogLine(time: now(), level: level, event: event, fields: all).rendered(format)
    queue.async { [self] in
      write(line)
      state.withLock { $0.waiting -= 1 }
    }
  }

  /// Waits up to a second until all lines are written.
  package func flush() {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    _ = done.wait(timeout: .now() + Self.flushTime)
  }
}
