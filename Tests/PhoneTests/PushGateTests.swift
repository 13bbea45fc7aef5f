@testable import Phone
@testable import Scenarios
import Core
import TestSupport
import Testing

@Suite("Push gates and data path", .quick)
struct PushGateTests {
  static let now = World.monday

  static let steady = RefillPace(factor: 1, until: .distantFuture)

  static func decide(
    _ kind: PushRequest.Kind = .background, budget: inout PushBudget, at now: SimInstant = now,
    _ change: (inout PushSituation) -> Void = { _ in }
  ) -> PushGate {
    var situation = PushSituation()
    change(&situation)
    return SystemRules.firstClosed(SystemRules.gates(for: kind), situation) {
      budget.take(now: now, day: 0, PushBudgetTests.drip) { _ in Self.steady }
    }
  }

  @Test("LC11, BR1: a push is charged to the first closed gate, in their order", arguments: 0..<64)
  func order(bits: Int) {
    let on = { (bit: Int) in bits & (1 << bit) != 0 }
    var budget = PushBudget(capacity: on(4) ? 0 : 3, now: Self.now)
    let expected: PushGate =
      on(0)
      ? .forceQuit
      : on(1)
        ? .open : on(2) ? .lowPower : on(3) ? .refreshOff : on(4) || on(5) ? .throttled : .open
    let gate = Self.decide(budget: &budget) {
      $0.isForceQuit = on(0)
      $0.isForeground = on(1)
      $0.lowPower = on(2)
      $0.refreshOff = on(3)
      $0.isQuiet = on(5)
    }
    #expect(gate == expected)
  }

  @Test("AL1: only force-quit stops an alert, unless it requests no run time or may wake no app")
  func alert() {
    func gate(_ change: (inout PushSituation) -> Void) -> PushGate {
      var budget = PushBudget(capacity: 0, now: Self.now)
      return Self.decide(.alert, budget: &budget) {
        $0.lowPower = true
        $0.refreshOff = true
        $0.isQuiet = true
        change(&$0)
      }
    }
    #expect(gate { _ in } == .open)
    #expect(gate { $0.isForceQuit = true } == .forceQuit)
    #expect(gate { $0.mayWake = false } == .lowPower)
    #expect(gate { $0.asksToRun = false } == .alertOnly)
  }

  @Test("SP14: in Low Power Mode a location push may not run its extension")
  func extensionInLowPower() {
    var budget = PushBudget(capacity: 3, now: Self.now)
    let waits = Self.decide(.location, budget: &budget) {
      $0.lowPower = true
      $0.extensionWaits = true
    }
    #expect(waits == .lowPower)
    #expect(Self.decide(.location, budget: &budget) { $0.lowPower = true } == .open)
  }

  @Test("only a push that runs the app in the background spends budget")
  func spending() {
    var budget = PushBudget(capacity: 1, now: Self.now)
    for _ in 0..<5 {
      #expect(Self.decide(budget: &budget) { $0.isForceQuit = true } == .forceQuit)
      #expect(Self.decide(budget: &budget) { $0.lowPower = true } == .lowPower)
      #expect(Self.decide(budget: &budget) { $0.refreshOff = true } == .refreshOff)
      #expect(Self.decide(budget: &budget) { $0.isQuiet = true } == .throttled)
      #expect(Self.decide(budget: &budget) { $0.isForeground = true } == .open)
    }
    #expect(Self.decide(budget: &budget) == .open)
    #expect(Self.decide(budget: &budget) == .throttled)
  }

  @Test(
    "C13: pushes never run more often than the bucket's capacity and refills allow",
    arguments: [10, 300, 1_300, 4_000] as [Double])
  func budgetProperty(meanGap: Double) {
    for n in 0..<20 {
      var draw = Draw(seed: 2, phone: UInt32(n), .sample)
      var budget = PushBudget(capacity: 3, now: Self.now)
      var t = Self.now
      var granted = 0
      while t < Self.now + .hours(48) {
        t += SimDuration(seconds: draw.exponential(mean: meanGap))
        if budget.take(now: t, capacity: 3, refillPerHour: 2.5) { granted += 1 }
        let hours = (t - Self.now).seconds / 3_600
        #expect(Double(granted) <= 3 + 2.5 * hours + 0.01)
      }
      // Requests come far more often than refills, so nearly all tokens are used.
      if meanGap <= 300 { #expect(Double(granted) > 2.5 * 48 * 0.95) }
    }
  }

  @Test("a bucket never holds more than its capacity")
  func capacity() {
    var budget = PushBudget(capacity: 3, now: Self.now)
    let later = Self.now + .hours(100)
    let granted = (0..<10).count { _ in budget.take(now: later, capacity: 3, refillPerHour: 2.5) }
    #expect(granted == 3)
  }

  @Test(
    "an upload takes its path's minimum plus an exponential of its mean, reproducibly")
  func dataPath() {
    let path = DataPath(seed: 3, model: .standard)
    for (wifi, model) in [
      (true, NetworkModel.standard.wifi), (false, NetworkModel.standard.cellular),
    ] {
      let trips = (0..<4_000 as Range<UInt32>).map {
        path.roundTrip(wifi: wifi, phone: World.phone(1), attempt: $0)
      }
      #expect(trips.allSatisfy { $0 >= model.floor })
      let mean = trips.map { ($0 - model.floor).seconds }.mean
      #expect(abs(mean / model.mean.seconds - 1) < 0.08)
      #expect(path.roundTrip(wifi: wifi, phone: World.phone(1), attempt: 17) == trips[17])
    }
  }
}
