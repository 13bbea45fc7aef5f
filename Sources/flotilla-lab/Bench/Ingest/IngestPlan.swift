package import Core

package struct IngestPlan: Equatable, Sendable {
  package enum Sharing: String, CaseIterable, Sendable {
    case perPhone = "per-phone"
    case perUpload = "per-upload"
    case pooled
  }
  package var sharing = Sharing.perPhone
  package var connections = 1_000
  package var inFlight = 1
  /// The batches per second in total; nil for a closed loop, where each ack starts the next batch.
  package var pace: Int?
  /// Whether the collector stores batches in SQLite before it acknowledges them.
  package var isDurable = false
  package enum Security: String, CaseIterable, Sendable {
    case off
    /// Every connection makes a full handshake.
    case on
    /// Every connection resumes a TLS session, except a phone's first.
    case resumed
  }
  package var security = Security.off
  package var isSecured: Bool { security != .off }
  package var carrier = CarrierKind.flotilla
  /// The wall-clock time under load before the measured part.
  package var warmUp = WallDuration.seconds(1)
  package var coolDown = WallDuration.zero
  package var measured = WallDuration.seconds(2)

  package init(
    _ sharing: Sharing, connections: Int, inFlight: Int = 1, pace: Int? = nil,
    isDurable: Bool = false, carrier: CarrierKind = .flotilla
  ) {
    self.carrier = carrier
    self.sharing = sharing
    self.connections = connections
    self.inFlight = inFlight
    self.pace = pace
    self.isDurable = isDurable
  }

  var phones: Int {
    switch sharing {
    case .perPhone: connections
    case .perUpload, .pooled: connections * inFlight
    }
  }

  /// Whether both sides are scheduled before other processes. They sleep in between, and a process
  /// that takes a core for some milliseconds in a second would make the p99. A closed loop does not
  /// sleep.
  var isPreferred: Bool { pace != nil }

  var sockets: Int {
    switch sharing {
    case .perPhone, .pooled: connections
    case .perUpload: connections * inFlight
    }
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    var parameters: [(name: String, value: BenchRow.Parameter)] = [
      ("mode", .word(sharing.rawValue)), ("connections", .count(connections)),
      ("inFlight", .count(inFlight)),
    ]
    if let pace { parameters.append(("pacedPerSecond", .count(pace))) }
    parameters.append(("store", .word(isDurable ? "sqlite" : "none")))
    if isSecured { parameters.append(("tls", .word(security.rawValue))) }
    parameters.append(("carrier", .word(carrier.rawValue)))
    return parameters
  }

  package var bars: [BenchBar] {
    switch (carrier, isSecured) {
    case (.flotilla, false): ownBars
    case (.grpc, false): grpcBars
    case (.grpc, true), (.flotilla, true): securedBars
    }
  }

  private var securedBars: [BenchBar] {
    switch (sharing, connections, inFlight, pace) {
    case (.perPhone, 1_000, 1, nil) where carrier == .grpc:
      [BenchBar("serverBytesPerConnection", .atMost(30 * 1_024))]
    // The bar for the lag is 1 ms, above which the generator would be invalid.
    case (.perUpload, _, 1, 2_000?) where security == .resumed:
      [
        BenchBar("batchesPerSecond", .atLeast(1_980)),
        BenchBar("generatorLagP99Microseconds", .atMost(1_000), judged: .worst),
        BenchBar("resumedShare", .atLeast(0.99)), BenchBar("failed", .atMost(0), judged: .worst),
      ]
    default: []
    }
  }

  private var grpcBars: [BenchBar] {
    switch (sharing, connections, inFlight, pace, isDurable) {
    case (.perPhone, 1_000, 1, nil, false):
      [
        BenchBar("serverCpuMicroseconds", .atMost(20)),
        BenchBar("serverBytesPerConnection", .atMost(14 * 1_024)),
      ]
    case (.perPhone, 1_000, 8, nil, false): [BenchBar("serverCpuMicroseconds", .atMost(8))]
    case (.perUpload, _, 1, nil, false): [BenchBar("batchesPerSecond", .atLeast(12_000))]
    default: []
    }
  }

  private var ownBars: [BenchBar] {
    switch (sharing, connections, inFlight, pace, isDurable) {
    case (.perPhone, 1_000, 1, nil, false):
      [
        BenchBar("batchesPerSecond", .atLeast(60_000)),
        BenchBar("serverCpuMicroseconds", .atMost(14)),
        BenchBar("serverBytesPerConnection", .atMost(1_024)),
        BenchBar("clientBytesPerConnection", .atMost(1_024)),
      ]
    case (.perPhone, 1_000, 8, nil, false):
      [
        BenchBar("batchesPerSecond", .atLeast(120_000)),
        BenchBar("serverCpuMicroseconds", .atMost(5.5)),
      ]
    case (.perPhone, 1_000, 1, 5_000, false):
      [
        BenchBar("responseP99Microseconds", .atMost(250)),
        BenchBar("generatorLagP99Microseconds", .atMost(100)),
      ]
    // Nearly all memory is that of connections if most of them are open and idle.
    case (.perPhone, 10_000, 1, 2_000, false):
      [
        BenchBar("serverBytesPerConnection", .atMost(1_024)),
        BenchBar("clientBytesPerConnection", .atMost(1_331)),
      ]
    case (.perUpload, _, 1, nil, false): [BenchBar("batchesPerSecond", .atLeast(10_000))]
    case (.perPhone, 1_000, 8, nil, true):
      [
        BenchBar("batchesPerSecond", .atLeast(40_000)),
        BenchBar("groupDelayMilliseconds", .atMost(5)),
        BenchBar("commitP99Milliseconds", .atMost(20)),
      ]
    default: []
    }
  }

  package static let short: [IngestPlan] = [
    IngestPlan(.perPhone, connections: 1_000),
    IngestPlan(.perPhone, connections: 1_000, inFlight: 8),
    IngestPlan(.perPhone, connections: 1_000, pace: 5_000),
    IngestPlan(.perPhone, connections: 10_000, pace: 2_000),
    IngestPlan(.perPhone, connections: 10_000, pace: 20_000),
    IngestPlan(.perUpload, connections: 100),
    IngestPlan(.perPhone, connections: 1_000, inFlight: 8, isDurable: true),
  ]

  package static let all: [IngestPlan] =
    short + [
      IngestPlan(.perPhone, connections: 100), IngestPlan(.perPhone, connections: 10_000),
      IngestPlan(.perPhone, connections: 100, inFlight: 8),
      IngestPlan(.perPhone, connections: 10_000, inFlight: 8),
      IngestPlan(.pooled, connections: 100), IngestPlan(.pooled, connections: 100, inFlight: 8),
      IngestPlan(.pooled, connections: 1_000, inFlight: 8),
      IngestPlan(.perUpload, connections: 1_000), IngestPlan(.perUpload, connections: 10_000),
      IngestPlan(.perPhone, connections: 1_000, isDurable: true),
    ]
}
