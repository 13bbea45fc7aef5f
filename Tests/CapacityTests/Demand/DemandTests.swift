internal import Core
internal import Foundation
internal import TestSupport
internal import Testing
@testable import Capacity

@Suite("Demand", .quick)
struct DemandTests {
  /// Poisson arrivals at a rate that rises and falls, with a storm.
  static func series(
    _ perSecond: Double, seconds: Double, seed: UInt64, storm: Int = 0
  ) -> ArrivalSeries {
    var draw = Draw(seed: seed, phone: 1, Purpose(rawValue: 9_998))
    var instants = (0..<storm).map { _ in seconds / 2 + draw.uniform(0, 2) }
    var at = 0.0
    while true {
      let rate = perSecond * (at < seconds / 3 ? 0.5 : 1.2)
      at += draw.exponential(mean: 1 / rate)
      guard at < seconds else { break }
      instants.append(at)
    }
    var series = ArrivalSeries(seconds: seconds)
    for instant in instants.sorted() { series.add(instant) }
    return series
  }

  /// The longest wait in a queue that is served at `rate`.
  static func worstDelay(_ series: ArrivalSeries, rate: Double) -> Double {
    var free = 0.0
    var worst = 0.0
    for place in 0..<series.count {
      let at = series.second(place)
      free = max(free, at) + 1 / rate
      worst = max(worst, free - at)
    }
    return worst
  }

  /// The lowest rate at which no batch waits longer, by trial.
  static func replayed(_ series: ArrivalSeries, delay: Double) -> Double {
    var (low, high) = (0.1, 1e5)
    for _ in 0..<60 {
      let middle = (low * high).squareRoot()
      if worstDelay(series, rate: middle) <= delay { high = middle } else { low = middle }
    }
    return high
  }

