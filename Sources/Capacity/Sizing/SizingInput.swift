package import Core
package import Scenarios

package struct SizingInput: Sendable {
  package var demand: DemandRecord
  /// The capacity of a core in batches a second; sizes follow from the lower end of its interval.
  package var perCore: Ratio
  /// The collectors' database; nil if each collector has a file.
  package var database: DatabaseCapacity?
  package var prices: PriceList
  /// The acceptable delay of an ack, in seconds: one of `DemandCurve.delays`.
  package var delay: Double
  /// The conditions under which `perCore` was measured, as words for a sentence.
  package var conditions = "reference collector, loopback, no TLS"
  /// The operating systems of the phones.
  package var systems = ["iOS"]
  /// The assumptions, in the order of `Name`.
  package var assumptions: [Assumption]

  /// - Parameter bytesStored: The bytes of a batch in the collector's store; nil if not measured.
  /// - Parameter residentBytes: The memory of a collector under load; nil if not measured.
  package init(
    demand: DemandRecord, perCore: Ratio, prices: PriceList, delay: Double,
    bytesStored: Double?, residentBytes: Double?, tls: TLSCost? = nil, isHTTP2: Bool = false
  ) {
    self.demand = demand
    self.perCore = perCore
    self.prices = prices
    self.delay = delay
    assumptions = Name.allCases.map {
      $0.assumption(
        bytesStored: bytesStored, bytesPerBatch: demand.bytesPerBatch, residentBytes: residentBytes)
    }
    if isHTTP2 { useHTTP2() }
    if let tls { secure(tls) }
  }

  /// Returns the instances to buy if the demand at the peak is `factor` times as high.
  package func instances(atPeak factor: Double) -> Int {
    var input = self
    input.demand.peakConnections *= factor
    let rate = (demand.sustained(delay: delay)?.value ?? 0) * factor
    return Sizing(
      input, perCore: perCore.low, rate: rate, values: assumptions.map(\.value)
    ).total
  }

  /// Adds the cost of HTTP/2: on its own connection, an upload sends 220 and receives 130 bytes,
  /// not Flotilla's 68 and 15. `bench ingest` checks that a session takes at most 14 KiB.
  private mutating func useHTTP2() {
    change(.overheadIn, by: 152, "HTTP/2")
    change(.bytesOut, by: 115, "HTTP/2")
    change(.bytesPerConnection, by: 10_240, "HTTP/2")
  }

  /// Adds the measured traffic of TLS, and the greatest memory per gRPC connection with TLS.
  private mutating func secure(_ tls: TLSCost) {
    change(.overheadIn, by: tls.mean.bytesIn, "TLS")
    change(.bytesOut, by: tls.mean.bytesOut, "TLS")
    change(.bytesPerConnection, by: 16_384, "TLS")
  }

  private mutating func change(_ name: Name, by bytes: Double, _ reason: String) {
    assumptions[name.rawValue].value += bytes
    assumptions[name.rawValue].low += bytes
    assumptions[name.rawValue].high += bytes
    let source = assumptions[name.rawValue].source.replacing("; no TLS", with: "")
    assumptions[name.rawValue].source =
      "\(source); \(Figure.quantity(bytes.rounded())) of them for \(reason)"
  }

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
          source: "both buffers, without the kernel's part")
      case .baseMemory:
        Assumption(
          "baseMemoryBytes", max(residentBytes ?? 0, 120e6),
          max(residentBytes ?? 0, 60e6)...max((residentBytes ?? 0) * 2, 240e6), unit: "bytes",
          source: residentBytes == nil ? "a collector without phones" : "a collector in a trial")
      case .peakFactor:
        Assumption(
          "peakFactor", 1, 0.9...1.3, unit: "times the simulated peak",
          source: "variation between days; one day is simulated")
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
