package import Measure
package import Scenarios

/// All that a size is estimated from.
package struct SizingInput: Sendable {
  /// Is the demand of all phones.
  package var demand: DemandRecord
  /// Of one core, batches a second, with what it may be off: sized from its lower end.
  package var perCore: Ratio
  /// What the collectors' database carries; nil: each collector has a file.
  package var database: DatabaseCapacity?
  /// Says what the backend is bought in and what is asked of it beside its load.
  package var prices: PriceList
  /// What an ack may wait: one of `DemandCurve.delays`.
  package var delay: Double
  /// Holds the numbers that were neither measured nor simulated, in the order of `Name`.
  package var assumptions: [Assumption]

  /// - Parameters:
  ///   - bytesStored: of a batch in the collector's store; nil: nobody measured it.
  ///   - residentBytes: of a collector under load; nil as well.
  package init(
    demand: DemandRecord, perCore: Ratio, prices: PriceList, delay: Double,
    bytesStored: Double?, residentBytes: Double?
  ) {
    self.demand = demand
    self.perCore = perCore
    self.prices = prices
    self.delay = delay
    assumptions = Name.allCases.map {
      $0.assumption(
        bytesStored: bytesStored, bytesPerBatch: demand.bytesPerBatch, residentBytes: residentBytes)
    }
  }

  /// The assumptions, in their order.
  enum Name: Int, CaseIterable {
    case overheadIn, bytesOut, bytesStored, bytesPerPhone, bytesPerConnection, baseMemory
    case peakFactor

    func assumption(
      bytesStored: Double?, bytesPerBatch: Double, residentBytes: Double?
    ) -> Assumption {
      switch self {
      case .overheadIn:
        Assumption(
          "overheadInBytes", 480, 300...800, unit: "bytes an upload",
          source: "handshake, 5 packets with IPv4 and TCP headers, frames; no TLS")
      case .bytesOut:
        Assumption(
          "outBytes", 420, 250...700, unit: "bytes an upload",
          source: "handshake, 4 packets with IPv4 and TCP headers, the ack")
      case .bytesStored: Self.stored(bytesStored, bytesPerBatch)
      case .bytesPerPhone:
        Assumption(
          "bytesPerPhone", 200, 100...400, unit: "bytes of memory",
          source: "a phone's row in the collector's tables")
      case .bytesPerConnection:
        Assumption(
          "bytesPerConnection", 4_096, 2_048...16_384, unit: "bytes of memory",
          source: "both buffers, beside the kernel's part")
      case .baseMemory:
        Assumption(
          "baseMemoryBytes", max(residentBytes ?? 0, 120e6),
          max(residentBytes ?? 0, 60e6)...max((residentBytes ?? 0) * 2, 240e6), unit: "bytes",
          source: residentBytes == nil ? "a collector without phones" : "a collector under trial")
      case .peakFactor:
        Assumption(
          "peakFactor", 1, 0.9...1.3, unit: "times the simulated peak",
          source: "days differ: a Monday in a simulated town is not every day")
      }
    }

    private static func stored(_ measured: Double?, _ bytesPerBatch: Double) -> Assumption {
      let value = measured ?? bytesPerBatch + 80
      return Assumption(
        "storedBytesPerBatch", value, value * 0.9...value * (measured == nil ? 1.6 : 1.2),
        unit: "bytes",
        source: measured == nil
          ? "packed columns and a row of the store" : "growth of the store over the trials")
    }
  }
}
