internal import Core
internal import Foundation
internal import Scenarios
internal import TestSupport
internal import Testing
@testable import Capacity

@Suite("Sizing", .quick)
struct SizingTests {
  /// Two batches a second of a hundred phones, for an hour.
  static var demand: DemandRecord {
    var recorder = DemandRecorder(policies: ["p"], seconds: 3_600)
    for half in 0..<7_200 {
      let second = Double(half) / 2
      recorder.add(
        second, phone: UInt32(half % 100), policy: 0, fixes: 20, bytes: 200,
        open: second...(second + 0.2))
    }
    recorder.addPush(10)
    return DemandRecord(recorder, phones: 100, lived: 100, seed: 1)
  }

  static func input(perCore: Double, _ prices: PriceList = .unpriced) -> SizingInput {
    SizingInput(
      demand: demand, perCore: Ratio(value: perCore, low: perCore, high: perCore), prices: prices,
      delay: 1, bytesStored: 250, residentBytes: nil)
  }

  @Test("instances, spares and zones by hand")
  func byHand() {
    var prices = PriceList.unpriced
    prices.headroom = 0.5
    prices.spare = 1
    // C*(1 s) of two a second is nearly 2: 1 core at 0.5 carries 0.5 of its 1.
    let size = SizeRecord(Self.input(perCore: 1, prices), seed: 1)
    #expect(abs(size.rate.value - 2) < 0.01)
    #expect(size.limiting == .cpu)
    #expect(size.needed == 5 || size.needed == 4)
    #expect(size.instances == size.needed + 1)
    #expect(size.withTwoSpares == size.needed + 2)
    prices.zones = 3
    let zoned = SizeRecord(Self.input(perCore: 1, prices), seed: 1)
    // Two of three zones have to be enough.
    #expect(zoned.withZoneLoss == (zoned.needed + 1) / 2 * 3)
    #expect(zoned.instances >= zoned.withZoneLoss)
  }

