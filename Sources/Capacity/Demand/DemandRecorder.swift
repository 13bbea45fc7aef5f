/// Writes down what a fleet asks of a backend, batch by batch, while it is lived.
package struct DemandRecorder: Sendable {
  /// A second of the demand.
  package struct Second: Equatable, Sendable {
    /// Of each policy, in the order of the recorder's names.
    package var batches: [Int]
    /// Is the size of the second's batches on the wire, in bytes.
    package var bytes: Double
    /// On average over the second, with a connection for each upload.
    package var connections: Double
    /// Counts the pushes requested in the second.
    package var pushes: Int
  }

  /// The policies that the batches are told apart by.
  package let policies: [String]
  /// Holds the instants at which the batches reached the server.
  package private(set) var series: ArrivalSeries
  /// Counts the fixes of all batches.
  package private(set) var fixes = 0
  /// Is the size of all batches on the wire, in bytes.
  package private(set) var bytes = 0.0
  /// Whose batches came first, in their order: real identities for a trial.
  package private(set) var phones: [UInt32] = []
  /// Counts the batches of each group of phones in each stretch of `groupSeconds`; a phone's group
  /// is its number modulo `groupCount`.
  package private(set) var groups: [[Int]]
  private var perPolicy: [[UInt32]]
  private var bytesPerSecond: [Float]
  private var openMicroseconds: [UInt64]
  private var pushesPerSecond: [UInt32]

  /// Is the number of groups that the phones are divided into to estimate the dispersion.
  package static let groupCount = 8
  /// Stretches in which groups are compared.
  package static let groupSeconds = 10.0
  private static let phonesKept = 1 << 19

  /// Makes an empty recorder for these policies and a time of so many seconds; what arrives later
  /// is ignored.
  package init(policies: [String], seconds: Double) {
    self.policies = policies
    series = ArrivalSeries(seconds: seconds)
    let whole = max(1, Int(seconds.rounded(.up)))
    perPolicy = policies.map { _ in [UInt32](repeating: 0, count: whole) }
    bytesPerSecond = [Float](repeating: 0, count: whole)
    openMicroseconds = [UInt64](repeating: 0, count: whole)
    pushesPerSecond = [UInt32](repeating: 0, count: whole)
    let stretches = Int(seconds / Self.groupSeconds)
    groups = (0..<Self.groupCount).map { _ in [Int](repeating: 0, count: max(1, stretches)) }
  }

  /// Is the number of seconds recorded, rounded up, at least 1.
  package var seconds: Int { bytesPerSecond.count }

  /// One batch, when it reaches the server; in the order of instants.
  ///
  /// - Parameters:
  ///   - second: since the begin.
  ///   - open: from when until when its connection is there, seconds since the begin.
  package mutating func add(
    _ second: Double, phone: UInt32, policy: Int, fixes: Int, bytes: Int,
    open: ClosedRange<Double>
  ) {
    let place = Int(second)
    guard second >= 0, place < seconds else { return }
    series.add(second)
    self.fixes += fixes
    self.bytes += Double(bytes)
    perPolicy[policy][place] += 1
    bytesPerSecond[place] += Float(bytes)
    if phones.count < Self.phonesKept { phones.append(phone) }
    let stretch = Int(second / Self.groupSeconds)
    if stretch < groups[0].count { groups[Int(phone) % Self.groupCount][stretch] += 1 }
    for at in max(0, Int(open.lowerBound))...max(0, Int(open.upperBound)) where at < seconds {
      let from = max(open.lowerBound, Double(at))
      let until = min(open.upperBound, Double(at + 1))
      openMicroseconds[at] += UInt64(max(0, until - from) * 1e6)
    }
  }

  /// Counts one push requested so many seconds after the begin; outside the recorded time it is
  /// ignored.
  package mutating func addPush(_ second: Double) {
    let place = Int(second)
    if second >= 0, place < seconds { pushesPerSecond[place] += 1 }
  }

  /// Returns the demand of one second, counted from 0.
  package subscript(second: Int) -> Second {
    Second(
      batches: perPolicy.map { Int($0[second]) }, bytes: Double(bytesPerSecond[second]),
      connections: Double(openMicroseconds[second]) / 1e6, pushes: Int(pushesPerSecond[second]))
  }

  // MARK: What it comes to

  /// Counts the batches of each policy, in the order of `policies`.
  package var batchesPerPolicy: [Int] { perPolicy.map { $0.reduce(0) { $0 + Int($1) } } }

  /// Counts the pushes requested over the whole time.
  package var pushes: Int { pushesPerSecond.reduce(0) { $0 + Int($1) } }

  /// The busiest second's, of bytes and connections; the busiest minute's pushes.
  package var peakBytesPerSecond: Double { Double(bytesPerSecond.max() ?? 0) }
  /// Is the greatest mean number of open connections in one second.
  package var peakConnections: Double { Double(openMicroseconds.max() ?? 0) / 1e6 }
  /// Counts the pushes of the busiest whole minute.
  package var peakPushesPerMinute: Int {
    stride(from: 0, to: seconds, by: 60).map { from in
      pushesPerSecond[from..<min(from + 60, seconds)].reduce(0) { $0 + Int($1) }
    }.max() ?? 0
  }

  /// For curves: batches a second of each policy and bytes a second, over stretches of a minute.
  package func minutes() -> [DemandRecord.Minute] {
    stride(from: 0, to: seconds, by: 60).map { from in
      let stretch = from..<min(from + 60, seconds)
      let length = Double(stretch.count)
      return DemandRecord.Minute(
        from: Double(from),
        batches: perPolicy.map { counts in
          counts[stretch].reduce(0.0) { $0 + Double($1) } / length
        },
        busiestSecond: stretch.map { at in perPolicy.reduce(0) { $0 + Int($1[at]) } }.max() ?? 0,
        bytesPerSecond: stretch.reduce(0.0) { $0 + Double(bytesPerSecond[$1]) } / length,
        connections: stretch.reduce(0.0) { $0 + Double(openMicroseconds[$1]) / 1e6 } / length,
        pushes: stretch.reduce(0) { $0 + Int(pushesPerSecond[$1]) })
    }
  }
}