  @Test("the sustained rate equals that of a queue which was tried at every rate", arguments: 1...8)
  func bruteForce(seed: UInt64) {
    let series = Self.series(
      10 * Double(seed), seconds: 40, seed: seed, storm: seed.isMultiple(of: 2) ? 200 : 0)
    for delay in DemandCurve.delays {
      let found = series.sustainedRate(delay: delay)
      let tried = Self.replayed(series, delay: delay)
      #expect(abs(found.rate - tried) <= 1e-6 * tried, "\(delay): \(found.rate), \(tried)")
      #expect(
        abs(Double(found.arrivals) / (found.until - found.from + delay) - found.rate)
          <= 1e-9 * found.rate)
    }
  }

  @Test("the sustained rate of one batch, none, and a thousand at once")
  func corners() {
    #expect(ArrivalSeries(seconds: 10).sustainedRate(delay: 1).rate == 0)
    var series = ArrivalSeries(seconds: 10)
    series.add(3)
    #expect(series.sustainedRate(delay: 0.05).rate == 20)
    for _ in 0..<999 { series.add(3) }
    #expect(series.sustainedRate(delay: 1).rate == 1_000)
  }

  @Test("busiest second, minute and hour, and a stretch that is not a whole number of seconds")
  func peaks() {
    var series = ArrivalSeries(seconds: 7_200)
    for second in 0..<7_200 where second.isMultiple(of: 2) { series.add(Double(second)) }
    var bursts = ArrivalSeries(seconds: 7_200)
    for place in 0..<series.count {
      bursts.add(series.second(place))
      if series.second(place) == 4_000 { for _ in 0..<60 { bursts.add(4_000.5) } }
    }
    let curve = DemandCurve(bursts)
    #expect(curve.peakSecond.batchesPerSecond == 61)
    #expect(curve.peakSecond.from == 4_000)
    #expect(curve.peakMinute.batchesPerSecond == 1.5)
    #expect(curve.peakHour.from == 3_600)
    #expect(curve.secondP999 == 1)
    #expect(curve.mean == Double(3_660) / 7_200)
  }

  @Test("independent and synchronised load of phones are separated")
  func dispersion() {
    var draw = Draw(seed: 3, phone: 1, Purpose(rawValue: 9_998))
    func groups(shared: Double) -> [[Int]] {
      var groups = [[Int]](repeating: [], count: 8)
      for _ in 0..<2_000 {
        let level = 50 * max(0, 1 + shared * draw.normal())
        for group in groups.indices {
          groups[group].append(max(0, Int((level + level.squareRoot() * draw.normal()).rounded())))
        }
      }
      return groups
    }
    let alone = Dispersion(groups: groups(shared: 0))
    #expect(abs(alone.own - 1) < 0.1)
    #expect(alone.shared < 1e-3)
    let together = Dispersion(groups: groups(shared: 0.2))
    #expect(abs(together.own - 1) < 0.2)
    #expect(abs(together.shared - 0.04) < 0.008, "\(together.shared)")
  }

  @Test("the scaled demand of a third of the phones covers the demand of all", arguments: 1...6)
  func scaling(seed: UInt64) {
    let third = Self.series(60, seconds: 3_600, seed: seed, storm: 300)
    let whole = DemandCurve(Self.series(180, seconds: 3_600, seed: seed + 100, storm: 900))
    let scaling = SubsetScaling(factor: 3, dispersion: Dispersion(own: 1, shared: 0))
    let scaled = scaling.scaled(third, seed: seed)
    #expect(abs(Double(scaled.count) - 3 * Double(third.count)) < 0.01 * Double(scaled.count))
    let curve = DemandCurve(scaled)
    for (found, direct) in zip(curve.sustained, whole.sustained) where found.delay >= 1 {
      let interval = scaling.interval(found.rate, arrivals: Double(found.arrivals))
      #expect(
        (interval.low * 0.95...interval.high * 1.05).contains(direct.rate),
        "\(found.delay): \(interval) \(direct.rate)")
    }
  }

  /// A storm every minute, of random height.
  private static func storms(_ mean: Double, seed: UInt64) -> ArrivalSeries {
    var draw = Draw(seed: seed, phone: 2, Purpose(rawValue: 9_997))
    var series = ArrivalSeries(seconds: 3_600)
    for minute in 0..<60 {
      // In the middle of a second, so that copies stay in it.
      var at = 0.3
      while true {
        at += draw.exponential(mean: 0.4 / mean)
        guard at < 0.7 else { break }
        series.add(Double(minute) * 60 + at)
      }
    }
    return series
  }

  @Test("the busiest of many storms is corrected for the randomness of the subset")
  func selection() {
    let scaling = SubsetScaling(factor: 3, dispersion: Dispersion(own: 1, shared: 0))
    func busiest(_ series: ArrivalSeries) -> [Double] {
      [Double(series.counts(every: 1).max() ?? 0)]
    }
    var (scaled, corrected, direct) = (0.0, 0.0, 0.0)
    for seed in 1...12 as ClosedRange<UInt64> {
      let whole = scaling.scaled(Self.storms(100, seed: seed), seed: seed)
      scaled += busiest(whole)[0]
      let found = busiest(whole)
      corrected += found[0] / scaling.bias(of: found, in: whole, seed: seed, busiest)[0]
      direct += busiest(Self.storms(300, seed: seed + 100))[0]
    }
    #expect(scaled > 1.05 * direct)
    #expect(abs(corrected - direct) < abs(scaled - direct) / 2, "\(scaled) \(corrected) \(direct)")
  }

  @Test("an unscaled run has no bias")
  func unscaled() {
    let scaling = SubsetScaling(factor: 1, dispersion: Dispersion(own: 1, shared: 0))
    #expect(
      scaling.bias(of: [7], in: Self.storms(100, seed: 1), seed: 1) { [Double($0.count)] } == [1])
  }

  @Test("every figure of zero to three arrivals is a number", arguments: 0...3)
  func handful(arrivals: Int) {
    var recorder = DemandRecorder(policies: ["p"], seconds: 600)
    for number in 0..<arrivals {
      let second = Double(100 * (number + 1))
      recorder.add(
        second, phone: UInt32(number), policy: 0, fixes: 1, bytes: 50, open: second...second)
    }
    let demand = DemandRecord(recorder, phones: 2, lived: 1, seed: 1)
    for ratio in demand.sustained + [demand.peakSecond] {
      #expect(ratio.value.isFinite && ratio.low.isFinite && ratio.high.isFinite)
      #expect((ratio.value > 0) == (arrivals > 0))
    }
    #expect(demand.scalingBias.allSatisfy { $0.isFinite && $0 > 0 })
  }

  @Test("copies do not accumulate at the ends of the time")
  func ends() {
    var series = ArrivalSeries(seconds: 600)
    for tenth in 0..<6_000 { series.add(Double(tenth) / 10) }
    let scaling = SubsetScaling(factor: 3, dispersion: Dispersion(own: 1, shared: 0))
    let counts = scaling.scaled(series, seed: 1).counts(every: 1)
    #expect(counts.allSatisfy { $0 > 10 && $0 < 55 }, "\(counts.max() ?? 0)")
    #expect(scaling.scaled(series, seed: 1).sustainedRate(delay: 0.05).rate < 200)
  }

  @Test("a recorder keeps seconds, policies, open connections and the origin of batches")
  func recorder() {
    var recorder = DemandRecorder(policies: ["a", "b"], seconds: 120)
    recorder.add(1.5, phone: 9, policy: 0, fixes: 10, bytes: 100, open: 1.25...1.75)
    recorder.add(1.75, phone: 4, policy: 1, fixes: 20, bytes: 300, open: 1.5...3.5)
    recorder.add(500, phone: 4, policy: 1, fixes: 20, bytes: 300, open: 500...501)
    recorder.addPush(61)
    #expect(recorder[1].batches == [1, 1])
    #expect(recorder[1].bytes == 400)
    #expect(recorder[1].connections == 1)
    #expect(recorder[2].connections == 1)
    #expect(recorder[3].connections == 0.5)
    #expect(recorder.phones == [9, 4])
    #expect(recorder.peakPushesPerMinute == 1)
    #expect(recorder.minutes().map(\.pushes) == [0, 1])
  }

  @Test("exports have a row, an object or a line for each upload")
  func exports() {
    var recorder = DemandRecorder(policies: ["hy,brid"], seconds: 2)
    recorder.add(1.5, phone: 9, policy: 0, fixes: 10, bytes: 100, open: 1.25...1.75)
    func text(_ format: DemandText.Format) -> String {
      var text = ""
      DemandText.write(recorder, format, factor: 2, arrivals: recorder.series) {
        text += $0
        return true
      }
      return text
    }
    #expect(
      text(.csv) == """
        second,batches,batches_hy_brid,bytes,connections,pushes
        0,0,0,0,0,0
        1,2,2,200,1,0

        """)
    #expect(
      text(.ndjson).split(separator: "\n").last == """
        {"second":1,"batches":2,"policies":{"hy_brid":2},"bytes":200,"connections":1,"pushes":0}
        """)
    #expect(text(.h2load) == "1500\thttp://127.0.0.1:8080/upload\n")
    recorder.views = ViewSeries([3, 4.5])
    #expect(
      text(.csv) == """
        second,batches,batches_hy_brid,bytes,connections,pushes,reads
        0,0,0,0,0,0,3
        1,2,2,200,1,0,4.5

        """)
    #expect(text(.ndjson).hasSuffix(#""pushes":0,"reads":4.5}"# + "\n"))
    recorder.views?.areMessages = true
    #expect(text(.ndjson).hasSuffix(#""pushes":0,"messages":4.5}"# + "\n"))
    #expect(text(.h2load) == "1500\thttp://127.0.0.1:8080/upload\n")
  }

  @Test("the curve of reads has a rate a minute, whose sum is the total")
  func views() throws {
    let counts = (0..<150).map { Double($0 * 7 % 11) }
    let views = ViewDemand(ViewSeries(counts))
    #expect(views.total == counts.reduce(0, +) && views.peakSecond == 10)
    #expect(views.minutes.count == 3)
    let sum = zip(views.minutes, [60, 60, 30]).reduce(0) { $0 + $1.0 * $1.1 }
    #expect(abs(sum - views.total) < 1e-9 && abs(views.mean * 150 - views.total) < 1e-9)
    #expect(views.peakMinute == views.minutes.max() && views.peakReads == 10)
    #expect(ViewDemand(ViewSeries(counts, areMessages: true)).peakReads == 0)
    let demand = SizingTests.demand
    #expect(!String(decoding: try JSONEncoder().encode(demand), as: UTF8.self).contains("views"))
  }
}
