import Core
import Foundation
import Scenarios
import TestSupport
import Testing

@testable import Fleet

/// A gate of a push, the setting that closes it for a share of pushes, and their outcome.
struct PushGateCase: Sendable, CustomTestStringConvertible {
  let outcome: WakeOutcome
  /// Closes the gate for this share of the pushes, by settings alone.
  let close: @Sendable (inout Scenario, Double) -> Void
  var testDescription: String { outcome.rawValue }

  init(_ outcome: WakeOutcome, _ close: @escaping @Sendable (inout Scenario, Double) -> Void) {
    self.outcome = outcome
    self.close = close
  }

  /// In the order in which outcomes are charged.
  static let all = [
    Self(.rejected) { scenario, share in
      scenario.faults.append(
        .outage(
          .providerOutage, at: scenario.start + .minutes(30),
          lasts: .hours(Int64((share * 24).rounded()))))
    },
    Self(.expired) { scenario, share in scenario.fleet.phone.switchedOff = share },
    Self(.forceQuit) { scenario, share in
      scenario.fleet.phone.forceQuit = share
      scenario.fleet.phone.forceQuitUses = 1
    },
    Self(.lowPower) { scenario, share in scenario.fleet.phone.lowPower = share },
    Self(.refreshOff) { scenario, share in scenario.fleet.phone.refreshOff = share },
    Self(.throttled) { scenario, share in
      scenario.fleet.phone.unopened = share
      scenario.push.phone.unopenedHalfLife = .hours(4)
    },
    Self(.noFix) { scenario, share in
      scenario.push.accuracyLimit = .kilometers(1)
      scenario.fleet.phone.reducedAccuracy = share
    },
    Self(.late) { scenario, share in
      scenario.fleet.phone.wifiAtStays = 0
      scenario.fleet.phone.wifiOnTheWay = 0
      scenario.push.provider.halfOpen = 1
      // Uniform up to a time beyond which `share` is too late; the wait is followed by the
      // provider's second, ten of the burst, and the upload.
      let latest = scenario.push.within.seconds - 14
      scenario.push.provider.halfOpenLasts = SimDuration(seconds: latest / (1 - share))
    },
  ]
}

@Suite("Push gates over a fleet", .quick)
struct PushGateWorldTests {
  /// Indoors one burst in twenty finds no position: the only miss that no setting removes.
  static let open = PushedFleet(PushedFleet.scenario())
  static let quarter = 0.25

  @Test("with every gate open only a missing position stops a push")
  func allOpen() {
    #expect(Self.open.asked == 400 * 24)
    #expect(Set(Self.open.outcomes.keys) == [.caused, .noFix], "\(Self.open.outcomes)")
    #expect(Self.open.share(.caused) > 0.94)
  }

  @Test(
    "one gate closed for a quarter: it alone counts the misses, and caused has the closed form",
    arguments: PushGateCase.all)
  func alone(_ gate: PushGateCase) throws {
    let fleet = PushedFleet(PushedFleet.scenario { gate.close(&$0, Self.quarter) })
    // One phone in some thousand is switched off between its fix and its upload.
    let counted = fleet.outcomes.filter { $0.value > fleet.asked / 1_000 }
    #expect(Set(counted.keys) == [.caused, .noFix, gate.outcome], "\(fleet.outcomes)")
    let caused = try #require(fleet.caused)
    let expected = (1 - Self.quarter) * Self.open.share(.caused)
    #expect(caused.low <= expected && expected <= caused.high, "\(caused), not \(expected)")
  }

  @Test("all gates at once, each independently: caused is the product")
  func product() throws {
    let fleet = PushedFleet(
      PushedFleet.scenario { scenario in
        for gate in PushGateCase.all { gate.close(&scenario, 0.12) }
      })
    let caused = try #require(fleet.caused)
    // The outage lasts whole hours: 3 of 24.
    let expected = (1 - 3.0 / 24) * pow(0.88, Double(PushGateCase.all.count - 1))
    let product = expected * Self.open.share(.caused)
    #expect(caused.low <= product && product <= caused.high, "\(caused), not \(product)")
    #expect(Set(fleet.outcomes.keys).isSuperset(of: PushGateCase.all.map(\.outcome)))
  }

  /// All gates a little closed: pushes that pass one gate reach the next.
  ///
  /// Every burst finds a position. A burst without one is redrawn at each instant, so that two
  /// fleets
  /// whose pushes come at different times would differ by chance as well as by their gates.
  private static func fleet(wide gate: PushGateCase?) -> PushedFleet {
    PushedFleet(
      PushedFleet.scenario(phones: 1_200) { scenario in
        scenario.fleet.cohorts[0].os.value.firstFix.indoorFailure = 0
        for one in PushGateCase.all {
          one.close(&scenario, one.outcome == gate?.outcome ? Self.quarter : Self.eighth)
        }
      })
  }
  private static let eighth = 0.125
  private static let narrow = fleet(wide: nil)

  @Test(
    "one gate closed further: its counter rises, earlier ones stay, later ones fall in proportion",
    arguments: PushGateCase.all)
  func knob(_ gate: PushGateCase) throws {
    let (before, after) = (Self.narrow, Self.fleet(wide: gate))
    #expect(before.asked == after.asked)
    func count(_ fleet: PushedFleet, _ outcome: WakeOutcome) -> Double {
      Double(fleet.outcomes[outcome] ?? 0)
    }
    let own = count(after, gate.outcome) / count(before, gate.outcome)
    #expect(own > 1.5 && own < 2.7, "\(own)")
    let place = try #require(PushGateCase.all.firstIndex { $0.outcome == gate.outcome })
    for one in PushGateCase.all[..<place] {
      // A later arrival may find another window of the same habit: a little randomness.
      let moved = abs(count(after, one.outcome) - count(before, one.outcome))
      #expect(moved <= 0.03 * count(before, one.outcome), "\(one)")
    }
    let left = (1 - Self.quarter) / (1 - Self.eighth)
    for one in PushGateCase.all[(place + 1)...] {
      let ratio = count(after, one.outcome) / count(before, one.outcome)
      // Randomness: 150 phones are closed entirely, and their number deviates by a twelfth.
      #expect(abs(ratio / left - 1) < 0.2, "\(one): \(ratio), not \(left)")
    }
    #expect(abs(count(after, .caused) / count(before, .caused) / left - 1) < 0.08)
  }

  @Test("a token that dies unnoticed: discarded, then 410, then no push until it registers")
  func staleToken() {
    let fleet = PushedFleet(PushedFleet.scenario { $0.fleet.phone.staleToken = Self.quarter })
    let outcomes = fleet.outcomes
    #expect(Set(outcomes.keys) == [.caused, .noFix, .unregistered, .rejected])
    // An hour's pushes came before the counting: some refused ones were discarded then.
    #expect(outcomes[.unregistered]! < outcomes[.rejected]!)
    #expect(outcomes[.rejected]! < 400)
    #expect(fleet.asked < Self.open.asked * 3 / 4)
  }
}
