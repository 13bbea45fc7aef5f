import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing

@testable import Phone

@Suite("Activity transitions", .quick)
struct TransitionTests {
  static let leaves = SimDuration.minutes(10)
  static let arrives = SimDuration.minutes(40)

  /// An app left at home, which asks for its sign of motion. After ten minutes the phone rides for
  /// half an hour.
  static func life(
    _ sign: AndroidUse.MotionSign, metersPerSecond: Double = 12,
    _ change: (inout AndroidSetup) -> Void = { _ in }
  ) -> PhoneLife {
    PhoneLife.android {
      $0.use.motion = sign
      $0.way = [
        .stay(leaves), .ride(.minutes(30), metersPerSecond: metersPerSecond), .stay(.hours(9)),
      ]
      $0.app = DeviceTests.careful(.startMotionActivity)
      change(&$0)
    }
  }

  @Test("AAR2: transitions come late, and start an app that has ended, with its service")
  func transitions() throws {
    let life = Self.life(.transitions) { $0.use.service = .always }
    life.advance(until: .minutes(9))
    life.kill()
    let mark = life.activities.count
    life.advance(until: .hours(2))
    let told = life.activities.dropFirst(mark).map { $0.at - life.truth.birth }
    #expect(told.count == 2 && life.launches == [.user, .location])
    let (begin, end) = (try #require(told.first) - Self.leaves, told[1] - Self.arrives)
    #expect(begin >= .seconds(20) && begin <= .minutes(2))
    #expect(end >= .minutes(1) && end <= .minutes(5))
    #expect(life.phone.android.hasService)
  }

  @Test("APM8: from Android 10 on transitions need permission for activity, the sensor does not")
  func denied() {
    for (sign, api, comes) in [
      (.transitions, 28, true), (.transitions, 29, false), (.sensor, 29, true),
    ] as [(AndroidUse.MotionSign, UInt8, Bool)] {
      let life = Self.life(sign) {
        $0.rules.api = api
        $0.traits = .motionDenied
        $0.use.service = .always
      }
      life.advance(until: .hours(1))
      #expect(life.activities.isEmpty == !comes, "\(sign), \(api)")
    }
  }

  @Test("AAR2: walking is noticed sooner than a ride")
  func onFoot() throws {
    func delay(_ metersPerSecond: Double) throws -> Double {
      let delays = try (0..<30).map { number in
        let life = Self.life(.transitions, metersPerSecond: metersPerSecond) {
          $0.number = UInt32(number)
        }
        life.advance(until: .minutes(20))
        let told = try #require(life.activities.first { $0.at > life.truth.birth + Self.leaves })
        return (told.at - life.truth.birth - Self.leaves).seconds
      }
      return delays.mean
    }
    let (foot, vehicle) = (try delay(1.2), try delay(12))
    #expect(abs(foot - 35) < 10 && abs(vehicle - 70) < 18, "\(foot) s, \(vehicle) s")
  }

  @Test("AAR2, AGF6: a start of the phone removes transitions, until the app asks again")
  func lost() {
    let life = Self.life(.transitions)
    life.advance(until: .minutes(2))
    life.restart()
    life.advance(until: .minutes(30))
    #expect(life.launches == [.user] && !life.phone.android.flags.contains(.transitions))
  }

  @Test("ANW3: without Play services there are no transitions")
  func withoutPlay() {
    let life = Self.life(.transitions) { $0.rules.withoutPlay = 1 }
    life.advance(until: .hours(2))
    #expect(life.activities.isEmpty)
  }

  @Test("AAR3: the significant-motion sensor tells a running app the begin of each motion, soon")
  func sensor() throws {
    let life = Self.life(.sensor) { $0.use.service = .always }
    life.advance(until: .hours(2))
    #expect(life.activities.count == 1)
    let delay = try #require(life.activities.first).at - life.truth.birth - Self.leaves
    #expect(delay >= .seconds(10) && delay <= .seconds(30))
    let dead = Self.life(.sensor) { $0.use.service = .always }
    dead.advance(until: .minutes(9))
    dead.kill()
    dead.advance(until: .hours(2))
    #expect(dead.activities.isEmpty && dead.launches == [.user])
  }

  @Test("AAR1: sensor data is classified while the phone moves, and until it is known to lie still")
  func energy() {
    let life = Self.life(.transitions) { $0.use.service = .always }
    life.advance(until: .minutes(9))
    _ = life.time(of: .motion)
    let step = life.effects.count
    life.advance(until: .hours(5))
    let time = life.time(of: .motion, since: step)
    #expect(time >= .minutes(31) && time <= .minutes(36))
  }
}
