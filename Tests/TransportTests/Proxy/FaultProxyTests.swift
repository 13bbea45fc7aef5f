import Core
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("The fault proxy", .quick)
struct FaultProxyTests {
  /// Uploads through a proxy that applies `faults` from the beginning.
  func upload(
    _ count: Int, _ use: ConnectionUse, _ faults: [WireFault],
    deadline: WallDuration = .seconds(60), over spread: WallDuration = .milliseconds(200),
    _ check: (UploadReport, ProxyCounters, Sheet) -> Void
  ) throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let proxy = try FaultProxy(
        loop: world.loop, FaultPlan(seed: 3, faults: faults), to: collector.endpoint)
      world.keep(proxy)
      let port = try proxy.listen()
      let fleet = try TestFleet(in: world, to: Endpoint(host: "127.0.0.1", port: port), use)
      fleet.dispatcher.submit(
        try TestFleet.jobs(count, from: world.now, over: spread, deadline: deadline))
      let report = fleet.wait(for: count, in: world)
      check(report, proxy.counters(), fleet.dispatcher.counters())
    }
  }

  func fault(_ kind: WireFault.Kind, share: Double = 1) -> WireFault {
    WireFault(kind, from: .zero, until: .seconds(600), share: share)
  }

  @Test(
    "without faults every upload passes", arguments: [.perUpload, .pooled(4)] as [ConnectionUse])
  func plain(use: ConnectionUse) throws {
    try upload(300, use, []) { report, proxy, _ in
      #expect(report.acknowledged == 300)
      #expect(proxy.connections == (use == .perUpload ? 300 : 4))
      #expect(proxy.bytes > 0)
      #expect(proxy.text == "nothing")
    }
  }

  @Test(
    "changed bytes cost attempts, and acknowledge nothing that did not arrive",
    arguments: [.perUpload, .pooled(4)] as [ConnectionUse])
  func flips(use: ConnectionUse) throws {
    try upload(300, use, [fault(.flip(probability: 0.002))], deadline: .seconds(2)) {
      report, proxy, counters in
      #expect(proxy.flipped > 0)
      #expect(counters[.retries] > 0)
      #expect(report.acknowledged > 0)
      // The collector answers "three fixes" for a stored upload; a damaged ack counts for nothing.
      #expect(
        report.completions.allSatisfy { completion in
          guard case .acknowledged(_, let fixes) = completion.outcome else { return true }
          return fixes == 3 || fixes > 0
        })
    }
  }

  @Test("cut connections are retried until the upload succeeds")
  func cuts() throws {
    try upload(200, .perUpload, [fault(.cut(within: 300), share: 0.4)]) { report, proxy, _ in
      #expect(proxy.cut > 0)
      #expect(report.acknowledged > 190)
    }
  }

  @Test("a delayed wire keeps the order of its bytes, and delays both directions")
  func delay() throws {
    let late = fault(.delay(latency: .milliseconds(5), jitter: .milliseconds(20)))
    try upload(200, .pooled(2), [late]) { report, proxy, _ in
      #expect(proxy.delayed > 0)
      #expect(report.acknowledged == 200)
      #expect(report.completions.allSatisfy { $0.response >= .milliseconds(10) })
    }
  }

  @Test("a half-open shared connection is given up at the first deadline, not kept for ever")
  func halfOpen() throws {
    // Half of the connections: without giving up, every phone that shares one of them waits for
    // ever.
    let fault = fault(.halfOpen, share: 0.5)
    // The later ones come when the first have timed out.
    try upload(
      40, .pooled(4), [fault], deadline: .milliseconds(300), over: .milliseconds(1_500)
    ) { _, proxy, counters in
      #expect(proxy.halfOpen > 0)
      #expect(counters[.connects] > 4)
    }
  }

  @Test("a missing target resets its clients, and they notice")
  func refused() throws {
    try inWorld { world in
      let proxy = try FaultProxy(
        loop: world.loop, FaultPlan(seed: 3, faults: []), to: Endpoint(host: "127.0.0.1", port: 1))
      world.keep(proxy)
      let port = try proxy.listen()
      let fleet = try TestFleet(in: world, to: Endpoint(host: "127.0.0.1", port: port))
      // Long enough for all attempts: the reset ends them, not the clock.
      fleet.dispatcher.submit(try TestFleet.jobs(3, from: world.now, deadline: .seconds(60)))
      let report = fleet.wait(for: 3, in: world)
      #expect(report.acknowledged == 0)
      #expect(proxy.counters().refused > 0)
    }
  }
}
