import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Standard location service", .quick)
struct StandardServiceTests {
  /// A service started at `age` after the last known position.
  static func started(
    _ surroundings: Surroundings, age: SimDuration = .minutes(1), accuracy: DesiredAccuracy = .best,
    filter: Distance? = nil, at now: SimInstant = World.monday, phone: Int = 0,
    mayUseNetwork: Bool = true
  ) -> StandardService {
    var service = StandardService()
    service.start(
      .asking(accuracy, filter: filter), now: now, lastKnown: now - age,
      surroundings: surroundings, keepsAppAlive: false, mayUseNetwork: mayUseNetwork, .standard,
      seed: 5, phone: World.phone(phone))
    return service
  }

  /// The seconds from the start to the first fix of the requested source.
  static func firstFixSeconds(_ service: StandardService) -> Double {
    (service.finalFixAt - service.startedAt).seconds
  }

  @Test(
    "SF2: outdoors the first fix takes longer the older the last position is",
    arguments: [
      (0, 1.0, 2.0), (29, 1, 2), (30, 3, 6), (239, 3, 6), (240, 10, 30), (100_000, 10, 30),
    ] as [(Int64, Double, Double)])
  func timeToFirstFix(minutes: Int64, low: Double, high: Double) {
    let seconds = (0..<300).map {
      Self.firstFixSeconds(
        Self.started(.street, age: .minutes(minutes), phone: $0, mayUseNetwork: false))
    }
    #expect(seconds.allSatisfy { $0 >= low && $0 <= high })
    #expect(abs(seconds.mean - (low + high) / 2) < 0.1 * (high - low))
  }

  @Test("NO6: indoors nine starts of ten use Wi-Fi, and a failed attempt is repeated")
  func indoors() {
    let starts = (0..<3_000).map { Self.started(.indoor, age: .hours(9), phone: $0) }
    #expect(starts.allSatisfy { $0.firstFixAt < .distantFuture })
    let byWifi = starts.filter { $0.source == .wifi }.map(Self.firstFixSeconds)
    #expect(abs(Double(byWifi.count) / 3_000 - 0.9) < 0.03)
    // 1 to 3 s, and 15 s more for each attempt, of which one in twenty fails.
    #expect(abs(byWifi.share { $0 > 3 } - 0.05) < 0.015)
    #expect(byWifi.allSatisfy { (1...3).contains($0.truncatingRemainder(dividingBy: 15)) })
    let bySky = starts.filter { $0.source == .satellites }.map(Self.firstFixSeconds)
    #expect(bySky.allSatisfy { $0 >= 15 } && bySky.share { $0 <= 45 } > 0.85)
  }

  @Test(
    "NO6: deep indoors without any network the service searches for satellites until it has them")
  func withoutNetwork() {
    let waits = (0..<3_000).map { number in
      var service = StandardService()
      service.start(
        .asking(.best), now: World.monday, lastKnown: World.monday - .minutes(1),
        surroundings: .indoor, keepsAppAlive: false, mayUseNetwork: false, .standard, seed: 5,
        phone: World.phone(number))
      #expect(service.source == .satellites && service.firstFixAt < .distantFuture)
      return Self.firstFixSeconds(service)
    }
    // Nine starts of ten receive nothing at first, and nine attempts of ten after them.
    #expect(abs(waits.share { $0 > 10 } - 0.905) < 0.02)
    #expect(abs(waits.mean - 0.9 * 10 * 15) < 20, "\(waits.mean) s")
  }

  @Test(
    "NO1: a resting phone sampled when its position may change equals one sampled each second",
    arguments: [2.0, 5, 20])
  func atRest(filter: Double) {
    for number in 0..<20 {
      let (phone, stay) = (World.phone(number), World.stay(UInt32(number)))
      let end = stay.end
      var service = Self.started(
        .indoor, filter: .meters(filter), at: max(stay.start, end - .hours(1)), phone: number)
      var second = service
      var fixes: [Fix] = []
      var instant = service.startedAt
      while instant < end {
        instant = min(instant + .seconds(1), end)
        while let fix = second.nextFix(
          upTo: instant, segment: stay, maker: World.maker, phone: phone)
        { fixes.append(fix) }
      }
      var found: [Fix] = []
      while let fix = service.nextFix(upTo: end, segment: stay, maker: World.maker, phone: phone) {
        found.append(fix)
      }
      #expect(found == fixes)
      #expect(service.lastTick == second.lastTick)
    }
  }

