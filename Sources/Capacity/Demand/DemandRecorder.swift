package import Core

package struct DemandRecorder: Sendable {
  package struct Second: Equatable, Sendable {
    package var batches: [Int]
    package var bytes: Double
    package var connections: Double
    package var pushes: Int
  }

  package let policies: [String]
  /// The reads of the viewers of all phones, or the messages to them; nil without viewers.
  package var views: ViewSeries?
  /// The system of each policy's phones; a policy of both systems is listed twice.
  package let systems: [SystemKind]
  package private(set) var series: ArrivalSeries
  package private(set) var fixes = 0
  package private(set) var bytes = 0.0
  /// The phone of each of the first batches, in order of arrival; trials send as these phones.
  package private(set) var phones: [UInt32] = []
  /// Batches by interval of `groupSeconds` and by group: the phone number modulo `groupCount`.
  package private(set) var groups: [[Int]]
  private var perPolicy: [[UInt32]]
  package private(set) var fixesPerPolicy: [Int]
  package private(set) var bytesPerPolicy: [Double]
  private var bytesPerSecond: [Float]
  private var openMicroseconds: [UInt64]
  private var pushesPerSecond: [UInt32]

  package static let groupCount = 8
  package static let groupSeconds = 10.0
  private static let phonesKept = 1 << 19

  /// Records arrivals of the first `seconds` and ignores later arrivals.
  package init(policies: [String], systems: [SystemKind]? = nil, seconds: Double) {
    self.policies = policies
    self.systems = systems ?? policies.map { _ in .iOS }
    fixesPerPolicy = policies.map { _ in 0 }
    bytesPerPolicy = policies.map { _ in 0 }
    series = ArrivalSeries(seconds: seconds)
    let whole = max(1, Int(seconds.rounded(.up)))
    perPolicy = policies.map { _ in [UInt32](repeating: 0, count: whole) }
    bytesPerSecond = [Float](repeating: 0, count: whole)
    openMicroseconds = [UInt64](repeating: 0, count: whole)
    pushesPerSecond = [UInt32](repeating: 0, count: whole)
    let stretches = Int(seconds / Self.groupSeconds)
    groups = (0..<Self.groupCount).map { _ in [Int](repeating: 0, count: max(1, stretches)) }
  }

  package var seconds: Int { bytesPerSecond.count }

  /// Adds a batch by its arrival, in seconds since the start. Calls must be in time order.
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
    fixesPerPolicy[policy] += fixes
    bytesPerPolicy[policy] += Double(bytes)
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

  /// Counts a push, unless its time is outside the recorded time.
  package mutating func addPush(_ second: Double) {
    let place = Int(second)
    if second >= 0, place < seconds { pushesPerSecond[place] += 1 }
  }

  package subscript(second: Int) -> Second {
    Second(
      batches: perPolicy.map { Int($0[second]) }, bytes: Double(bytesPerSecond[second]),
      connections: Double(openMicroseconds[second]) / 1e6, pushes: Int(pushesPerSecond[second]))
  }

  // MARK: Results

  package var batchesPerPolicy: [Int] { perPolicy.map { $0.reduce(0) { $0 + Int($1) } } }

  package var pushes: Int { pushesPerSecond.reduce(0) { $0 + Int($1) } }

  package var peakBytesPerSecond: Double { Double(bytesPerSecond.max() ?? 0) }
  package var peakConnections: Double { Double(openMicroseconds.max() ?? 0) / 1e6 }
  package var peakPushesPerMinute: Int {
    stride(from: 0, to: seconds, by: 60).map { from in
      pushesPerSecond[from..<min(from + 60, seconds)].reduce(0) { $0 + Int($1) }
    }.max() ?? 0
  }

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
