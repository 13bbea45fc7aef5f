import Core
import TestSupport
import Testing
@testable import Phone

@Suite("Leaving and entering circles", .quick)
struct CircleTests {
  /// Random circles near the leg, so that many are crossed several times.
  static func circles(for leg: Segment, _ draw: inout Draw) -> (PlanePoint, Double) {
    let at = leg.start + SimDuration(seconds: leg.duration.seconds * draw.uniform())
    let near = leg.position(at: at)
    let spread = max(200, leg.straightLength / 3)
    let centre = PlanePoint(
      x: near.x + spread * draw.normal() * 0.5, y: near.y + spread * draw.normal() * 0.5)
    return (centre, draw.logNormal(median: 200, sigma: 0.8))
  }

  @Test("exit and entry are the first microsecond that a fine scan confirms, on 1,000 legs")
  func crossingsAgreeWithScan() {
    var draw = Draw(seed: 7, phone: 0, .leg)
    var crossings = 0
    for leg in Fixture.legs(1_000) {
      let (centre, radius) = Self.circles(for: leg, &draw)
      let t = leg.start + SimDuration(seconds: leg.duration.seconds * draw.uniform() * 0.8)
      for wantInside in [false, true] {
        let found =
          wantInside
          ? leg.entry(into: centre, radius: radius, after: t)
          : leg.exit(from: centre, radius: radius, after: t)
        let step = SimDuration.milliseconds(500)
        var scan = t + .microseconds(1)
        while scan <= leg.end, leg.isInside(scan, centre: centre, radius: radius) != wantInside {
          scan += step
        }
        if let found {
          crossings += 1
          #expect(found > t && found <= leg.end)
          #expect(found <= scan, "\(leg.mode) missed \(scan) by \((found - scan).seconds) s")
          #expect(leg.isInside(found, centre: centre, radius: radius) == wantInside)
          let before = found - .microseconds(1)
          if before > t {
            #expect(leg.isInside(before, centre: centre, radius: radius) != wantInside)
          }
        } else {
          #expect(scan > leg.end, "\(leg.mode) never found \(scan)")
        }
      }
    }
    #expect(crossings > 600, "\(crossings) crossings")
  }

  @Test("time within a circle equals the sum of a fine scan, and splits without loss")
  func timeWithinAgreesWithScan() {
    var draw = Draw(seed: 8, phone: 0, .leg)
    for leg in Fixture.legs(1_000) {
      let (centre, radius) = Self.circles(for: leg, &draw)
      let exact = leg.timeWithin(centre, radius: radius, from: .distantPast, to: .distantFuture)
      let step = SimDuration.milliseconds(200)
      var scanned = SimDuration.zero
      var borders = 0
      var inside = leg.isInside(leg.start, centre: centre, radius: radius)
      var at = leg.start
      while at < leg.end {
        let now = leg.isInside(at, centre: centre, radius: radius)
        if now != inside { borders += 1 }
        inside = now
        if now { scanned += min(step, leg.end - at) }
        at += step
      }
      let tolerance = 0.2 * Double(borders + 2)
      #expect(
        abs(exact.seconds - scanned.seconds) <= tolerance,
        "\(leg.mode): exact \(exact.seconds) s, scanned \(scanned.seconds) s")
      let middle = leg.start + SimDuration(microseconds: leg.duration.microseconds / 3)
      let parts =
        leg.timeWithin(centre, radius: radius, from: leg.start, to: middle)
        + leg.timeWithin(centre, radius: radius, from: middle, to: leg.end)
      #expect(parts == exact)
    }
  }

  @Test("a stay never leaves a circle that contains it, and has always left one that does not")
  func stays() {
    let stay = Fixture.life(0).segment(at: Fixture.monday)
    let here = stay.position(at: stay.start)
    let away = PlanePoint(x: here.x + 500, y: here.y)
    let t = Fixture.monday
    #expect(!stay.isMoving)
    #expect(stay.exit(from: here, radius: 100, after: t) == nil)
    #expect(stay.entry(into: here, radius: 100, after: t) == t + .microseconds(1))
    #expect(stay.exit(from: away, radius: 100, after: t) == t + .microseconds(1))
    #expect(stay.entry(into: away, radius: 100, after: t) == nil)
    #expect(stay.exit(from: away, radius: 100, after: stay.end) == nil)
    let hour = stay.timeWithin(here, radius: 1, from: t, to: t + .minutes(30))
    #expect(hour == .minutes(30))
    #expect(stay.timeWithin(away, radius: 1, from: t, to: t + .minutes(30)) == .zero)
  }
}
