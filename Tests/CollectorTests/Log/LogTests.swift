import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Collector

@Suite("The collector's log", .quick)
struct LogTests {
  private static let time = UnixInstant(microseconds: 1_772_436_600_250_900)

  private static func line(_ fields: [(key: String, value: LogValue)]) -> LogLine {
    LogLine(time: time, level: .warning, event: "store.failed", fields: fields)
  }

  @Test("a line of text: time, level, event, fields; values with spaces are quoted")
  func text() {
    let line = Self.line([
      ("count", 3), ("reason", "disk is full"), ("file", "a.db"), ("empty", ""),
      ("share", .real(0.5)),
    ])
    #expect(
      line.rendered(.text) == """
        2026-03-02T07:30:00.250Z warning store.failed count=3 reason="disk is full" file=a.db \
        empty="" share=0.5
        """)
  }

  @Test("a line of JSON is one object on one line, whatever its texts contain")
  func json() throws {
    let odd = "quote\" back\\slash\nline\r\ttab\u{1}\u{7F}\u{2028} é"
    let text = Self.line([("count", 3), ("reason", .text(odd)), ("none", .real(.nan))])
      .rendered(.json)
    #expect(!text.contains { $0.isNewline })
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["time"] as? String == "2026-03-02T07:30:00.250Z")
    #expect(object["level"] as? String == "warning")
    #expect(object["event"] as? String == "store.failed")
    #expect(object["count"] as? Int == 3)
    #expect(object["reason"] as? String == odd)
    #expect(object["none"] is NSNull)
  }

  @Test("lines below the level are left out")
  func level() {
    let lines = Lines()
    let log = CollectorLog(
      level: .warning, format: .text, now: { Self.time }, write: { lines.add($0) })
    log(.info, "start")
    log(.warning, "limit")
    log(.error, "store.failed")
    log.flush()
    #expect(lines.all.map { $0.split(separator: " ")[2] } == ["limit", "store.failed"])
  }

  @Test("a stalled reader loses lines, delays no thread, and receives their number")
  func stuckReader() {
    let lines = Lines()
    let gate = DispatchSemaphore(value: 0)
    let log = CollectorLog(level: .info, format: .text, now: { Self.time }) { line in
      if line.contains("first") { gate.wait() }
      lines.add(line)
    }
    log(.info, "first")
    for _ in 0..<CollectorLog.waitingMax + 50 { log(.info, "more") }
    gate.signal()
    log.flush()
    #expect(lines.all.count == CollectorLog.waitingMax)
    log(.info, "after")
    log.flush()
    #expect(lines.all.last?.hasSuffix("after dropped_before=51") == true)
  }

  private final class Lines: Sendable {
    private let state = Mutex<[String]>([])
    func add(_ line: String) { state.withLock { $0.append(line) } }
    var all: [String] { state.withLock { $0 } }
  }

  // MARK: Events that unauthenticated clients cause

  private static func at(_ seconds: Int64) -> WallInstant {
    WallInstant(microseconds: 0) + .seconds(seconds)
  }

  @Test("each kind is logged at once, then one line in ten seconds with the count since")
  func throttle() {
    var throttle = LogThrottle()
    throttle.add("limit", 1)
    #expect(throttle.takeDue(at: Self.at(0)).map(\.count) == [1])
    for second in 1...9 as ClosedRange<Int64> {
      throttle.add("limit", 100)
      #expect(throttle.takeDue(at: Self.at(second)).isEmpty)
    }
    throttle.add("other", 2)
    #expect(throttle.takeDue(at: Self.at(10)).map(\.kind) == ["limit", "other"])
    #expect(throttle.takeDue(at: Self.at(30)).isEmpty)
  }

  @Test("a million events in an hour are at most 361 lines, and all are counted")
  func flood() {
    var logger = RateLimitedLogger()
    var lines = 0
    var counted: UInt64 = 0
    for second in 0...3_620 as ClosedRange<Int64> {
      let hits = UInt64(min(second, 3_600)) * 278
      for line in logger.look([("limit", hits)], at: Self.at(second)) {
        lines += 1
        counted += line.count
      }
    }
    #expect(counted == 3_600 * 278)
    #expect(lines <= 361)
  }

  @Test("counters that were reset are not counted as negative")
  func newRun() {
    var logger = RateLimitedLogger()
    #expect(logger.look([("store.failed", 5)], at: Self.at(0)).map(\.count) == [5])
    #expect(logger.look([("store.failed", 2)], at: Self.at(20)).map(\.count) == [2])
  }

  @Test("an overload begins with its first refusal and ends after five seconds without one")
  func overload() {
    var logger = RateLimitedLogger()
    func watch(_ shed: UInt64, _ second: Int64) -> RateLimitedLogger.Overload? {
      logger.watchOverload(shed: shed, at: Self.at(second))
    }
    #expect(watch(0, 0) == nil)
    #expect(watch(10, 1) == .began)
    #expect(watch(10, 2) == nil)
    #expect(watch(30, 3) == nil)
    #expect(watch(30, 7) == nil)
    #expect(watch(30, 8) == .ended(shed: 30))
    #expect(watch(30, 9) == nil)
    #expect(watch(31, 10) == .began)
  }
}
