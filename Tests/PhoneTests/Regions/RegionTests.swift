import Core
import Foundation
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Region monitoring", .quick)
struct RegionTests {
  static func region(_ centre: PlanePoint, radius: Double = 100) -> LocationServices {
    var services = LocationServices()
    services.monitorRegion(centre: centre, radius: radius, from: centre, .standard)
    return services
  }

  @Test("SF4: a region is a circle, the same in every direction")
  func circle() {
    for step in 0..<16 {
      let angle = Double(step) / 8 * .pi
      let direction = PlanePoint(x: cos(angle), y: sin(angle))
      var services = Self.region(PlanePoint(x: 0, y: 0), radius: 300)
      services.regionIsLeft = true
      services.noteRegion(PlanePoint(x: 301 * direction.x, y: 301 * direction.y))
      #expect(services.regionIsLeft, "outside at \(step) of 16")
      services.noteRegion(PlanePoint(x: 299 * direction.x, y: 299 * direction.y))
      #expect(!services.regionIsLeft, "inside at \(step) of 16")
    }
  }

  /// Time that the system adds to crossing and dwell.
  static func look(
    _ serial: UInt32, isRunning: Bool = true, isLocating: Bool = false, wifi: Bool = true
  ) -> (after: SimDuration, isLate: Bool) {
    var services = region(PlanePoint(x: 0, y: 0))
    services.regionSerial = serial
    return services.regionLook(
      isRunning: isRunning, isLocating: isLocating, wifi: wifi, .standard, seed: 5,
      phone: World.phone(1))
  }

  /// The first instant, to the second, by which the true position has been outside for the whole
  /// dwell.
  static func dwelt(
    _ services: LocationServices, in segment: Segment, after now: SimInstant
  ) -> SimInstant? {
    let reach = services.regionRadius + RegionProfile.standard.cushion.meters
    var since: SimInstant?
    var t = now
    while t <= segment.end {
      if segment.position(at: t).distance(to: services.regionCentre.point) > reach {
        let begin = since ?? t
        since = begin
        if t - begin >= RegionProfile.standard.dwell { return t }
      } else {
        since = nil
      }
      t += .milliseconds(500)
    }
    return nil
  }

  @Test("RG1: a radius below 100 m behaves as 100 m")
  func smallRadius() {
    for (_, leg) in World.legs(20) {
      let place = leg.position(at: leg.start)
      let small = Self.region(place, radius: 25)
      let exit = small.regionExit(in: leg, after: leg.start, .standard)
      let normal = Self.region(place, radius: 100)
      #expect(
        exit
          == normal.regionExit(
            in: leg, after: leg.start, .standard))
    }
  }

  @Test("RG3: an exit counts after cushion and dwell, as a second-by-second search finds")
  func bruteForce() {
    var draw = Draw(seed: 11, phone: 0, .sample)
    var exits = 0
    for (phone, leg) in World.legs(150) {
      // A circle somewhere along the way, so that ways clip it, touch it and come back to it.
      let along = leg.start + SimDuration(seconds: draw.uniform() * leg.duration.seconds)
      let place = leg.position(at: along)
      let centre = place + PlanePoint(x: draw.uniform(-260, 260), y: draw.uniform(-260, 260))
      let services = Self.region(centre, radius: draw.uniform(100, 200))
      let exit = services.regionExit(
        in: leg, after: along, .standard)
      guard let truth = Self.dwelt(services, in: leg, after: along) else {
        // The crossing is too near the end of the leg; the next segment decides.
        #expect(exit == .distantFuture || exit > leg.end - .seconds(1))
        continue
      }
      exits += 1
      let off = (exit - truth).seconds
      #expect(abs(off) <= 1.1, "\(phone): \(off) s off the brute-force answer")
    }
    #expect(exits > 80)
  }

  @Test("RG6: 93 % of crossings are reported within half a minute, to a running app")
  func prompt() {
    let looks = (0..<4_000).map { Self.look(UInt32($0)) }
    #expect(abs(looks.share { !$0.isLate } - 0.95) < 0.015)
    // Radius Networks 2015: 92 to 94 of 100 arrivals.
    #expect(abs(looks.share { $0.after < .seconds(30) } - 0.93) < 0.015)
    let without = (0..<4_000).map { Self.look(UInt32($0), wifi: false) }.filter { !$0.isLate }
    #expect(abs(without.share { $0.after < .seconds(18) } - 0.5) < 0.03)
  }

  @Test("RG6: the others wait for a random check, within three hours")
  func late() {
    let late = (0..<20_000).map { Self.look(UInt32($0)) }.filter(\.isLate)
    #expect(abs(late.share { $0.after < .minutes(20) } - 0.63) < 0.05, "exponential")
    #expect(late.allSatisfy { $0.after <= .hours(3) } && late.contains { $0.after > .hours(1) })
  }

  @Test("RG7: two crossings in five are reported late for an app that does not run")
  func terminated() {
    let looks = (0..<4_000).map { Self.look(UInt32($0), isRunning: false) }
    #expect(abs(looks.share(\.isLate) - 0.4) < 0.03)
  }

  @Test("RG6: a phone that computes positions detects every crossing at once")
  func locating() {
    let looks = (0..<1_000).map { Self.look(UInt32($0), isRunning: false, isLocating: true) }
    #expect(looks.allSatisfy { !$0.isLate })
  }

  @Test("a phone that stays inside, and one without a region, has no exit")
  func noExit() {
    let stay = World.stay()
    let home = stay.position(at: stay.start)
    let exit = Self.region(home).regionExit(
      in: stay, after: stay.start, .standard)
    #expect(exit == .distantFuture)
    let none = LocationServices().regionExit(
      in: stay, after: stay.start, .standard)
    #expect(none == .distantFuture)
  }

  @Test("an exit that is computed again before it fires keeps its instant")
  func stable() {
    for (_, leg) in World.legs(30) {
      let services = Self.region(leg.position(at: leg.start))
      let exit = services.regionExit(in: leg, after: leg.start, .standard)
      let crossing = leg.exit(from: services.regionCentre.point, radius: 200, after: leg.start)
      guard let crossing, crossing > leg.start + .seconds(2) else { continue }
      let again = services.regionExit(in: leg, after: crossing - .seconds(1), .standard)
      #expect(again == exit)
    }
  }

  @Test("a region that the phone is not in cannot be left before it was entered")
  func entersFirst() {
    for (_, leg) in World.legs(30) {
      let here = leg.position(at: leg.start)
      var services = LocationServices()
      services.monitorRegion(centre: here, radius: 100, from: leg.position(at: leg.end), .standard)
      let isFar = here.distance(to: leg.position(at: leg.end)) > 200
      #expect(services.regionIsLeft == isFar)
      guard isFar else { continue }
      services.monitorRegion(centre: leg.position(at: leg.end), radius: 100, from: here, .standard)
      let exit = services.regionExit(in: leg, after: leg.start, .standard)
      #expect(exit == .distantFuture, "it is entered at the way's end")
      services.noteRegion(leg.position(at: leg.end))
      #expect(!services.regionIsLeft)
    }
  }

  @Test("one exit in a hundred is missed")
  func missed() {
    let services = Self.region(PlanePoint(x: 0, y: 0))
    let missed = (0..<5_000).count {
      services.missesExit(at: World.monday, .standard, seed: 5, phone: World.phone($0))
    }
    #expect(abs(Double(missed) / 5_000 - 0.01) < 0.004)
  }
}
