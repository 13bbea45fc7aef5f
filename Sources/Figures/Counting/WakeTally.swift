/// What one phone, or many, add to the figures of silent pushes.
///
/// Fifteen counts in one vector: a resample adds thousands of them, times how often each was drawn.
/// 32 bits hold the pushes of a million phones for a month.
struct WakeTally: Hashable, Sendable {
  /// What is counted, each in a lane of its own.
  enum Lane: Int {
    /// Pushes whose W was over before the end, held ones among them: what a server can tell.
    case matured, maturedAnswered
    /// Those of them that are not held.
    case eligible, answered, caused
    /// Eligible pushes whose other course is known, and how both courses came out.
    case paired, pairedWith, pairedWithout
    case withheld, withheldAnswered, unreachable, unreachableAnswered
    /// Of pushes to phones whose policy answers none.
    case unanswerableEligible, unanswerableAnswered, unanswerableCaused
  }

  private var lanes = SIMD16<Int32>()

  subscript(_ lane: Lane) -> Int {
    get { Int(lanes[lane.rawValue]) }
    set { lanes[lane.rawValue] = Int32(newValue) }
  }

  /// What the same push adds where its phone's policy answers none.
  var unanswerable: WakeTally {
    var tally = WakeTally()
    tally[.unanswerableEligible] = self[.eligible]
    tally[.unanswerableAnswered] = self[.answered]
    tally[.unanswerableCaused] = self[.caused]
    return tally
  }

  mutating func add(_ other: Self, times n: Int) {
    lanes &+= other.lanes &* Int32(n)
  }

  var isZero: Bool { lanes == SIMD16() }

  /// A fixed order: a dictionary's changes from process to process.
  static func precedes(_ a: Self, _ b: Self) -> Bool {
    for lane in a.lanes.indices where a.lanes[lane] != b.lanes[lane] {
      return a.lanes[lane] < b.lanes[lane]
    }
    return false
  }

  // MARK: Shares

  var answeredShare: Double? { Self.share(self[.answered], of: self[.eligible]) }
  var causedShare: Double? { Self.share(self[.caused], of: self[.eligible]) }
  /// The mean over pushes of (answered with it − answered without it).
  var pairedUplift: Double? {
    Self.share(self[.pairedWith] - self[.pairedWithout], of: self[.paired])
  }
  var pairedWithoutShare: Double? { Self.share(self[.pairedWithout], of: self[.paired]) }
  /// What a server can tell by itself: held pushes are among its controls too, so they stay.
  var holdoutUplift: Double? {
    guard let with = Self.share(self[.maturedAnswered], of: self[.matured]),
      let without = withheldShare
    else {
      return nil
    }
    return with - without
  }
  var withheldShare: Double? { Self.share(self[.withheldAnswered], of: self[.withheld]) }
  private var allSilent: Int { self[.eligible] + self[.unanswerableEligible] + self[.unreachable] }
  var allSilentAnsweredShare: Double? {
    Self.share(
      self[.answered] + self[.unanswerableAnswered] + self[.unreachableAnswered], of: allSilent)
  }
  var allSilentCausedShare: Double? {
    Self.share(self[.caused] + self[.unanswerableCaused], of: allSilent)
  }

  private static func share(_ part: Int, of whole: Int) -> Double? {
    whole > 0 ? Double(part) / Double(whole) : nil
  }
}

/// Sums by phone, then how many phones have which sum; of several groups side by side.
///
/// What a phone adds comes in one stretch, so that only one phone's sums are held at a time. With
/// a place for each phone the sums took 64 bytes a phone, in each thread.
struct PhoneTallies {
  private var sums: [WakeTally]
  private var touched: [Int] = []
  private var phone = UInt32.max
  private var sizes: [[WakeTally: Int]]

  init(groups: Int = 1) {
    sums = [WakeTally](repeating: WakeTally(), count: groups)
    sizes = [[WakeTally: Int]](repeating: [:], count: groups)
  }

  /// - Parameter phone: that of the call before, or one that had none yet.
  mutating func add(_ tally: WakeTally, phone: UInt32, group: Int = 0) {
    if tally.isZero { return }
    if phone != self.phone {
      settle()
      self.phone = phone
    }
    if sums[group].isZero { touched.append(group) }
    sums[group].add(tally, times: 1)
  }

  private mutating func settle() {
    for group in touched {
      sizes[group][sums[group], default: 0] += 1
      sums[group] = WakeTally()
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// By group the distinct sums and how many phones have each; called once.
  mutating func takeOut() -> [[WakeTally: Int]] {
    settle()
    return sizes
  }
}
