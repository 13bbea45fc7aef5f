internal import Core
internal import Transport

/// The actions and faults of one round, drawn from its seed.
struct ChaosPlan: Equatable, Sendable {
  enum Action: Equatable, Sendable {
    case killCollector
    case stopCollector
    case continueCollector
    case killFleet
    case killDatabase
  }

  let seed: UInt64
  /// The value of `--set connections=` for the fleet.
  let connections: String
  /// The actions, at wall-clock times since the first upload.
  let actions: [(at: WallDuration, what: Action)]
  /// The proxy's faults, at wall-clock times since the first upload.
  let faults: [WireFault]

  static let collectorKills = 3
  static let databaseKills = 3

  /// - Parameter hasDatabase: Whether the collector stores in a database, which is also killed.
  init(seed: UInt64, lasts: WallDuration, hasDatabase: Bool = false) {
    self.seed = seed
    func draw(_ what: Int64, _ number: Int = 0) -> Draw {
      Draw(seed: seed, phone: 0, .chaos, what, Int64(number))
    }
    // Alternates the connections between rounds, as they are too important to be random.
    connections = seed % 2 == 0 ? "per-upload" : "pooled(16)"
    var actions: [(at: WallDuration, what: Action)] = []
    func instant(_ what: Int64, _ number: Int, from: Double, to: Double) -> WallDuration {
      var draw = draw(what, number)
      return WallDuration(seconds: lasts.seconds * draw.uniform(from, to))
    }
    for number in 0..<Self.collectorKills {
      actions.append((instant(1, number, from: 0.05, to: 0.95), .killCollector))
    }
    for number in 0..<(hasDatabase ? Self.databaseKills : 0) {
      actions.append((instant(6, number, from: 0.05, to: 0.95), .killDatabase))
    }
    if seed % 3 == 0 { actions.append((instant(2, 0, from: 0.2, to: 0.7), .killFleet)) }
    if seed % 3 == 1 {
      let at = instant(3, 0, from: 0.1, to: 0.8)
      var draw = draw(4)
      actions.append((at, .stopCollector))
      actions.append((at + WallDuration(seconds: draw.uniform(0.3, 1.5)), .continueCollector))
    }
    self.actions = actions.sorted { $0.at < $1.at }
    var faults: [WireFault] = []
    for index in 0..<Self.kinds {
      var draw = draw(5, index)
      // Each round has at least two kinds of faults, with indices three apart. One kind affects all
      // traffic, since a cut or a half-open connection affects only new connections.
      let turn = (Int(seed % UInt64(Self.kinds)) + Self.kinds - index) % Self.kinds
      let isChosen = draw.chance(0.4) || turn % (Self.kinds / 2) == 0
      guard isChosen else { continue }
      let from = WallDuration(seconds: lasts.seconds * draw.uniform(0, 0.6))
      let length = WallDuration(seconds: lasts.seconds * draw.uniform(0.1, 0.4))
      faults.append(Self.fault(index, from: from, lasts: length, &draw))
    }
    self.faults = faults
  }

  private static let kinds = 6

  /// Returns a fault that is noticeable, but no complete outage.
  private static func fault(
    _ index: Int, from: WallDuration, lasts: WallDuration, _ draw: inout Draw
  ) -> WireFault {
    let until = from + lasts
    switch index {
    case 0:
      let latency = WallDuration(seconds: draw.uniform(0.005, 0.2))
      return WireFault(.delay(latency: latency, jitter: latency), from: from, until: until)
    case 1:
      let end = from + WallDuration(seconds: draw.uniform(0.5, 2))
      return WireFault(.stall, from: from, until: end)
    case 2:
      let within = Int(draw.uniform(50, 2_000))
      return WireFault(
        .cut(within: within), from: from, until: until, share: draw.uniform(0.1, 0.5))
    case 3:
      return WireFault(.halfOpen, from: from, until: until, share: draw.uniform(0.05, 0.3))
    case 4:
      return WireFault(
        .throttle(bytesPerSecond: draw.uniform(5_000, 100_000)), from: from, until: until)
    default:
      return WireFault(
        .flip(probability: draw.uniform(0.0001, 0.002)), from: from, until: until)
    }
  }

  static func == (a: Self, b: Self) -> Bool {
    a.seed == b.seed && a.connections == b.connections && a.faults == b.faults
      && a.actions.elementsEqual(b.actions) { $0.at == $1.at && $0.what == $1.what }
  }
}
