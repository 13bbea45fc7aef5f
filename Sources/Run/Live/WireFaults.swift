internal import Core
internal import Scenarios
internal import Transport
internal import Uploads

/// Injects connection faults through a proxy for uploads; control calls bypass the proxy.
final class WireFaults {
  let endpoint: Endpoint
  private let proxy: FaultProxy

  init?(
    _ plan: RunPlan, from start: SimInstant, loop: EventLoop, to target: Endpoint
  ) throws(CollectorRunError) {
    let scenario = plan.scenario
    let faults = scenario.faults.compactMap { fault -> WireFault? in
      guard let kind = WireFault.Kind(fault), fault.at >= start else { return nil }
      let wait = WallDuration(seconds: (fault.at - start).seconds / scenario.speed)
      // The proxy starts slightly before the clock.
      let from = wait + LiveSession.startsIn
      return WireFault(kind, from: from, until: from + fault.lastsWall, share: fault.share)
    }
    guard !faults.isEmpty else { return nil }
    do throws(TransportError) {
      proxy = try FaultProxy(
        loop: loop, FaultPlan(seed: scenario.seed, faults: faults), to: target)
      endpoint = Endpoint(host: "127.0.0.1", port: try proxy.listen())
    } catch {
      throw .unreachable("the proxy for the scenario's wire faults: \(error)")
    }
  }

  var counters: ProxyCounters { proxy.counters() }

  func close() { proxy.close() }
}

extension WireFault.Kind {
  init?(_ fault: Fault) {
    switch fault.kind {
    case .networkOutage, .serverOutage, .providerOutage, .collectorStall, .collectorKill,
      .generatorStall:
      return nil
    case .wireDelay: self = .delay(latency: fault.wire.latency, jitter: fault.wire.jitter)
    case .wireStall: self = .stall
    case .wireCut: self = .cut(within: Int(fault.wire.bytes))
    case .wireHalfOpen: self = .halfOpen
    case .wireThrottle: self = .throttle(bytesPerSecond: fault.wire.bytesPerSecond)
    case .wireFlip: self = .flip(probability: fault.wire.probability)
    }
  }
}
