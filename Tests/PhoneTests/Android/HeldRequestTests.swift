import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing

@testable import Phone

extension ServiceRequest {
  /// A request of an Android app with an interval.
  static func every(
    _ interval: SimDuration, _ accuracy: DesiredAccuracy = .hundredMeters, filter: Distance? = nil
  ) -> ServiceRequest {
    var request = ServiceRequest.asking(accuracy, filter: filter)
    request.interval = interval
    request.pausesAutomatically = false
    return request
  }
}

extension PhoneLife {
  /// The time for which a part of the phone has been drawing power since a step.
  func time(of draw: EnergyDraw, since step: Int = 0) -> SimDuration {
    act { phone, context, out in phone.readMeter(context, &out) }
    return effects.dropFirst(step).reduce(.zero) { sum, effect in
      guard case .drew(let parts, let time, _, _) = effect, parts.contains(draw) else { return sum }
      return sum + time
    }
  }
}

@Suite("Requests with an interval", .quick)
struct HeldRequestTests {
  static func life(
    _ request: ServiceRequest, _ change: (inout AndroidSetup) -> Void = { _ in }
  ) -> PhoneLife {
    PhoneLife.android {
      $0.use.service = .always
      $0.app = DeviceTests.careful(.startStandard(request))
      change(&$0)
    }
  }

  @Test("AFL2: a request brings a position each interval, and one event with it")
  func interval() throws {
    let life = Self.life(.every(.minutes(1))) { $0.rules.neverDoze() }
    life.advance(until: .hours(1))
    let fixes = life.fixes(.standard)
    #expect(fixes.count == 60)
    #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $1 - $0 == .minutes(1) })
    #expect(life.phone.due[.standard] == (try #require(fixes.last)) + .minutes(1))
  }

  @Test("AFL2: an app that ends its request gets none of the positions that are computed late")
  func ended() {
    let life = Self.life(.every(.minutes(1))) { setup in
      let app = setup.app
      setup.app = { event in if case .location = event { [.stopStandard] } else { app(event) } }
      setup.rules.neverDoze()
    }
    let late = life.now + .hours(1)
    life.act { phone, context, out in
      phone.deliverFixes(upTo: late, before: .standard, context, &out)
    }
    #expect(life.fixes(.standard).count == 1)
  }

  @Test("AFL2: the policies of Android make one request, which lasts")
  func policies() throws {
    let polled = try Shipped.policy("owntracks-android-move")
    #expect(polled.background.service.interval == nil)
    var app = Timeline(polled.onAndroid)
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    app.notify(.enteredBackground, at: 0)
    for n in 0..<20 {
      let now = Double(n) * 10
      #expect(app.standard == "best each 10 s")
      #expect(app.timer(.stopStandard) == nil && app.timer(.restart) == nil)
      app.notify(.location(.at(now + 3), .standard), at: now + 3)
      app.notify(.uploadFinished(.acknowledged), at: now + 5)
    }
    #expect(app.uploads.count == 20)
  }

  @Test("AFL2: an app that needs a position at once asks for one, and goes on with its request")
  func atOnce() throws {
    var app = Timeline(try Shipped.policy("traccar-android", "onPush=burst").onAndroid)
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    app.notify(.enteredBackground, at: 0)
    app.notify(.location(.at(1), .standard), at: 1)
    app.notify(.silentPush(cached: nil), at: 90)
    #expect(app.standard == "hundredMeters")
    app.notify(.location(.at(92), .standard), at: 92)
    #expect(app.standard == "hundredMeters each 300 s")
  }

  @Test("AFG10: between two positions receiver and processor sleep", arguments: [true, false])
  func sleeps(isHeld: Bool) {
    let life = Self.life(isHeld ? .every(.minutes(1), .best) : .every(.seconds(1), .best))
    life.advance(until: .hours(1))
    let hot = life.context.profile.firstFix.hot
    let seconds = isHeld ? 60 * (hot.min.seconds + hot.max.seconds) / 2 : 3_600
    #expect(abs(life.time(of: .satellites).seconds - seconds) < 1)
    #expect(abs(life.time(of: .callbacks).seconds - (isHeld ? 60 : 3_600)) < 1)
  }

  @Test("AFG10: with a wake lock the processor of a running service never sleeps")
  func wakeLock() {
    let life = Self.life(.every(.minutes(1), .best)) { $0.use.wakeLock = true }
    life.advance(until: .hours(1))
    #expect(abs(life.time(of: .callbacks).seconds - 3_600) < 1)
    life.ask(.stopStandard)
    let step = life.effects.count
    life.advance(.hours(1))
    #expect(abs(life.time(of: .callbacks, since: step).seconds - 3_600) < 1)
  }

  @Test("AFL2: a distance filter withholds positions, and the provider runs all the same")
  func filtered() {
    let life = Self.life(.every(.minutes(1), filter: .kilometers(50))) { $0.rules.neverDoze() }
    life.advance(until: .hours(6))
    #expect(life.fixes(.standard).count == 1)
    let scan = life.context.prices.profile.hundredMeterScanSeconds
    #expect(abs(life.time(of: .hundredMeters).seconds - 360 * scan) < 1)
  }

