import Foundation
import Mobility
import Scenarios
import SimulationCore
import Telemetry
import Testing

@testable import Phone

@Suite("Region monitoring", .timeLimit(.minutes(10)))
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

  /// What the system adds to crossing and dwell.
  static func latency(_ serial: UInt32, wifi: Bool, _ phone: PhoneID) -> SimDuration {
    var services = region(PlanePoint(x: 0, y: 0))
    services.regionSerial = serial
    return services.regionLatency(wifi: wifi, .standard, seed: 5, phone: phone)
  }

  /// The first instant, to the second, by which the truth has been outside for the whole dwell.
  static func dwelt(
    _ services: LocationServices, in segment: Segment, after now: SimInstant
  ) -> SimInstant? {
    let reach = services.regionRadius + RegionProfile.standard.cushion.meters
    var since: SimInstant?
    var t = now
    while t <= segment.end {
      if segment.position(at: t).distance(to: services.regionCentre) > reach {
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
    for (phone, leg) in World.legs(20) {
      let place = leg.position(at: leg.start)
      let small = Self.region(place, radius: 25)
      let exit = small.regionExit(
        in: leg, after: leg.start, wifi: true, .standard, seed: 5, phone: phone)
      let normal = Self.region(place, radius: 100)
      #expect(
        exit
          == normal.regionExit(
            in: leg, after: leg.start, wifi: true, .standard, seed: 5, phone: phone))
    }
  }

  @Test("RG3: an exit comes after cushion, dwell and latency, as a second-by-second search finds")
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
        in: leg, after: along, wifi: true, .standard, seed: 5, phone: phone)
      let latency = Self.latency(1, wifi: true, phone)
      guard let truth = Self.dwelt(services, in: leg, after: along) else {
        // The crossing is too near the end of the leg; the next segment decides.
        #expect(exit == .distantFuture || exit - latency > leg.end - .seconds(1))
        continue
      }
      exits += 1
      let off = (exit - latency - truth).seconds
      #expect(abs(off) <= 1.1, "\(phone): \(off) s off the brute-force answer")
    }
    #expect(exits > 80)
  }

  @Test("an exit's latency is 15 s in the median with Wi-Fi, three times that without")
  func latencies() {
    let withWifi = (0..<3_000).map { Self.latency(UInt32($0), wifi: true, World.phone(1)).seconds }
    let without = (0..<3_000).map { Self.latency(UInt32($0), wifi: false, World.phone(1)).seconds }
    #expect(withWifi.allSatisfy { $0 >= 0 && $0 <= 600 })
    #expect(abs(withWifi.share { $0 < 15 } - 0.5) < 0.03)
    #expect(abs(without.share { $0 < 45 } - 0.5) < 0.03)
    // Field report: about 95 of 100 within a minute or two, some minutes at worst.
    #expect(withWifi.share { $0 < 90 } > 0.93)
  }

  @Test("a phone that stays inside, and one without a region, has no exit")
  func noExit() {
    let stay = World.stay()
    let home = stay.position(at: stay.start)
    let exit = Self.region(home).regionExit(
      in: stay, after: stay.start, wifi: true, .standard, seed: 5, phone: World.phone(0))
    #expect(exit == .distantFuture)
    let none = LocationServices().regionExit(
      in: stay, after: stay.start, wifi: true, .standard, seed: 5, phone: World.phone(0))
    #expect(none == .distantFuture)
  }

  @Test("an exit that is computed again before it fires keeps its instant")
  func stable() {
    for (phone, leg) in World.legs(30) {
      let services = Self.region(leg.position(at: leg.start))
      let exit = services.regionExit(
        in: leg, after: leg.start, wifi: true, .standard, seed: 5, phone: phone)
      let crossing = leg.exit(from: services.regionCentre, radius: 200, after: leg.start)
      guard let crossing, crossing > leg.start + .seconds(2) else { continue }
      let again = services.regionExit(
        in: leg, after: crossing - .seconds(1), wifi: true, .standard, seed: 5, phone: phone)
      #expect(again == exit)
    }
  }

  @Test("a region that the phone is not in cannot be left before it was entered")
  func entersFirst() {
    for (phone, leg) in World.legs(30) {
      let here = leg.position(at: leg.start)
      var services = LocationServices()
      services.monitorRegion(centre: here, radius: 100, from: leg.position(at: leg.end), .standard)
      let isFar = here.distance(to: leg.position(at: leg.end)) > 200
      #expect(services.regionIsLeft == isFar)
      guard isFar else { continue }
      services.monitorRegion(centre: leg.position(at: leg.end), radius: 100, from: here, .standard)
      let exit = services.regionExit(
        in: leg, after: leg.start, wifi: true, .standard, seed: 5, phone: phone)
      #expect(exit == .distantFuture, "it is entered at the way's end")
      services.noteRegion(leg.position(at: leg.end))
      #expect(!services.regionIsLeft)
    }
  }

  @Test("three exits in a hundred are missed")
  func missed() {
    let services = Self.region(PlanePoint(x: 0, y: 0))
    let missed = (0..<5_000).count {
      services.missesExit(at: World.monday, .standard, seed: 5, phone: World.phone($0))
    }
    #expect(abs(Double(missed) / 5_000 - 0.03) < 0.01)
  }
}
