import Core
import TestSupport
import Testing
import Transport
@testable import flotilla_lab

@Suite("Plan of a chaos round", .quick)
struct ChaosPlanTests {
  let plans = (UInt64(1)...20).map { ChaosPlan(seed: $0, lasts: .seconds(15)) }

  @Test("every round kills the collector three times in the measured part")
  func kills() {
    for plan in plans {
      let kills = plan.actions.filter { $0.what == .killCollector }
      #expect(kills.count == 3)
      #expect(kills.allSatisfy { .zero < $0.at && $0.at < .seconds(15) })
    }
  }

  @Test("every round has a fault that affects all traffic, not only new connections")
  func harm() {
    for plan in plans {
      #expect(plan.faults.count >= 2)
      let certain = plan.faults.filter {
        switch $0.kind {
        case .delay, .stall, .throttle, .flip: true
        case .cut, .halfOpen: false
        }
      }
      #expect(!certain.isEmpty, "seed \(plan.seed)")
    }
  }

  @Test("six rounds have every kind of fault, connection and action")
  func variety() {
    let first = plans.prefix(6)
    let kinds = Set(first.flatMap { $0.faults.map { "\($0.kind)".prefix { $0 != "(" } } })
    #expect(kinds == ["delay", "stall", "cut", "halfOpen", "throttle", "flip"])
    #expect(Set(first.map(\.connections)).count == 2)
    let actions = first.flatMap { $0.actions.map(\.what) }
    #expect(actions.contains(.killFleet) && actions.contains(.stopCollector))
  }

  @Test("equal seeds give equal plans, other seeds other plans")
  func seeds() {
    #expect(ChaosPlan(seed: 4, lasts: .seconds(15)) == plans[3])
    #expect(plans[3] != plans[4])
  }

  @Test("a temporary database is killed three times; the rest is unchanged")
  func database() {
    let lasts = WallDuration.seconds(15)
    for seed in 1...12 as ClosedRange<UInt64> {
      let plan = ChaosPlan(seed: seed, lasts: lasts, hasDatabase: true)
      let kills = plan.actions.filter { $0.what == .killDatabase }
      #expect(kills.count == 3 && kills.allSatisfy { (.zero...lasts).contains($0.at) })
      let without = ChaosPlan(seed: seed, lasts: lasts)
      let others = plan.actions.filter { $0.what != .killDatabase }
      #expect(others.map(\.at) == without.actions.map(\.at))
      #expect(others.map(\.what) == without.actions.map(\.what))
    }
  }
}