  @Test("AFL2: at rest a distance filter withholds everything up to the next leap of the position")
  func withheld() {
    var spared = SimDuration.zero
    var whole = SimDuration.zero
    for number in 0..<30 {
      let (phone, stay) = (World.phone(number), World.stay(UInt32(number)))
      var service = StandardService()
      service.start(
        .every(.minutes(1), filter: .meters(500)), now: stay.start, lastKnown: .distantPast,
        surroundings: .indoor, keepsAppAlive: true, .standard, seed: 5, phone: phone)
      var now = service.firstFixAt
      while now < stay.end {
        let until = service.withheldUntil(
          from: now, segment: stay, maker: World.maker, .all, phone: phone)
        if until > now {
          let next = until - .microseconds(1)
          let fix = service.nextFix(upTo: next, segment: stay, maker: World.maker, phone: phone)
          #expect(fix == nil, "phone \(number)")
          spared += until - now
          now = until
        } else {
          now += .minutes(1)
          _ = service.nextFix(upTo: now, segment: stay, maker: World.maker, phone: phone)
        }
      }
      whole += stay.end - service.startedAt
    }
    #expect(spared.seconds > 0.4 * whole.seconds, "\(spared) of \(whole)")
  }

  // MARK: Priority

  @Test("AFL1: BALANCED takes Wi-Fi, HIGH_ACCURACY satellites, LOW_POWER cells alone")
  func priority() throws {
    func median(_ accuracy: DesiredAccuracy) -> Double {
      let off = (0..<20).flatMap { number in
        let life = Self.life(.every(.minutes(1), accuracy)) {
          $0.number = UInt32(number)
          $0.way = [.ride(.minutes(30), metersPerSecond: 8)]
        }
        life.advance(until: .minutes(29))
        return life.metersOff(.standard)
      }
      return off.sorted()[off.count / 2]
    }
    let (high, balanced, low) = (median(.best), median(.hundredMeters), median(.kilometer))
    #expect(high < 0.5 * balanced && balanced < 0.5 * low, "\(high), \(balanced), \(low) m")
  }

  @Test("AFL3: a request for the current location is answered at once by one that is new enough")
  func current() {
    for (age, isAnswered) in [(30, true), (20, false)] as [(Int64, Bool)] {
      let life = Self.life(.every(.minutes(1))) { $0.rules.currentAge = .seconds(age) }
      life.advance(until: .minutes(10))
      let last = life.fixes(.standard)[9]
      life.advance(until: last + .seconds(25))
      let mark = life.mark
      var request = ServiceRequest.every(.seconds(1))
      request.isSingle = true
      life.ask(.startStandard(request))
      let fixes = life.fixes(since: mark)
      #expect(fixes.map(\.time.instant) == (isAnswered ? [FixTime(last).instant] : []))
      life.advance(.seconds(20))
      #expect(!life.fixes(since: mark).isEmpty)
    }
  }

  @Test("AFL7: the first position takes 1 to 3, 3 to 8 or 10 to 35 s, and half a second from Wi-Fi")
  func firstPosition() {
    let times = OSProfile.android14.firstFix
    func band(_ band: TimeBand) -> [Double] { [band.min.seconds, band.max.seconds] }
    #expect(band(times.hot) == [1, 3] && band(times.warm) == [3, 8])
    #expect(band(times.cold) == [10, 35] && band(times.wifi) == [0.5, 3])
  }

  @Test("AFL6: reported accuracies of networks come in no steps")
  func accuracies() {
    func reported(_ accuracy: DesiredAccuracy) -> [UInt16] {
      (0..<30).flatMap { number in
        let life = Self.life(.every(.minutes(1), accuracy)) {
          $0.number = UInt32(number)
          $0.way = [.ride(.minutes(20), metersPerSecond: 8)]
        }
        life.advance(until: .minutes(19))
        return life.positions(.standard).map(\.accuracyMeters).dropFirst()
      }.sorted()
    }
    let (wifi, cells) = (reported(.hundredMeters), reported(.kilometer))
    #expect(Set(wifi).count > 30 && (12...40).contains(wifi[wifi.count / 2]), "\(wifi)")
    #expect(Set(cells).count > 100 && (500...2_000).contains(cells[cells.count / 2]), "\(cells)")
  }

