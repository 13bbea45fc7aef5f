import Core
import PhoneSupport
@testable import Phone
import Scenarios
import TestSupport
import Testing

@Suite("What a phone with Android lacks", .quick)
struct MissingPartsTests {
  @Test("APM9: with location switched off a request brings nothing, and no fence tells a crossing")
  func locationOff() {
    for share in [0, 1] as [Double] {
      let life = HeldRequestTests.life(.every(.minutes(1))) { $0.rules.locationOff = share }
      life.advance(until: .hours(1))
      #expect(life.fixes(.standard).isEmpty == (share == 1))
      #expect(life.phone.authorization == .always && life.phone.android.hasService)
      let fences = AndroidStartTests.fences { $0.rules.locationOff = share }
      fences.advance(until: .hours(3))
      #expect((fences.crossings.isEmpty && fences.exits.isEmpty) == (share == 1))
    }
  }

  @Test("ANW3: without Play services there are no push token, no fences and no locations by intent")
  func withoutPlay() {
    for share in [0, 1] as [Double] {
      let fences = AndroidStartTests.fences { $0.rules.withoutPlay = share }
      fences.advance(until: .hours(3))
      #expect((fences.crossings.isEmpty && fences.exits.isEmpty) == (share == 1))
      #expect(fences.phone.tokenIsValid == (share == 0))
      let behind = BackgroundLocationTests.life { $0.rules.withoutPlay = share }
      behind.advance(until: .hours(3))
      #expect(behind.fixes(.imprecise).isEmpty == (share == 1))
      let request = HeldRequestTests.life(.every(.minutes(1), .tenMeters)) {
        $0.rules.withoutPlay = share
      }
      request.advance(until: .hours(1))
      #expect(!request.fixes(.standard).isEmpty)
    }
  }

  @Test("AGF7: with Google's accuracy off only a phone that uses satellites notices a crossing")
  func accuracyOff() {
    for accuracy in [nil, .hundredMeters, .best] as [DesiredAccuracy?] {
      let life = AndroidStartTests.fences {
        $0.rules.accuracyOff = 1
        $0.use.service = .always
      }
      if let accuracy { life.ask(.startStandard(.every(.seconds(10), accuracy))) }
      life.advance(until: .hours(9))
      #expect(life.exits.isEmpty == (accuracy != .best), "\(accuracy as Any)")
      #expect(life.crossings.isEmpty == (accuracy != .best), "\(accuracy as Any)")
    }
  }
}
