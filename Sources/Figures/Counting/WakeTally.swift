/// What one phone, or many, add to the figures of silent pushes.
///
/// Fifteen counts in one vector: a resample adds thousands of them, times how often each was drawn.
/// 32 bits hold the pushes of a million phones for a month.
struct WakeTally: Hashable, Sendable {
  private var lanes = SIMD16<Int32>()

  /// Pushes whose W was over before the end, held ones among them: what a server can tell.
  var matured: Int {
    get { self[0] }
    set { self[0] = newValue }
  }
  var maturedAnswered: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
  /// Without those that are held.
  var eligible: Int {
    get { self[2] }
    set { self[2] = newValue }
  }
  var answered: Int {
    get { self[3] }
    set { self[3] = newValue }
  }
  var caused: Int {
    get { self[4] }
    set { self[4] = newValue }
  }
  /// Eligible pushes whose other course is known, and how both courses came out.
  var paired: Int {
    get { self[5] }
    set { self[5] = newValue }
  }
  var pairedWith: Int {
    get { self[6] }
    set { self[6] = newValue }
  }
  var pairedWithout: Int {
    get { self[7] }
    set { self[7] = newValue }
  }
  var withheld: Int {
    get { self[8] }
    set { self[8] = newValue }
  }
  var withheldAnswered: Int {
    get { self[9] }
    set { self[9] = newValue }
  }
  var unreachable: Int {
    get { self[10] }
    set { self[10] = newValue }
  }
  var unreachableAnswered: Int {
    get { self[11] }
    set { self[11] = newValue }
  }

  /// Of pushes to phones whose policy answers none.
  var unanswerableEligible: Int {
    get { self[12] }
    set { self[12] = newValue }
  }
  var unanswerableAnswered: Int {
    get { self[13] }
    set { self[13] = newValue }
  }
  var unanswerableCaused: Int {
    get { self[14] }
    set { self[14] = newValue }
  }

  /// What the same push adds where its phone's policy answers none.
  var unanswerable: WakeTally {
    var tally = WakeTally()
    tally.unanswerableEligible = eligible
    tally.unanswerableAnswered = answered
    tally.unanswerableCaused = caused
    return tally
  }

  private subscript(_ lane: Int) -> Int {
    get { Int(lanes[lane]) }
    set { lanes[lane] = Int32(newValue) }
  }

  mutating func add(_ other: Self, times n: Int) {
    lanes &+= other.lanes &* Int32(n)
  }

  var isZero: Bool { lanes == SIMD16() }

  /// A fixed order: a dictionary's changes from process to process.
  static func precedes(_ a: Self, _ b: Self) -> Bool {
    for lane in 0..<15 where a.lanes[lane] != b.lanes[lane] {
      return a.lanes[lane] < b.lanes[lane]
    }
    return false
  }

  // MARK: Shares

  var answeredShare: Double? { Self.share(answered, of: eligible) }
  var causedShare: Double? { Self.share(caused, of: eligible) }
  /// The mean over pushes of (answered with it − answered without it).
  var pairedUplift: Double? { Self.share(pairedWith - pairedWithout, of: paired) }
  var pairedWithoutShare: Double? { Self.share(pairedWithout, of: paired) }
  /// What a server can tell by itself: held pushes are among its controls too, so they stay.
  var holdoutUplift: Double? {
    guard let with = Self.share(maturedAnswered, of: matured), let without = withheldShare else {
      return nil
    }
    return with - without
  }
  var withheldShare: Double? { Self.share(withheldAnswered, of: withheld) }
  private var allSilent: Int { eligible + unanswerableEligible + unreachable }
  var allSilentAnsweredShare: Double? {
    Self.share(answered + unanswerableAnswered + unreachableAnswered, of: allSilent)
  }
  var allSilentCausedShare: Double? { Self.share(caused + unanswerableCaused, of: allSilent) }

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