  @Test("AFL8: an approximate position is on a grid of 2 km, and comes each 10 min at most")
  func approximate() throws {
    var places: Set<Coordinate> = []
    for number in 0..<60 {
      let life = Self.life(.every(.minutes(1), .best)) {
        $0.number = UInt32(number)
        $0.consent = .reduced
        $0.rules.neverDoze()
      }
      life.advance(until: .hours(2))
      let fixes = life.positions(.standard)
      #expect(fixes.count == 12)
      for (a, b) in zip(fixes, fixes.dropFirst()) {
        #expect(b.time.instant - a.time.instant == .minutes(10))
      }
      for fix in fixes {
        #expect(fix.accuracyMeters == 2_000 && fix.speedDecimetersPerSecond < 0)
        let place = life.truth.maker.projection.point(of: fix.coordinate)
        for meters in [place.x, place.y] { #expect(abs(meters.remainder(dividingBy: 2_000)) < 1) }
      }
      places.formUnion(fixes.map(\.coordinate))
    }
    // Each phone's own offset moves some of them to another point.
    #expect(places.count > 1)
  }

  // MARK: Other apps

  /// An hour before the owner's next use of the phone, and the use itself, which is 4 h long. In it
  /// another app locates.
  static func beside(
    fastest: SimDuration?, others: Double = 1
  ) -> (before: [SimDuration], during: [SimDuration]) {
    let life = Self.life(.every(.minutes(1))) {
      $0.use.fastest = fastest
      $0.rules.othersLocate = others
      $0.rules.neverDoze()
      $0.world.owner.battery.screenTime = .hours(4)
    }
    let use = life.nextUse
    func gaps(_ window: Range<SimInstant>) -> [SimDuration] {
      let fixes = life.fixes(.standard).filter { window.contains($0) }
      return zip(fixes, fixes.dropFirst()).map { $1 - $0 }
    }
    life.advance(until: use.start + .hours(1))
    return (
      gaps(use.start - .hours(1)..<use.start - .seconds(1)),
      gaps(use.start + .minutes(2)..<use.start + .minutes(58))
    )
  }

  @Test("ABL4: while another app locates, positions come as often as the least time allows")
  func others() {
    let gaps = Self.beside(fastest: .seconds(1))
    #expect(gaps.before.count > 50 && gaps.before.allSatisfy { $0 == .minutes(1) })
    #expect(gaps.during.count > 3_000 && gaps.during.allSatisfy { $0 == .seconds(1) })
    let alone = Self.beside(fastest: .seconds(1), others: 0)
    #expect(alone.during.allSatisfy { $0 == .minutes(1) })
  }

  @Test("AFL2: the least time, by default the interval, may be a tenth shorter")
  func jitter() {
    #expect(Self.beside(fastest: nil).during.allSatisfy { $0 == .seconds(54) })
    #expect(Self.beside(fastest: .seconds(30)).during.allSatisfy { $0 == .seconds(27) })
  }

  // MARK: At rest in Doze

  /// The places that the positions between two ages of the phone have.
  static func places(_ life: PhoneLife, _ from: SimDuration, _ to: SimDuration) -> Set<Coordinate> {
    let ages = life.truth.birth + from..<life.truth.birth + to
    return Set(
      life.positions(.standard).filter { ages.contains($0.time.instant) }.map(\.coordinate))
  }

  @Test("AFL4: in Doze a phone that lies still gets its last position again, with a new time")
  func repeated() {
    let life = Self.life(.every(.minutes(1)))
    life.advance(until: .minutes(125))
    // Deep Doze begins after 65 min, with an idle hour.
    #expect(Self.places(life, .zero, .minutes(65)).count > 5)
    #expect(Self.places(life, .minutes(66), .minutes(125)).count == 1)
    let fixes = life.positions(.standard)
    #expect(fixes.count == 125 && Set(fixes.map(\.time)).count == 125)
    #expect(Set(fixes.dropFirst(67).map(\.accuracyMeters)).count == 1)
  }

  @Test("AFL4: then the provider does not run, and the processor wakes for each position")
  func spares() {
    let life = Self.life(.every(.minutes(1)))
    life.advance(until: .minutes(70))
    _ = life.time(of: .hundredMeters)
    let step = life.effects.count
    life.advance(until: .minutes(120))
    #expect(life.time(of: .hundredMeters, since: step) == .zero)
    #expect(abs(life.time(of: .callbacks, since: step).seconds - 50) < 1)
  }

  @Test("AFL4: motion ends it, and HIGH_ACCURACY is left alone")
  func ends() {
    let moving = Self.life(.every(.minutes(1))) {
      $0.way = [.stay(.minutes(90)), .ride(.minutes(30), metersPerSecond: 8)]
    }
    moving.advance(until: .minutes(120))
    #expect(Self.places(moving, .minutes(66), .minutes(90)).count == 1)
    #expect(Self.places(moving, .minutes(91), .minutes(120)).count > 20)
    let exact = Self.life(.every(.minutes(1), .best))
    exact.advance(until: .minutes(125))
    #expect(Self.places(exact, .minutes(66), .minutes(125)).count > 5)
  }

  @Test("AFL4: a distance filter withholds what is repeated")
  func repeatedFiltered() {
    let life = Self.life(.every(.minutes(1), filter: .meters(1)))
    life.advance(until: .minutes(120))
    let fixes = life.fixes(.standard).map { $0 - life.truth.birth }
    #expect(fixes.contains { $0 < .minutes(65) } && !fixes.contains { $0 > .minutes(67) })
  }
}
