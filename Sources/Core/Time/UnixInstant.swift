internal import Foundation

/// The time of day for logs and metrics. The clock may jump, so all waits use the monotonic clock.
package struct UnixInstant: Equatable, Sendable {
  /// The number of microseconds since 1970-01-01T00:00:00Z, which may be negative.
  package let microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  @Sendable package static func now() -> UnixInstant {
    var time = timespec()
    // The call cannot fail, since every system has this clock.
    clock_gettime(CLOCK_REALTIME, &time)
    return UnixInstant(
      microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  package var seconds: Double { Double(microseconds) / 1e6 }

  /// The instant in RFC 3339 with milliseconds: `2026-03-02T07:30:00.250Z`.
  package var rfc3339: String {
    let whole = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    var seconds = time_t(whole.quotient)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date = [Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Int($0) }
    let milliseconds = Self.padded(Int(whole.remainder) / 1_000, to: 3)
    return date.map { Self.padded($0, to: 2) }.joined(separator: "-") + "T"
      + time.map { Self.padded($0, to: 2) }.joined(separator: ":") + ".\(milliseconds)Z"
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
