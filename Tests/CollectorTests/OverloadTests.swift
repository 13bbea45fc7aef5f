import Core
import Foundation
import Synchronization
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

@Suite("An overloaded collector", .quick)
struct OverloadTests {
  let folder = TemporaryFolder()

  /// Simulates a disk that hangs until the test releases it.
  private final class Disk: Sendable {
    private let isHanging = Mutex(false)

    func hang(_ hangs: Bool) { isHanging.withLock { $0 = hangs } }
    func wait() { while isHanging.withLock({ $0 }) { usleep(500) } }
  }

  @Test("a hanging disk causes refusals, not memory growth; service recovers with the disk")
  func stalledStore() throws {
    let disk = Disk()
    let lines = Mutex<[String]>([])
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db"))) {
      $0.beforeCommit = { disk.wait() }
      $0.limits.inFlightBytesMax = 20_000
      $0.log = CollectorLog(level: .warning, format: .text, now: UnixInstant.now) { line in
        lines.withLock { $0.append(line) }
      }
    }
    try collector.open(phones: 10_000)
    for phone in 0..<20 as Range<UInt32> { try collector.upload(LiveCollector.id(phone, 1)) }
    disk.hang(true)
    let answers = Mutex<[StatusCode: Int]>([:])
    let pushbacks = Mutex<[Int32]>([])
    let left = DispatchGroup()
    var sent: UInt32 = 20
    func send() throws {
      let request = try LiveCollector.request(LiveCollector.id(sent, 1))
      sent += 1
      left.enter()
      collector.client.call(.upload, request, deadline: .seconds(60)) { result in
        var code = StatusCode.ok
        if case .failure(let failure) = result {
          code = failure.status.code
          if let pushback = failure.status.pushbackMilliseconds {
            pushbacks.withLock { $0.append(pushback) }
          }
        }
        answers.withLock { $0[code, default: 0] += 1 }
        left.leave()
      }
    }
    func count(_ name: String) throws -> UInt64 {
      try collector.snapshot().counters.first { $0.name == name }?.value ?? 0
    }
    func dropProbability() throws -> Double {
      let figures = try collector.snapshot().figures
      return try #require(figures.first { $0.name == "admission.dropProbability" }).value
    }
    // Calls continue until admission reacts: at most a few seconds of calls. The share falls
    // whenever this thread waits for a processor, so every round reads it.
    var isSeen = false
    while !isSeen, sent < 9_000 {
      for _ in 0..<20 { try send() }
      #expect(try count("inFlightBytes") <= 20_000)
      isSeen = try count("shed.admission") >= 200 && dropProbability() > 0.1
    }
    #expect(isSeen, "9,000 calls do not reach a share of 0.1 and 200 refusals")
    disk.hang(false)
    #expect(left.wait(timeout: .now() + 60) == .success)
    let seen = answers.withLock { $0 }
    #expect(Set(seen.keys) == [.ok, .resourceExhausted])
    #expect(try count("store.slow") > 0)
    let isLogged = Waiter.shared.wait(
      until: MonotonicClock.now + .seconds(20), every: .milliseconds(10)
    ) {
      lines.withLock {
        $0.contains { $0.contains(#/store\.slow count=\d+ reason="a commit took/#) }
      }
    }
    #expect(isLogged)
    #expect(pushbacks.withLock { $0.allSatisfy { (100...10_000).contains($0) } })
    #expect(pushbacks.withLock { $0.count } == seen[.resourceExhausted])
    // Past delays refuse no calls: service recovers with the disk.
    let end = MonotonicClock.now + .seconds(20)
    var inARow = 0
    while inARow < 100, MonotonicClock.now < end {
      let isIn = collector.failure { try collector.upload(LiveCollector.id(sent, 1)) } == nil
      sent += 1
      inARow = isIn ? inARow + 1 : 0
    }
    #expect(inARow == 100)
    // The call that asks is itself in flight.
    #expect(try count("inFlightBytes") < 10)
    let distinct = try collector.snapshot().batches.distinct
    collector.stop()
    #expect(try OpenStore.contents(of: folder.path("run.db")).count == Int(distinct))
  }

  @Test("each limit of the decoder refuses its upload with a reason, and is counted by name")
  func decoderLimits() throws {
    let collector = try LiveCollector(store: .none)
    try collector.open()
    func refusal(_ change: (inout [UInt8]) -> Void) throws -> CallStatus? {
      var request = try LiveCollector.request(LiveCollector.id(1, 1))
      change(&request)
      return collector.failure {
        _ = try collector.client.callBlocking(.upload, request, deadline: .seconds(60))
      }
    }
    #expect(
      try refusal { $0 = Upload(fixes: 5_000, encoding: 0, size: 10).bytes }?.code
        == .resourceExhausted)
    #expect(
      try refusal { $0 = Upload(fixes: 1, encoding: 0, size: 200_000).bytes }?.code
        == .resourceExhausted)
    #expect(
      try refusal { $0 = Upload(fixes: 1, encoding: 7, size: 10).bytes }?.code
        == .unimplemented)
    // A frame with a window of 2^31 bytes and a content of 10, which is given in 8 bytes.
    let window: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xC0, 0xA8, 10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    #expect(
      try refusal { $0 = Upload(fixes: 1, encoding: 1, size: 10, payload: window).bytes }?.code
        == .resourceExhausted)
    #expect(try refusal { $0 = [UInt8](repeating: 0, count: 200_000) }?.code == .resourceExhausted)
    let counters = try collector.snapshot().counters
    for name in [
      "fixesMax", "uncompressedBytesMax", "encodings", "windowLogMax", "uploadBytesMax",
    ] {
      #expect(counters.first { $0.name == "limit.\(name)" }?.value == 1, "\(name)")
    }
    collector.stop()
  }
}

/// Returns an envelope with arbitrary fields and a valid check.
private struct Upload {
  var fixes: UInt32
  var encoding: UInt32
  var size: UInt32
  var payload = [UInt8](repeating: 0, count: 10)

  private static func varint(_ value: UInt32) -> [UInt8] {
    var (value, bytes) = (value, [UInt8]())
    while value > 127 {
      bytes.append(UInt8(value & 127) | 128)
      value >>= 7
    }
    return bytes + [UInt8(value)]
  }

  /// By the field numbers of collector.proto, and PROTOCOL.md section 9 for the check.
  var bytes: [UInt8] {
    let head: [UInt32] = [1, 1, 1, fixes, encoding, size, 0]
    var checked: [UInt8] = []
    for word in head { withUnsafeBytes(of: word.bigEndian) { checked += $0 } }
    checked += payload
    var crc = UInt32.max
    for byte in checked {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    var bytes: [UInt8] = []
    for (field, value) in [
      (1, 1) as (UInt8, UInt32), (2, 1), (3, 1), (4, fixes), (5, encoding), (6, size),
    ] {
      bytes += [UInt8(field << 3)] + Self.varint(value)
    }
    bytes += [7 << 3 | 2] + Self.varint(UInt32(payload.count)) + payload
    bytes.append(9 << 3 | 5)
    withUnsafeBytes(of: (~crc).littleEndian) { bytes += $0 }
    return bytes
  }
}