  @Test("machines bear the reads of viewers, each as a batch, but no messages to them")
  func reads() throws {
    var input = Self.input(perCore: 10)
    let plain = SizeRecord(input, seed: 1)
    input.demand.views = ViewDemand(ViewSeries([30, 50, 10]))
    let read = SizeRecord(input, seed: 1)
    let (before, after) = (try #require(plain.needs.first), try #require(read.needs.first))
    #expect(before.resource == .cpu && abs(after.demand - before.demand - 50) < 1e-9)
    #expect(read.needs.dropFirst() == plain.needs.dropFirst())
    #expect(read.rate == plain.rate && read.peakReads == 50 && read.instances > plain.instances)
    #expect(abs(read.phonesPerCore / (100 * 10 / (read.rate.value + 50)) - 1) < 0.06)
    #expect(read.caveat.contains("a viewer’s read counted as a batch"))
    input.demand.views?.areMessages = true
    let sent = SizeRecord(input, seed: 1)
    #expect(sent.needs == plain.needs && sent.phonesPerCore == plain.phonesPerCore)
    let text = String(decoding: try JSONEncoder().encode(plain), as: UTF8.self)
    #expect(!text.contains("peakReads") && !plain.caveat.contains("viewer"))
  }

  @Test("storage, quota, headroom and cost by hand")
  func amounts() throws {
    var prices = PriceList.unpriced
    prices.storage = 0.1
    prices.instance.price = 1
    prices.replication = 3
    let size = SizeRecord(Self.input(perCore: 1_000, prices), seed: 1)
    #expect(abs(size.storageBytesPerDay - 2 * 86_400 * 250 * 3) < 1)
    #expect(abs(size.storedBytes - size.storageBytesPerDay * 30) < 1)
    #expect(size.pushQuotaShare == 1 / 600_000.0)
    #expect(size.instances == 2 && size.needed == 1)
    // A hundred phones send 2/s; a core carries 500 times that.
    #expect(abs(size.phonesPerCore - 50_000) <= 100)
    let days = try #require(size.daysUntilExhausted)
    #expect(abs(pow(1.05, days / (365.25 / 12)) - size.headroom) < 1e-6)
    let months = 365.25 / 12
    #expect(abs(size.costPerMonth - (2 * 24 * months + size.storedBytes / 1e9 * 0.1)) < 0.01)
  }

  @Test("an uncertainty of the peak changes the instances by the same share")
  func swings() throws {
    let size = SizeRecord(Self.input(perCore: 0.5), seed: 1)
    let peak = try #require(size.swings.first { $0.name == "peakFactor" })
    let load = try #require(size.needs.first).demand / size.needs[0].perInstance
    #expect(abs(peak.atLow / load - 0.9) < 1e-9 && abs(peak.atHigh / load - 1.3) < 1e-9)
    let stored = try #require(size.swings.first { $0.name == "storedBytesPerBatch" })
    #expect(stored.atLow == stored.atHigh)
  }

  @Test("the intervals contain the answer, and every uncertainty widens them")
  func intervals() {
    let size = SizeRecord(Self.input(perCore: 0.5), seed: 1)
    #expect(size.interval.low <= Double(size.instances))
    #expect(size.interval.high >= Double(size.instances))
    #expect(size.inputs.high > size.inputs.low)
    let peak = size.sensitivity.first { $0.name == "peakFactor" }
    #expect((peak?.load ?? 0) > 0.9)
    #expect(size.caveat.contains("loopback, no TLS"))
  }

  @Test("an answer from the user's own figures names them, and does not name our collector")
  func ownFigures() {
    for (source, words) in [
      (CapacityRecord.Source.given, "capacity given by --capacity"),
      (.curve, "capacity from the curve of --curve"),
    ] {
      let capacity = CapacityRecord(source: source, perCore: Ratio(value: 10, low: 10, high: 10))
      var input = Self.input(perCore: 10)
      input.conditions = capacity.conditions
      let caveat = SizeRecord(input, seed: 1).caveat
      #expect(caveat.hasPrefix(words) && !caveat.contains("collector"), "\(caveat)")
    }
  }

  @Test("safe utilisation of one and of many servers agrees with Erlang C tables")
  func erlang() {
    // Mean and p99 in service times.
    for (servers, utilisation, mean, p99) in [
      (1, 0.8, 4.0, 21.9), (4, 0.8, 0.75, 5.1), (8, 0.8, 0.29, 2.4), (8, 0.9, 0.88, 5.3),
      (16, 0.9, 0.37, 2.5), (32, 0.95, 0.43, 2.7),
    ] {
      let queue = ErlangC(servers: servers, utilisation: utilisation)
      #expect(abs(queue.meanWait - mean) < 0.06 * mean + 0.01, "\(servers) \(queue.meanWait)")
      #expect(abs(queue.wait(atQuantile: 0.99) - p99) < 0.03 * p99 + 0.05, "\(servers)")
    }
    let one = ErlangC.safeUtilisation(servers: 1, limit: 10)
    let eight = ErlangC.safeUtilisation(servers: 8, limit: 10)
    #expect(one < eight)
    #expect(abs(ErlangC(servers: 1, utilisation: one).wait(atQuantile: 0.99) - 10) < 0.01)
  }

  @Test("a Latin hypercube has one point in each strip of each dimension")
  func hypercube() {
    let cube = LatinHypercube(points: 50, dimensions: 4, seed: 7)
    for dimension in 0..<4 {
      let strips = cube.points.map { Int($0[dimension] * 50) }
      #expect(Set(strips) == Set(0..<50))
    }
  }

  @Test("prices are read, and errors name their line")
  func prices() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "prices-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("prices.yaml").path
    try """
    currency: EUR
    instance: { name: c7g.large, cores: 2, memory: 4GiB, network: 10Gbit, price: 0.08 }
    storage: 0.05
    retention: 90d
    growth: 10%
    """.write(toFile: file, atomically: true, encoding: .utf8)
    let prices = try PriceList.read(file)
    #expect(prices.instance.memoryBytes == 4 * 0x1p30)
    #expect(prices.instance.networkBits == 1e10)
    #expect(prices.retention.seconds == 90 * 86_400)
    #expect(prices.replication == PriceList.unpriced.replication)
    try "currency: EUR\ninstance: { cores: many }\nstorrage: 1\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    let fault = #expect(throws: ScenarioError.self) { try PriceList.read(file) }
    let text = fault?.description ?? ""
    #expect(text.contains("prices.yaml:2:"))
    #expect(text.contains("prices.yaml:3:") && text.contains("'storage'"))
  }
}
