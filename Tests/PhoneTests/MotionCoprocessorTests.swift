import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Motion coprocessor", .quick)
struct MotionCoprocessorTests {
  static let coprocessor = MotionCoprocessor(seed: 5, profile: .standard)

  @Test("AC5: a trip is recognised 5 to 20 s after it began, and rest up to 2 min after its end")
  func lag() {
    func lags(_ isMoving: Bool) -> [SimDuration] {
      (0..<500).map {
        Self.coprocessor.recognised(isMoving, at: World.monday, phone: World.phone($0))
          - World.monday
      }
    }
    #expect(lags(true).allSatisfy { $0 >= .seconds(5) && $0 <= .seconds(20) })
    let rests = lags(false)
    #expect(rests.allSatisfy { $0 >= .seconds(5) && $0 <= .minutes(2) })
    #expect(rests.contains { $0 > .seconds(90) })
  }

  @Test("AC5: one segment in twenty is misclassified")
  func confusion() {
    var (wrong, all) = (0, 0)
    for (phone, leg) in World.legs(1_500) {
      let truth: MotionActivity =
        switch leg.mode {
        case .walk: .walking
        case .bicycle: .cycling
        case .bus, .tram, .car, .rail: .automotive
        }
      all += 1
      if Self.coprocessor.activity(in: leg, phone: phone) != truth { wrong += 1 }
    }
    #expect(abs(Double(wrong) / Double(all) - 0.05) < 0.02)
  }

  @Test("PT4: the app's declared activity type decides what is rest")
  func rest() {
    let stay = World.stay()
    #expect(ActivityType.allCases.allSatisfy { stay.isRest(for: $0) })
    for (_, leg) in World.legs(60) {
      let isVehicle = leg.mode != .walk && leg.mode != .bicycle
      #expect(!leg.isRest(for: .other))
      #expect(leg.isRest(for: .automotive) == !isVehicle)
      #expect(leg.isRest(for: .fitness) == isVehicle)
    }
  }
}
