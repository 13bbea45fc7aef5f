internal import Core
internal import TestSupport
internal import Testing
@testable import Capacity

/// A server of known capacity in virtual time: it serves batches one at a time, and stalls from
/// time to time.
struct PlantedServer {
  var perSecond: Double
  var stall = 0.0
  /// From the end of one stall to the begin of the next.
  var stallEvery = Double.infinity
  /// Above this rate the generator is late.
  var generatorMax = Double.infinity
  private(set) var now = 0.0
  private var draw: Draw

  init(_ perSecond: Double, seed: UInt64) {
    self.perSecond = perSecond
    draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 9_999))
  }

  /// Batches arrive at a random instant in equal slots: with Poisson arrivals the throughput in
  /// time would end below the planted rate. A batch that waits longer than 50 ms is late.
  mutating func trial(_ load: Double, seconds: Double) -> TrialOutcome {
    if load > generatorMax {
      return TrialOutcome(load: load, seconds: seconds, lossRatio: 0, invalid: "generator")
    }
    var free = now
    var at = now
    var late = 0
    var offered = 0
    var nextStall = stall > 0 ? (now / stallEvery).rounded(.up) * stallEvery : .infinity
    while true {
      at = now + (Double(offered) + draw.uniform()) / load
      guard at < now + seconds else { break }
      offered += 1
      free = max(free, at)
      if free >= nextStall {
        free = max(free, nextStall + stall)
        nextStall += stallEvery
      }
      free += 1 / perSecond
      if free - at > 0.05 { late += 1 }
    }
    now += seconds + 1
    return TrialOutcome(
      load: load, seconds: seconds, lossRatio: Double(late) / Double(max(1, offered)))
  }
}

@Suite("Search for the sustainable load", .quick)
struct LoadSearchTests {
  static let goal = SearchGoal(
    finalSeconds: 10, sumSeconds: 30, initialSeconds: 2, lossRatio: 0.01)

  static func search(_ server: inout PlantedServer, from first: Double = 100) -> LoadSearch {
    var search = LoadSearch(goal, first: first, largest: 1e6)
    while case .measure(let load, let seconds) = search.next {
      search.add(server.trial(load, seconds: seconds))
    }
    return search
  }

  @Test("finds a planted capacity within 5 %, from below and from above", arguments: 1...10)
  func planted(seed: UInt64) throws {
    for first in [40.0, 3_000] {
      var server = PlantedServer(400, seed: seed)
      let search = Self.search(&server, from: first)
      let lower = try #require(search.lowerBound)
      let upper = try #require(search.upperBound)
      #expect(abs(lower - 400) <= 20, "\(lower)")
      #expect(upper / lower <= 1.051)
      #expect(search.irregularity == nil)
      #expect(try #require(search.conditionalThroughput) > 0.98 * lower)
    }
  }

  @Test("finds it although the server stalls for 1.4 s at times", arguments: 1...10)
  func stalling(seed: UInt64) throws {
    var server = PlantedServer(400, seed: seed)
    server.stall = 1.4
    server.stallEvery = 47
    let search = Self.search(&server)
    let lower = try #require(search.lowerBound)
    #expect(abs(lower - 400) <= 20, "\(lower)")
    #expect(try #require(search.upperBound) / lower <= 1.051)
  }

  @Test("a search that begins near its end does not overshoot it")
  func near() throws {
    var server = PlantedServer(400, seed: 3)
    var search = LoadSearch(Self.goal, first: 320, largest: 1e6, growth: 1.25)
    var most = 0.0
    while case .measure(let load, let seconds) = search.next {
      most = max(most, load)
      search.add(server.trial(load, seconds: seconds))
    }
    #expect(most <= 500)
    #expect(abs(try #require(search.lowerBound) - 400) <= 20)
  }

  @Test("an invalid trial is not a failed one: the generator's limit is no upper bound")
  func generatorLimit() throws {
    var server = PlantedServer(400, seed: 1)
    server.generatorMax = 200
    let search = Self.search(&server)
    #expect(search.upperBound == nil)
    #expect(search.irregularity == .generatorLimit)
    let lower = try #require(search.lowerBound)
    #expect(lower <= 200 && lower > 120, "\(lower)")
    #expect(search.trials.contains { $0.invalid != nil })
  }

  @Test("a search ends if the server carries nothing")
  func nothing() {
    var search = LoadSearch(Self.goal, first: 100, largest: 1e6)
    while case .measure(let load, let seconds) = search.next {
      search.add(TrialOutcome(load: load, seconds: seconds, lossRatio: 1))
    }
    #expect(search.lowerBound == nil)
    #expect(search.irregularity == .nothingSustained)
  }

  @Test("a search ends after a number of contradictory trials")
  func contradictions() {
    var search = LoadSearch(Self.goal, first: 100, largest: 1e6)
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 9_999))
    var count = 0
    while case .measure(let load, let seconds) = search.next, count < 1_000 {
      search.add(
        TrialOutcome(load: load, seconds: seconds, lossRatio: draw.chance(0.5) ? 0.5 : 0))
      count += 1
    }
    #expect(count <= 80)
  }
}
