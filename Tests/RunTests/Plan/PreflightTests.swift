import Core
import TestSupport
import Testing

@testable import Run
@testable import Scenarios

@Suite("Preflight", .quick)
struct PreflightTests {
  private static let library = ScenarioLibrary(folders: ["scenarios"])
  private static let forecast = LoadForecast(
    sample: 2_000, startPerSecond: 180, peakPerSecond: 250.2, bytesPerPhone: 400)
  private static let limits = MachineLimits(
    descriptors: 1_024, descriptorsHard: 1_048_576, ports: 28_232, memoryBytes: 8_000_000_000)

  private static func flight(
    _ connections: ConnectionMode, phones: Int = 1_000_000, isLoopback: Bool = true
  ) throws -> Preflight {
    var scenario = try Self.library.load("metropolis")
    scenario.fleet.phones = phones
    scenario.connections = connections
    return Preflight(scenario, forecast, limits, isLoopback: isLoopback)
  }

  @Test("a million phones with one connection per upload need what the peak second needs")
  func perUpload() throws {
    let flight = try Self.flight(.perUpload)
    #expect(flight.connections == 251)
    #expect(flight.shortages.isEmpty)
    #expect(flight.memoryBytes > 600_000_000)
  }

  @Test("one connection per phone needs descriptors, and as many addresses as its ports need")
  func perPhone() throws {
    let flight = try Self.flight(.perPhone, phones: 100_000)
    #expect(flight.descriptors > 100_000)
    #expect(flight.sourceAddresses == 6)
    #expect(flight.shortages.count == 1)
    #expect(flight.shortages[0].contains("ulimit -n \(flight.descriptors)"))
    let remote = try Self.flight(.perPhone, phones: 100_000, isLoopback: false)
    #expect(remote.sourceAddresses == 1)
    #expect(remote.shortages.contains { $0.contains("ip_local_port_range") })
    // The advice can be typed.
    let advice = "connections=pooled(1000)"
    #expect(remote.shortages.contains { $0.contains(advice) })
    let shared = try Self.library.load("metropolis", settings: [ScenarioChange(advice)])
    #expect(shared.connections == .pooled(1_000))
  }

  @Test("a warning about phones that all start with the run recommends a warm start")
  func stampede() throws {
    var scenario = try Self.library.load("metropolis")
    let rush = LoadForecast(
      sample: 2_000, startPerSecond: 6_142, peakPerSecond: 6_142, bytesPerPhone: 400)
    func advice() -> [String] {
      Preflight(scenario, rush, Self.limits, isLoopback: true).shortages.filter {
        $0.contains("warmStart")
      }
    }
    #expect(advice().isEmpty)
    scenario.warmStart = .zero
    #expect(advice().count == 1)
    #expect(advice().first?.contains("368520") == true)
  }

  @Test("the system's limits are read")
  func limits() {
    #expect(MachineLimits.ports("32768\t60999\n") == 28_232)
    #expect(
      MachineLimits.availableMemory("MemTotal: 9 kB\nMemAvailable:   2000 kB\n") == 2_048_000)
  }
}
