@testable import Core
import Fleet
import Foundation
import Scenarios
import TestSupport
import Testing
import Transport

@testable import Figures
@testable import Run
@testable import Uploads
@testable import RunSupport

@Suite("An interval of a live fleet in several processes", .quick)
struct ShareIntervalTests {
  private static let plan = plan(.packed)

  private static func plan(_ encoding: BatchEncoding) -> RunPlan {
    var scenario = Scenario.standard(phones: 100)
    scenario.encoding = encoding
    return RunPlan.test(scenario)
  }

  /// A share with these phones when each of them uploads once, `number` intervals long.
  static func share(_ phones: Range<Int>, after number: Int = 1) -> ShareInterval {
    var share = ShareInterval(
      second: number,
      moment: .init(
        at: plan.scenario.measureStart + .seconds(Int64(number)), wallSeconds: Double(number),
        seconds: 1, phase: "measure"),
      phones: phones.count, freshness: FleetMetrics(plan.scenario).freshness)
    share.senders = [
      .init(name: "generator", cores: 0.25, residentBytes: 1_000, waited: 0.5)
    ]
    for phone in phones {
      let timing = BatchTiming(
        generatorLag: Int64(phone), connect: 0, hold: 10, service: Int64(1_000 + 97 * phone))
      share.load.latency.record(timing)
      share.load.latency.attempt.record(timing.service)
      share.load.counters[.offeredBatches] += 1
      share.load.counters[.acknowledgedBatches] += 1
      share.load.counters[.acknowledgedFixes] += 3
      share.counts[.reachable] += 1
      share.counts[.fixesPersisted] += 5 * number
      share.counts[.fixesAcknowledged] += 3 * number
      share.counts[.bytesSent] += 400 * number
      share.counts[.openConnections] += 1
      share.counts.count(.statuses, "UNAVAILABLE")
      share.counts[.payloadPlainBytes] += 900 * number
      share.counts[.payloadBytes] += 300 * number
      share.counts[.pushesRequested] += number
      share.counts.count(.outcomes, "caused")
    }
    return share
  }

  /// As received from another process.
  private func travelled(_ share: ShareInterval) throws -> ShareInterval {
    let packed = try #require(PackedInterval(bytes: PackedInterval(share).bytes))
    return try #require(packed.alone)
  }

  /// An interval in which every value differs from the initial one.
  private static var full: ShareInterval {
    var share = share(30..<70, after: 3)
    let timing = BatchTiming(generatorLag: 5, connect: 900, hold: 0, service: 2_000)
    var secured = timing
    secured.handshake = .init(isResumed: true, lasted: 600)
    share.load.latency.record(secured)
    share.load.latency.recordFailure(timing, deadline: 30_000_000)
    share.load.counters[.failedBatches] = 1
    share.freshness.installed.ages.add(from: .seconds(-2), to: .hours(50))
    share.freshness.moving.ages.addNever(.minutes(3))
    share.freshness.cohorts[0].fresh = .seconds(17)
    share.counts[.submitted] = .max
    share.counts[.outcomes]["rejected"] = 0
    share.senders[0].sending = .init(batchesPerSecond: 12.5, lagMaxMicroseconds: 4_000_000)
    share.senders.append(.init(name: "generator, späte", cores: nil, residentBytes: 0))
    return share
  }

  @Test("an interval reads back as sent, and from JSON")
  func asItWas() throws {
    for share in [Self.full, Self.share(0..<1), Self.share(0..<0)] {
      #expect(try travelled(share) == share)
      let json = try JSONEncoder().encode(share)
      #expect(try JSONDecoder().decode(ShareInterval.self, from: json) == share)
    }
  }

