/// The contribution of one or many phones to the figures of silent pushes. The fifteen counts are
/// one vector, since a resample adds thousands. 32 bits suffice for a month of a million phones.
struct WakeTally: Hashable, Sendable {
  enum Lane: Int {
    /// Pushes whose W was over before the end, held pushes included, as a server counts them.
    case matured, maturedAnswered
    /// Matured pushes that no phone's system holds.
    case eligible, answered, caused
    /// Eligible pushes whose counterfactual is known, and those answered with and without the push.
    case paired, pairedWith, pairedWithout
    case withheld, withheldAnswered, unreachable, unreachableAnswered
    case unanswerableEligible, unanswerableAnswered, unanswerableCaused
  }

  private var lanes = SIMD16<Int32>()

  subscript(_ lane: Lane) -> Int {
    get { Int(lanes[lane.rawValue]) }
    set { lanes[lane.rawValue] = Int32(newValue) }
  }

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

  /// Orders tallies in the same way in every process, unlike a dictionary.
  static func precedes(_ a: Self, _ b: Self) -> Bool {
    for lane in a.lanes.indices where a.lanes[lane] != b.lanes[lane] {
      return a.lanes[lane] < b.lanes[lane]
    }
    return false
  }

  // MARK: Shares

  var answeredShare: Double? { Self.share(self[.answered], of: self[.eligible]) }
  var causedShare: Double? { Self.share(self[.caused], of: self[.eligible]) }
  /// The share of pushes answered when sent, minus the share answered when withheld.
  var pairedUplift: Double? {
    Self.share(self[.pairedWith] - self[.pairedWithout], of: self[.paired])
  }
  var pairedWithoutShare: Double? { Self.share(self[.pairedWithout], of: self[.paired]) }
  /// The uplift that a server can measure. Held pushes count, as withheld ones would be held, too.
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

/// Adds up each phone's tallies, then counts phones by sum. A phone's tallies must be contiguous.
struct PhoneTallies {
  private var sums: [WakeTally]
  private var touched: [Int] = []
  private var phone = UInt32.max
  private var sizes: [[WakeTally: Int]]

  init(groups: Int = 1) {
    sums = [WakeTally](repeating: WakeTally(), count: groups)
    sizes = [[WakeTally: Int]](repeating: [:], count: groups)
  }

  /// - Parameter phone: The phone of the previous call, or a phone without earlier calls.
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

  mutating func takeOut() -> [[WakeTally: Int]] {
    settle()
    return sizes
  }
}