  @Test("NO7: at one place every start indoors finds satellites or none does")
  func blindPlace() {
    let blind = (0..<300).map { number in
      let starts = (0..<20).map { hour in
        Self.started(.indoor, at: World.monday + .hours(hour), phone: number).source == .wifi
      }
      #expect(Set(starts).count == 1, "phone \(number)")
      return starts[0]
    }
    #expect(abs(blind.share { $0 } - 0.9) < 0.05)
  }

  @Test("NO2: in a tunnel satellites give no fix rather than a wrong one, and the search continues")
  func tunnel() {
    let legs = World.legs(600).filter { _, leg in leg.surroundings(at: leg.start) == .tunnel }
    #expect(legs.count > 3)
    for (phone, leg) in legs {
      var service = Self.started(.tunnel, at: leg.start, phone: Int(phone.rawValue))
      #expect(service.firstFixAt < .distantFuture)
      while service.nextFix(upTo: leg.end, segment: leg, maker: World.maker, phone: phone) != nil {
        #expect(leg.surroundings(at: service.lastTick) != .tunnel)
      }
    }
    #expect(Self.started(.tunnel, accuracy: .hundredMeters).firstFixAt < .distantFuture)
  }

  @Test("NO6: a service without a position for longer than a position is fresh reports it")
  func findsNothing() {
    var service = Self.started(.street)
    let (start, patience) = (service.startedAt, SimDuration.seconds(15))
    func findsNothing(_ service: StandardService, newest: SimInstant) -> Bool {
      service.findsNothing(
        from: start, to: start + .minutes(1), newest: newest, patience: patience)
    }
    #expect(findsNothing(service, newest: start - .minutes(5)))
    #expect(!findsNothing(service, newest: start + .seconds(1)), "it found one since")
    #expect(
      !service.findsNothing(
        from: start - .seconds(1), to: start + .minutes(1), newest: .distantPast,
        patience: patience), "it was not on")
    service.hasDelivered = true
    service.distanceFilterMeters = 50
    #expect(!findsNothing(service, newest: start - .minutes(5)), "it only did not move")
    service.halt()
    #expect(!findsNothing(service, newest: start - .minutes(5)))
  }

  @Test(
    "AC2: satellites are used below 100 m requested accuracy, Wi-Fi from there on",
    arguments: DesiredAccuracy.allCases)
  func source(accuracy: DesiredAccuracy) {
    let source = Self.started(.street, accuracy: accuracy).source
    switch accuracy {
    case .best, .tenMeters: #expect(source == .satellites)
    case .hundredMeters, .kilometer, .threeKilometers: #expect(source == .wifi)
    }
  }

  @Test("fixes come each second from the first one on, never before it")
  func onePerSecond() {
    for (phone, leg) in World.legs(20) {
      var service = Self.started(.street, at: leg.start, phone: Int(phone.rawValue))
      let until = min(leg.end, leg.start + .minutes(3))
      var times: [SimInstant] = []
      while service.nextFix(upTo: until, segment: leg, maker: World.maker, phone: phone) != nil {
        times.append(service.lastTick)
      }
      #expect(times.first ?? until >= service.firstFixAt)
      #expect(times.allSatisfy { $0 <= until })
      for (a, b) in zip(times, times.dropFirst()) {
        // In a tunnel ticks pass without a fix.
        #expect((b - a).microseconds % 1_000_000 == 0 && b > a)
      }
    }
  }

  @Test("a service delivers the same fixes in several calls as in one")
  func pieces() {
    let (phone, leg) = World.legs(1)[0]
    let until = leg.start + .minutes(2)
    var whole = Self.started(.street, at: leg.start)
    var all: [Fix] = []
    while let fix = whole.nextFix(upTo: until, segment: leg, maker: World.maker, phone: phone) {
      all.append(fix)
    }
    var inPieces = Self.started(.street, at: leg.start)
    var collected: [Fix] = []
    var t = leg.start
    while t < until {
      t = min(until, t + .milliseconds(1_700))
      while let fix = inPieces.nextFix(upTo: t, segment: leg, maker: World.maker, phone: phone) {
        collected.append(fix)
      }
    }
    #expect(collected == all && all.count > 60)
  }

  /// Fixes in one hour at home.
  static func hourAtRest(_ number: Int, filter: Distance?) -> (PositionSource, Int)? {
    let stay = World.stay(UInt32(number))
    let start = World.monday
    guard stay.end > start + .minutes(70) else { return nil }
    var service = started(
      .indoor, filter: filter, at: start, phone: number)
    guard service.firstFixAt < .distantFuture else { return nil }
    var count = 0
    while service.nextFix(
      upTo: start + .hours(1), segment: stay, maker: World.maker, phone: World.phone(number)) != nil
    {
      count += 1
    }
    return (service.source, count)
  }

  @Test("NO1, C16: an hour indoors brings a fix a second without filter, few with 50 m")
  func stationaryNoise() {
    let without = (0..<4).compactMap { Self.hourAtRest($0, filter: nil) }
    #expect(!without.isEmpty && without.allSatisfy { $0.1 > 50 })
    let with = (0..<160).compactMap { Self.hourAtRest($0, filter: .meters(50)) }
    // One stay in twenty is so restless that its phone alone brings ten and more.
    for source in [PositionSource.satellites, .wifi] {
      let own = with.filter { $0.0 == source }.map { Double($0.1) }.sorted()
      #expect(own.count > 3 && own[own.count / 2] < 5, "\(source): \(own)")
    }
    let all = with.map { Double($0.1) }
    #expect(all.mean < 5, "\(all)")
  }

  // MARK: Convergence

  @Test("LA2: until satellites are found, positions come from networks")
  func networksFirst() {
    var (before, after) = (0, 0)
    for (phone, leg) in World.legs(80) where leg.duration > .minutes(2) {
      var service = Self.started(
        .street, age: .hours(1), at: leg.start, phone: Int(phone.rawValue))
      #expect((service.finalFixAt - leg.start).seconds >= 3)
      #expect((service.firstFixAt - leg.start).seconds <= 3)
      while let fix = service.nextFix(
        upTo: leg.start + .seconds(20), segment: leg, maker: World.maker, phone: phone)
      {
        // Only fixes from satellites have a speed.
        #expect((fix.speedDecimetersPerSecond < 0) == (service.lastTick < service.finalFixAt))
        if fix.speedDecimetersPerSecond < 0 { before += 1 } else { after += 1 }
      }
    }
    #expect(before > 100 && after > 500, "\(before) and \(after)")
    let alone = Self.started(.street, age: .hours(1), phone: 1, mayUseNetwork: false)
    #expect(alone.firstFixAt == alone.finalFixAt, "nothing without a network")
  }

  /// The seconds from a single request to its fix.
  static func answerSeconds(
    _ accuracy: DesiredAccuracy, _ phone: PhoneID, _ segment: Segment, at now: SimInstant
  ) -> Double {
    var service = started(
      segment.surroundings(at: now), accuracy: accuracy, at: now, phone: Int(phone.rawValue))
    service.awaitAccuracy(
      from: now, segment: segment, maker: World.maker, .all, .standard, phone: phone)
    let answer = service.firstFixAt
    let fix = service.nextFix(upTo: answer, segment: segment, maker: World.maker, phone: phone)
    #expect(fix?.time == FixTime(answer), "one answer")
    return (answer - now).seconds
  }

  @Test("LA3: a single request waits for its accuracy, about ten seconds at most")
  func singleRequest() {
    func atHome(_ accuracy: DesiredAccuracy) -> [Double] {
      (0..<200).map { number in
        let stay = World.stay(UInt32(number))
        return Self.answerSeconds(accuracy, World.phone(number), stay, at: World.monday)
      }
    }
    // Indoors no position is accurate enough to end a request for the best accuracy early.
    #expect(atHome(.best).share { $0 >= 10 && $0 < 11 } > 0.8)
    let coarse = atHome(.hundredMeters)
    #expect(coarse.share { $0 <= 3 } > 0.7)
    #expect(coarse.contains { $0 >= 10 }, "at a place with poor networks it waits in vain")
    let streets = World.legs(120).filter {
      $1.duration > .minutes(2) && $1.surroundings(at: $1.start) == .street
    }
    let outdoors = streets.map { Self.answerSeconds(.best, $0, $1, at: $1.start) }
    #expect(outdoors.contains { $0 < 8 } && outdoors.contains { $0 >= 10 })
  }

  @Test("LC9: the service ends with its process")
  func dies() {
    var service = Self.started(.street)
    service.stop()
    #expect(!service.isOn && service.firstFixAt == .distantFuture)
    #expect(
      service.nextFix(
        upTo: World.monday + .hours(1), segment: World.stay(), maker: World.maker,
        phone: World.phone(0)) == nil)
  }

  @Test("the first fixes after a start are less accurate than later ones")
  func settling() {
    var (early, late) = ([Double](), [Double]())
    for (phone, leg) in World.legs(60) {
      var service = Self.started(.street, at: leg.start, phone: Int(phone.rawValue))
      while let fix = service.nextFix(
        upTo: min(leg.end, leg.start + .minutes(1)), segment: leg, maker: World.maker, phone: phone)
      {
        let place = World.maker.projection.point(of: fix.coordinate)
        let meters = place.distance(to: leg.position(at: service.lastTick))
        let age = (service.lastTick - service.finalFixAt).seconds
        if age < 0 { continue }
        if age < 5 { early.append(meters) } else if age > 20 { late.append(meters) }
      }
    }
    #expect(early.mean > 1.3 * late.mean, "\(early.mean) and \(late.mean) m")
  }

  @Test("AC2: an app that requests 3 km gets about a hundred metres")
  func betterThanAsked() {
    let streets = World.legs(80).filter { $1.surroundings(at: $1.start) == .street }
    let fixes = streets.compactMap { phone, leg -> Fix? in
      var service = Self.started(
        .street, accuracy: .threeKilometers, at: leg.start, phone: Int(phone.rawValue))
      return service.nextFix(
        upTo: leg.start + .minutes(1), segment: leg, maker: World.maker, phone: phone)
    }
    // Wi-Fi reports 165 m at worst; a few phones receive none and use a cell.
    let good = Double(fixes.count { $0.accuracyMeters <= 165 }) / Double(fixes.count)
    #expect(fixes.count > 30 && good > 0.85, "\(good)")
  }

  @Test("with precise location off a phone reports a place kilometres away, a few times an hour")
  func reduced() {
    let (phone, leg) = (World.phone(3), World.stay(3))
    var service = Self.started(.indoor, at: World.monday, phone: 3)
    service.isReduced = true
    service.firstFixAt = World.monday + .seconds(2)
    var fixes: [Fix] = []
    while let fix = service.nextFix(
      upTo: World.monday + .hours(2), segment: leg, maker: World.maker, phone: phone)
    {
      fixes.append(fix)
    }
    #expect((6...8).contains(fixes.count))
    #expect(fixes.allSatisfy { $0.accuracyMeters == 2_500 && $0.coordinate == fixes[0].coordinate })
    let error = PositionError(seed: 42)
    let away = (0..<2_000).map { n in
      let truth = PlanePoint(x: Double(n * 37 % 20_000), y: Double(n * 91 % 17_000))
      return error.placeOfInterest(near: truth).distance(to: truth)
    }
    #expect(away.mean > 1_000 && away.allSatisfy { $0 < 20_000 })
    // Neighbouring phones share their place.
    let a = error.placeOfInterest(near: PlanePoint(x: 500, y: 500))
    #expect(error.placeOfInterest(near: PlanePoint(x: 520, y: 490)) == a)
  }

  @Test("a satellite fix has speed and course in motion, a Wi-Fi fix has neither")
  func motion() throws {
    let (phone, leg) = World.legs(1)[0]
    var service = Self.started(.street, at: leg.start, mayUseNetwork: false)
    var moving = 0
    while let fix = service.nextFix(
      upTo: leg.start + .minutes(2), segment: leg, maker: World.maker, phone: phone)
    {
      #expect(fix.speedDecimetersPerSecond >= 0 && fix.courseDegrees < 360)
      if fix.speedDecimetersPerSecond > 3 {
        #expect(fix.courseDegrees >= 0)
        moving += 1
      }
    }
    #expect(moving > 30)
    let coarse = World.maker.coarseFix(at: leg.start, leg, .all, phone).fix
    #expect(coarse.speedDecimetersPerSecond == -1 && coarse.courseDegrees == -1)
    #expect([30, 65, 165].contains(coarse.accuracyMeters))
  }
}
