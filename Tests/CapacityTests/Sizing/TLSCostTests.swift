internal import Core
internal import TestSupport
internal import Testing
@testable import Capacity

@Suite("Cost of TLS", .quick)
struct TLSCostTests {
  private static func cost(resumed: Double) -> TLSCost {
    TLSCost(
      key: "P-256", full: .init(cpuSeconds: 300e-6, bytesIn: 500, bytesOut: 1_400),
      resumed: .init(cpuSeconds: 200e-6, bytesIn: 600, bytesOut: 400), resumedShare: resumed)
  }

  @Test("the cost of an upload is the mean of full and resumed handshakes")
  func mean() {
    let mean = Self.cost(resumed: 0.75).mean
    #expect(abs(mean.cpuSeconds - 225e-6) < 1e-12)
    #expect(mean.bytesIn == 575)
    #expect(mean.bytesOut == 650)
  }

  @Test("a core has the same utilisation with TLS as without, and the TLS share is reported")
  func core() {
    var cost = Self.cost(resumed: 0)
    // 4,000 a second at 100 us each: 40 % utilisation, as with 1,000 at 400 us.
    let with = cost.applied(
      to: Ratio(value: 4_000, low: 4_000, high: 8_000), cpuSecondsPerBatch: 100e-6)
    #expect(abs(with.value - 1_000) < 1e-6)
    #expect(abs(with.low - 1_000) < 1e-6)
    #expect(abs(with.high - 2_000) < 1e-6)
    #expect(abs(cost.coreShare - 0.75) < 1e-9)
  }

  @Test("without a measured cost a core is assumed to be fully utilized")
  func unknown() {
    var cost = Self.cost(resumed: 1)
    let with = cost.applied(
      to: Ratio(value: 5_000, low: 5_000, high: 5_000), cpuSecondsPerBatch: nil)
    #expect(abs(with.value - 2_500) < 1e-6)
    #expect(cost.applied(to: Ratio(value: 0, low: 0, high: 0), cpuSecondsPerBatch: nil).value == 0)
  }

  @Test("TLS adds its bytes and memory to a size, whose answer no longer says 'no TLS'")
  func size() throws {
    var capacity = CapacityRecord(
      source: .measured, perCore: Ratio(value: 10, low: 10, high: 10))
    (capacity.carrier, capacity.tls) = ("grpc", Self.cost(resumed: 0.75))
    let plain = SizingTests.input(perCore: 10)
    var secured = SizingInput(
      demand: plain.demand, perCore: plain.perCore, prices: plain.prices, delay: 1,
      bytesStored: 250, residentBytes: nil, tls: capacity.tls, isHTTP2: true)
    secured.conditions = capacity.conditions
    let size = SizeRecord(secured, seed: 1)
    #expect(!size.caveat.contains("no TLS"))
    #expect(size.caveat.contains("grpc, TLS 1.3 with P-256, 75.0 % resumed, measured separately"))
    let values = zip(plain.assumptions, secured.assumptions).map { ($0.name, $1.value - $0.value) }
    let added = Dictionary(uniqueKeysWithValues: values)
    #expect(added["overheadInBytes"] == 727.0)
    #expect(added["outBytes"] == 765.0)
    #expect(added["bytesPerConnection"] == 26_624.0)
    #expect(!secured.assumptions.contains { $0.source.contains("no TLS") })
    let before = SizeRecord(plain, seed: 1)
    #expect(size.networkInBitsPerSecond > before.networkInBitsPerSecond)
  }
}
