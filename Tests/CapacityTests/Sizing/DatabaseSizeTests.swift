internal import Core
internal import Scenarios
internal import TestSupport
internal import Testing
@testable internal import Capacity

@Suite("The size of a collectors' database", .quick)
struct DatabaseSizeTests {
  private var prices: PriceList {
    var prices = PriceList.unpriced
    prices.instance.cores = 4
    prices.instance.price = 0.5
    prices.headroom = 0.5
    return prices
  }

  @Test("cores carry the peak at the planned utilisation, and instances hold the cores")
  func cores() throws {
    var capacity = DatabaseCapacity(carried: Ratio(value: 900, low: 800, high: 1_000))
    capacity.perCore = Ratio(value: 1_100, low: 1_000, high: 1_200)
    let size = DatabaseSize(capacity, rate: 2_400, prices: prices)
    #expect(size.cores == 5 && size.instances == 2 && size.likeMeasured == 6)
    #expect(abs((size.utilisation ?? 0) - 0.48) < 1e-12)
    #expect(abs(size.costPerMonth - 2 * 0.5 * 24 * 365.25 / 12) < 1e-9)
  }

  @Test("a database without measured processor time keeps its measured size, and costs nothing")
  func unseen() {
    let capacity = DatabaseCapacity(carried: Ratio(value: 900, low: 800, high: 1_000))
    let size = DatabaseSize(capacity, rate: 300, prices: prices)
    #expect(size.cores == nil && size.instances == nil && size.likeMeasured == 1)
    #expect(size.costPerMonth == 0)
  }

  @Test("a plan has a database only if its collectors have one")
  func record() {
    var input = SizingTests.input(perCore: 1_000)
    #expect(SizeRecord(input, seed: 1).database == nil)
    input.database = DatabaseCapacity(carried: Ratio(value: 900, low: 800, high: 1_000))
    #expect(SizeRecord(input, seed: 1).database?.likeMeasured == 1)
  }
}
