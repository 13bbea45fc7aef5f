package import Core

/// Compares Flotilla and its peers under the same load. A round runs each program once, so that a
/// slow moment of the machine affects all programs. The results are the ratios within a round.
package struct PeerBench: Benchmark {
  package let name = "peers"
  private let plan: IngestPlan
  private let programs: [PeerProgram]
  private let folder: String
  private var own: IngestBench
  private let shouldStop: () -> Bool
  /// The last port used. Each run takes a new port, as the previous one may still be in use.
  private var port = 17_000

  /// - Parameter folder: The folder of the built peers; missing peers are skipped.
  package init(
    _ plan: IngestPlan, peers folder: String, _ place: IngestBench.Place,
    shouldStop: @escaping () -> Bool
  ) {
    self.plan = plan
    self.folder = folder
    self.shouldStop = shouldStop
    // gRPC is not compared at a pace, since it needs seconds to open 10,000 channels. Flotilla's
    // own gRPC carrier is compared with gRPC only.
    programs = PeerProgram.allCases.filter { program in
      program.isBuilt(in: folder) && (program != .unary || plan.pace == nil)
        && (program == .unary || plan.carrier == .flotilla)
    }
    own = IngestBench(plan, place, shouldStop: shouldStop)
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    plan.parameters
  }

  package var bars: [BenchBar] {
    let bars: [(PeerProgram, BenchBar)] =
      switch (plan.connections, plan.inFlight, plan.pace) {
      case (1_000, 1, nil) where plan.carrier == .grpc:
        [(.unary, BenchBar("rateToGrpcUnary", .atLeast(3)))]
      case (1_000, 8, nil) where plan.carrier == .grpc:
        [(.unary, BenchBar("rateToGrpcUnary", .atLeast(6)))]
      case (1_000, 1, nil):
        [
          (.dictionary, BenchBar("rateToCDictionary", .atLeast(0.95))),
          (.columns, BenchBar("rateToCColumns", .atLeast(0.8))),
          (.rows, BenchBar("rateToCRows", .atLeast(1.5))),
          (.unary, BenchBar("rateToGrpcUnary", .atLeast(4))),
        ]
      case (1_000, 8, nil):
        [
          (.dictionary, BenchBar("rateToCDictionary", .atLeast(0.95))),
          (.columns, BenchBar("rateToCColumns", .atLeast(0.7))),
        ]
      case (10_000, 1, 5_000), (10_000, 1, 20_000):
        [
          (.dictionary, BenchBar("p99ToCDictionary", .atMost(1.5))),
          (.columns, BenchBar("p99ToCColumns", .atMost(1.5))),
        ]
      default: []
      }
    return bars.filter { programs.contains($0.0) }.map(\.1)
  }

  package mutating func round(_ clock: () -> WallInstant) throws -> BenchSamples {
    let mine = try own.round(clock)
    guard let rate = mine.sample("batchesPerSecond") else { return [] }
    let p99 = mine.sample("responseP99Microseconds")
    var figures = mine.filter { Self.shown.contains($0.figure) }
    for program in programs {
      guard !shouldStop() else { return [] }
      port = 17_000 + (port - 16_999) % 10_000
      let its = try program.run(plan, in: folder, port: port)
      let (name, title) = (program.name, program.title)
      figures += [
        ("\(name)BatchesPerSecond", [its.rate]),
        ("\(name)ClientCpuMicroseconds", [its.clientMicroseconds]),
        ("\(name)ServerCpuMicroseconds", [its.serverMicroseconds]),
        ("\(name)ResponseP99Microseconds", [its.p99Microseconds]),
      ]
      if plan.pace == nil { figures.append(("rateTo\(title)", [rate / its.rate])) }
      if plan.pace != nil, let p99 {
        figures.append(("p99To\(title)", [p99 / its.p99Microseconds]))
      }
    }
    return figures
  }

  package static let plans: [IngestPlan] = [
    IngestPlan(.perPhone, connections: 1_000),
    IngestPlan(.perPhone, connections: 1_000, inFlight: 8),
    IngestPlan(.perPhone, connections: 10_000, pace: 5_000),
    IngestPlan(.perPhone, connections: 10_000, pace: 20_000),
    IngestPlan(.perPhone, connections: 1_000, carrier: .grpc),
    IngestPlan(.perPhone, connections: 1_000, inFlight: 8, carrier: .grpc),
  ]

  private static let shown: Set<String> = [
    "batchesPerSecond", "clientCpuMicroseconds", "serverCpuMicroseconds",
    "responseP99Microseconds", "shed", "failed",
  ]
}

/// Compares the event queue with the peers' timer wheel, in turns.
package struct PeerHoldBench: Benchmark {
  package let name = "peers"
  private let pending: Int
  private let events: Int
  private let folder: String
  private var own: HoldBench

  package init(pending: Int, events: Int, peers folder: String) {
    self.pending = pending
    self.events = events
    self.folder = folder
    own = HoldBench(pending: pending, events: events)
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    own.parameters + [("reference", .word("C wheel, ticks unordered"))]
  }

  package var bars: [BenchBar] {
    pending == 1_000_000 ? [BenchBar("rateToCWheel", .atLeast(0.6))] : []
  }

  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    let mine = own.round(clock)
    let its = try PeerProgram.holdRate(pending: pending, events: events, in: folder)
    guard let rate = mine.sample("eventsPerSecond") else { return [] }
    return mine + [("cWheelEventsPerSecond", [its]), ("rateToCWheel", [rate / its])]
  }
}

extension PeerProgram {
  fileprivate var title: String { name.prefix(1).uppercased() + name.dropFirst() }
}

extension BenchSamples {
  fileprivate func sample(_ name: String) -> Double? {
    first { $0.figure == name }?.samples.first
  }
}
