import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Live updates", .quick)
struct LiveUpdateRuleTests {
  /// Ten minutes on foot, a stay of fifty, twenty minutes on foot, and the rest of the day.
  private static let way: [Stretch] = [
    .ride(.minutes(10), metersPerSecond: 1.4), .stay(.minutes(50)),
    .ride(.minutes(20), metersPerSecond: 1.4), .stay(.hours(8)),
  ]

  /// A system whose live updates pause after two minutes at rest.
  private static var os: OSProfile {
    var os = OSProfile.standard
    os.system.rules.livePauseAfter = .minutes(2)
    return os
  }

  private static var live: ServiceRequest {
    var request = ServiceRequest.asking(.best)
    request.isLive = true
    return request
  }

  /// An app with When In Use that starts live updates when it is opened or launched; opened at
  /// birth and left after a minute.
  private static func walk(
    _ session: ActivitySession = .retaken, os: OSProfile = os,
    startsInBackground: Bool = false
  ) -> PhoneLife {
    var manifest = AppManifest.standard
    manifest.activitySession = session
    let life = PhoneLife(
      .way(way), os: os, user: .whenInUse, manifest: manifest,
      app: { event in
        if event.isActivation {
          return [.requestAuthorization(.whenInUse)]
            + (startsInBackground ? [] : [.startStandard(live)])
        }
        if event.isLeave { return startsInBackground ? [.startStandard(live)] : [] }
        guard session == .retaken, case .launched(.location) = event else { return [] }
        return [.startStandard(live)]
      })
    life.open()
    life.advance(.minutes(1))
    life.leave()
    return life
  }

  private static func minutes(_ life: PhoneLife, _ range: Range<Int64>) -> Int {
    let birth = life.truth.birth
    return life.fixes(.standard).count {
      range.contains(($0 - birth).microseconds / 60_000_000)
    }
  }

  @Test("LU1: they pause two minutes after the phone has come to rest, and resume when it moves")
  func pausesAndResumes() {
    let life = Self.walk()
    life.advance(until: .minutes(45))
    #expect(Self.minutes(life, 2..<10) > 400)
    #expect(life.state == .suspended && life.count(\.isPause) == 1)
    #expect(Self.minutes(life, 13..<60) == 0)
    life.advance(until: .minutes(90))
    #expect(Self.minutes(life, 62..<80) > 900)
    #expect(life.count(\.isPause) == 2 && life.launches == [.user])
    #expect(Self.minutes(life, 83..<90) == 0)
  }

  @Test("LU1: satellites are on for the time on the way and the two delays")
  func energy() {
    let life = Self.walk()
    life.advance(until: .minutes(120))
    life.kill()  // reads the meter
    let satellites = life.effects.reduce(SimDuration.zero) { sum, effect in
      guard case .drew(let draw, let time, _, _) = effect, draw.contains(.satellites) else {
        return sum
      }
      return sum + time
    }
    // Half an hour on foot, twice two minutes at rest, less the time of the return.
    #expect(satellites > .minutes(32) && satellites < .minutes(35), "\(satellites.seconds) s")
  }

  @Test("LU2: a session begins in the foreground only: begun in the background it gives nothing")
  func foregroundOnly() {
    let life = Self.walk(startsInBackground: true)
    life.advance(until: .minutes(90))
    #expect(life.fixes(.standard).isEmpty && !life.phone.holdsSession)
  }

  @Test(
    "LU2: it survives the process, and an app that takes it again continues when the phone moves")
  func relaunched() {
    let life = Self.walk()
    life.advance(until: .minutes(30))
    life.kill()
    #expect(life.phone.holdsSession)
    life.advance(until: .minutes(80))
    #expect(life.launches == [.user, .location] && life.phone.holdsSession)
    #expect(Self.minutes(life, 62..<80) > 900)
  }

  @Test("LU2: an app that does not take its session again loses it until it is opened")
  func forgotten() {
    let life = Self.walk(.forgotten)
    life.advance(until: .minutes(30))
    life.kill()
    life.advance(until: .minutes(70))
    #expect(life.launches == [.user, .location] && !life.phone.holdsSession)
    #expect(Self.minutes(life, 30..<70) == 0)
    life.open()
    life.advance(.minutes(1))
    life.leave()
    life.advance(until: .minutes(80))
    #expect(life.phone.holdsSession && Self.minutes(life, 72..<80) > 400)
  }

  @Test("LU3: without a session When In Use ends with the foreground; with one it is enough")
  func whenInUse() {
    let without = Self.walk(.none)
    without.advance(until: .minutes(90))
    #expect(Self.minutes(without, 2..<90) == 0 && without.state == .suspended)
    let with = Self.walk()
    with.advance(until: .minutes(9))
    #expect(with.phone.authorization == .whenInUse && with.state == .background)
    #expect(Self.minutes(with, 2..<9) > 350)
    with.advance(until: .minutes(90))
    #expect(Self.minutes(with, 62..<80) > 900, "the session also resumes them")
  }

  @Test("LU1: a system before iOS 17 runs the standard service, which no movement resumes (PT2)")
  func before() {
    var os = OSProfile.standard
    os.system.rules.hasLiveUpdates = false
    let life = Self.walk(os: os)
    life.advance(until: .minutes(20))
    #expect(Self.minutes(life, 13..<20) > 300 && !life.phone.holdsSession)
  }
}
