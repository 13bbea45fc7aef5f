package import Core

package struct RunTrace: Equatable, Sendable {
  package var uploadsByMinute: [UInt32]
  package var behaviour: [UInt64]
  /// The pushes of each phone that count for answered(W), and how many were answered.
  package var pushes: [UInt32: Pushes] = [:]

  package struct Pushes: Equatable, Sendable {
    /// Pushes requested at least W before the end.
    package var eligible = 0
    package var answered = 0
    package init() {}
  }

  package init(uploadsByMinute: [UInt32], behaviour: [UInt64]) {
    self.uploadsByMinute = uploadsByMinute
    self.behaviour = behaviour
  }
}

extension RunRecord {
  package struct Agreement: Equatable, Sendable, Codable {
    /// The simulated share of judged pushes answered within W.
    @Nullable package var answered: Double?
    /// The live minus the simulated share of answered pushes of the same phones; 95 % interval.
    @Nullable package var answeredDifference: Ratio?
    package var phonesAlike = 0.0
    package var uploadsLive = 0
    package var uploadsSimulated = 0
    /// The number of scenario minutes with at least `uploadsMin` simulated uploads.
    package var minutesCompared = 0
    /// The median over compared minutes of |live − simulated rate| ÷ simulated rate.
    @Nullable package var rateDifferenceMedian: Double?
    @Nullable package var rateDifferenceMax: Double?

    /// The uploads below which a minute's rate is noise: its standard deviation exceeds 3 %.
    package static let uploadsMin: UInt32 = 1_000

    package init(live: RunTrace, simulated: RunTrace, seed: UInt64) {
      setPushes(live, simulated, seed)
      let pairs = zip(live.behaviour, simulated.behaviour)
      let alike = pairs.reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) }
      phonesAlike = Double(alike) / Double(max(1, simulated.behaviour.count))
      uploadsLive = live.uploadsByMinute.reduce(0) { $0 + Int($1) }
      uploadsSimulated = simulated.uploadsByMinute.reduce(0) { $0 + Int($1) }
      let differences = zip(live.uploadsByMinute, simulated.uploadsByMinute)
        .filter { $0.1 >= Self.uploadsMin }
        .map { abs(Double($0) - Double($1)) / Double($1) }
      minutesCompared = differences.count
      rateDifferenceMedian = differences.median(.upperInverse)
      rateDifferenceMax = differences.max()
    }

    private mutating func setPushes(_ live: RunTrace, _ simulated: RunTrace, _ seed: UInt64) {
      typealias Pair = (live: RunTrace.Pushes, simulated: RunTrace.Pushes)
      let none = (live: RunTrace.Pushes(), simulated: RunTrace.Pushes())
      var pairs: [UInt32: Pair] = [:]
      for (phone, pushes) in live.pushes { pairs[phone, default: none].live = pushes }
      for (phone, pushes) in simulated.pushes { pairs[phone, default: none].simulated = pushes }
      // Sorts phones, since the order of a dictionary changes from process to process.
      let units = pairs.sorted { $0.key < $1.key }.map(\.value)
      func share(_ part: (Pair) -> RunTrace.Pushes, _ sample: [Pair]) -> Double? {
        let eligible = sample.reduce(0) { $0 + part($1).eligible }
        guard eligible > 0 else { return nil }
        return Double(sample.reduce(0) { $0 + part($1).answered }) / Double(eligible)
      }
      answered = share(\.simulated, units)
      answeredDifference = UnitBootstrap.estimate(units, seed: seed) { sample in
        guard let a = share(\.live, sample), let b = share(\.simulated, sample) else { return nil }
        return a - b
      }
    }
  }
}

extension RunRecord.Agreement {
  package var sentences: [String] {
    [answeredSentence, rateSentence, phonesSentence].compactMap(\.self)
  }

  private var answeredSentence: String? {
    guard let answered, let difference = answeredDifference else { return nil }
    let points = [difference.value, difference.low, difference.high].map {
      Figure.plain(($0 * 10_000).rounded() / 100)
    }
    return """
      Pushes answered: \(Figure.percent(answered)) simulated; live − simulated \
      \(points[0]) points [\(points[1]) to \(points[2])]\
      \(difference.mayBeZero ? ", not significant" : ", significant").
      """
  }

  private var rateSentence: String {
    let totals = """
      Uploads: \(Figure.grouped(uploadsLive)) live, \(Figure.grouped(uploadsSimulated)) simulated
      """
    let least = Figure.grouped(Int(Self.uploadsMin))
    guard let median = rateDifferenceMedian, let most = rateDifferenceMax else {
      return "\(totals); rates not compared (no minute has \(least) uploads)."
    }
    return """
      \(totals); in \(minutesCompared) minutes with at least \(least) uploads the rates differ by \
      \(Figure.percent(median)) (median), at most \(Figure.percent(most)).
      """
  }

  private var phonesSentence: String {
    "\(Figure.percent(phonesAlike)) of the phones behaved identically in both."
  }
}
