internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Faults of the wire in a scenario", .quick)
struct FaultSchemaTests {
  func fault(_ text: String) -> String { "faults=[{ at: 09:00, \(text) }]" }

  @Test(
    "each kind is read with its figures and shown as it reads back",
    arguments: [
      ("kind: wire-delay, for: 5s, latency: 80ms, jitter: 20ms", Fault.Kind.wireDelay),
      ("kind: wire-stall, for: 2s", .wireStall),
      ("kind: wire-cut, for: 5s, bytes: 500, share: 20%", .wireCut),
      ("kind: wire-half-open, for: 5s, share: 10%", .wireHalfOpen),
      ("kind: wire-throttle, for: 5s, bytesPerSecond: 20000", .wireThrottle),
      ("kind: wire-flip, for: 5s, probability: 0.001", .wireFlip),
    ] as [(String, Fault.Kind)])
  func kinds(text: String, kind: Fault.Kind) throws {
    let scenario = try read(smallest, settings: [fault(text)])
    let fault = try #require(scenario.faults.first)
    #expect(fault.kind == kind)
    #expect(fault.kind.isOfWire)
    // Wall-clock time, as of a stall: transport time is not compressed.
    #expect(fault.lastsWall >= .seconds(2) && fault.lasts == .zero)
    #expect(text.contains("kind: \(fault.name),"))
    #expect(try read(scenario.text) == scenario)
  }

  @Test("figures are read in their units")
  func figures() throws {
    let scenario = try read(
      smallest, settings: [fault("kind: wire-delay, for: 5s, latency: 80ms, jitter: 20ms")])
    #expect(scenario.faults[0].wire.latency == .milliseconds(80))
    #expect(scenario.faults[0].wire.jitter == .milliseconds(20))
  }

  @Test(
    "a missing or superfluous key of a kind is a mistake",
    arguments: [
      ("kind: wire-cut, for: 5s", "'bytes' is missing"),
      ("kind: wire-flip, for: 5s", "'probability' is missing"),
      ("kind: wire-throttle, for: 5s", "'bytesPerSecond' is missing"),
      ("kind: wire-delay, for: 5s", "'latency' or 'jitter' is missing"),
      ("kind: wire-stall", "'for' is missing"),
      ("kind: wire-stall, for: 5s, bytes: 9", "'bytes' is only for wire-cut"),
      ("kind: wire-stall, for: 5s, cohort: all", "'cohort' is only for network-outage"),
      ("kind: wire-cutt, for: 5s", "Did you mean 'wire-cut'?"),
      ("kind: wire-flip, for: 5s, probabilty: 0.1", "Did you mean 'probability'?"),
      ("kind: wire-flip, for: 5s, probability: 2", "from 0 to 1"),
    ])
  func diagnostic(text: String, message: String) throws {
    let found = diagnostics(in: smallest, settings: [fault(text)])
    #expect(found.contains { $0.contains(message) }, "\(found)")
  }
}