  @Test("an interval with missing or extra bytes is refused")
  func damaged() {
    let bytes = PackedInterval(Self.full).bytes
    for count in 0..<bytes.count {
      #expect(PackedInterval(bytes: Array(bytes.prefix(count))) == nil)
    }
    #expect(PackedInterval(bytes: bytes + [0]) == nil)
    for byte: UInt8 in [0x00, 0x7F, 0xFF] {
      #expect(PackedInterval(bytes: Array(repeating: byte, count: 4_000)) == nil)
    }
  }

  @Test("the sum of sixteen processes' messages is that of their histograms, bin by bin")
  func sums() throws {
    var rounds = IntervalRounds(processes: 16)
    var expected = Self.share(0..<0)
    for number in 0..<16 {
      var share = Self.share(number * 50..<(number + 1) * 50)
      if number % 3 == 0 { share.load.merge(Self.full.load) }
      share.freshness.reachable.ages.add(
        from: .seconds(Int64(number * 977)), to: .hours(Int64(number + 3)))
      rounds.add(PackedInterval(bytes: PackedInterval(share).bytes), from: number)
      if number == 0 { expected = share } else { expected.merge(share) }
    }
    let next = rounds.next()
    let sum = try #require(next)
    #expect(sum == expected && sum.load.latency.response.total > 1_000)
    #expect(sum.load.latency.response.sparse == expected.load.latency.response.sparse)
  }

  private func compose(_ shares: [ShareInterval]) -> [LiveInterval] {
    var watch = LiveWatch(Self.plan, server: nil)
    return shares.map { watch.interval($0, []) }
  }

  @Test("the row and the picture of two shares are those of one process with all their phones")
  func merged() throws {
    let sums = try [1, 2].map { number in
      var sum = try travelled(Self.share(0..<30, after: number))
      sum.merge(try travelled(Self.share(30..<100, after: number)))
      return sum
    }
    let whole = [1, 2].map { Self.share(0..<100, after: $0) }
    for (sum, one) in zip(compose(sums), compose(whole)) {
      var (row, picture) = (sum.row, sum.snapshot)
      #expect(row.generatorCores == 0.5 && row.generatorResidentBytes == 2_000)
      row.generatorCores = one.row.generatorCores
      row.generatorResidentBytes = one.row.generatorResidentBytes
      #expect(row == one.row)
      #expect(row.offeredPerSecond == 100 && row.responseP50Microseconds ?? 0 > 5_000)
      #expect(picture.processes.map(\.name) == ["generator", "generator 2"])
      picture.processes = one.snapshot.processes
      #expect(picture == one.snapshot)
      #expect(picture.phones?.installed == 100)
    }
  }

  @Test("savings by compression are known by kind of message, for payloads if compressed")
  func saved() {
    let calls = [
      TrafficFigures.Compressed(kind: "restore", messages: 3, plainBytes: 900, bytes: 100)
    ]
    for (encoding, saved) in [
      (BatchEncoding.packed, ["restore": 800]), (.columns, ["restore": 800, "upload": 30 * 600]),
    ] {
      let plan = Self.plan(encoding)
      var watch = LiveWatch(plan, server: nil)
      let interval = watch.interval(Self.share(0..<30), [], compressed: calls)
      #expect(interval.snapshot.wire?.saved == saved)
    }
  }

  @Test("one share's picture is of its own phones")
  func alone() {
    let interval = compose([Self.share(0..<30)])[0]
    #expect(interval.snapshot.phones?.installed == 30)
    #expect(interval.row.offeredPerSecond == 30 && interval.snapshot.wire?.ratio == 3)
  }
}

extension PackedInterval {
  /// The interval of the share alone.
  var alone: ShareInterval? {
    var rounds = IntervalRounds(processes: 1)
    rounds.add(self, from: 0)
    return rounds.next()
  }
}

extension ShareInterval {
  /// Adds the share with the next phones: histogram by histogram, nothing packed.
  mutating func merge(_ other: ShareInterval) {
    phones += other.phones
    senders += other.senders
    counts += other.counts
    freshness.merge(other.freshness)
    load.merge(other.load)
  }
}
