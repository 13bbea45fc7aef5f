import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("People's movement", .quick)
struct LifeTests {
  @Test("segments tile 14 days of 60 phones, and positions meet at every border")
  func tiling() {
    let end = Fixture.monday + .hours(24 * 14)
    for phone in 0..<60 {
      let life = Fixture.life(phone)
      var last = life.segment(at: Fixture.monday)
      #expect(last.start <= Fixture.monday && Fixture.monday < last.end)
      while last.end < end {
        let next = life.segment(after: last)
        #expect(next.start == last.end && next.start < next.end)
        #expect(next.isMoving != last.isMoving)
        let gap = last.position(at: last.end).distance(to: next.position(at: next.start))
        #expect(gap == 0, "phone \(phone) leaps \(gap) m")
        #expect(next.trackLength < 100_000)
        last = next
      }
    }
  }

  @Test("every day begins at home")
  func homeAtNight() {
    for phone in 0..<60 {
      let life = Fixture.life(phone)
      #expect(life.home.distance(to: PlanePoint(x: 0, y: 0)) <= 12_000)
      for day in 0..<14 {
        let segment = life.segment(at: Fixture.monday + .hours(24 * Int64(day)))
        #expect(!segment.isMoving && segment.place == 0)
        #expect(segment.position(at: segment.start) == life.home)
        #expect(segment.surroundings(at: segment.start) == .indoor)
      }
    }
  }

  @Test("every day's last leg ends before the next day begins")
  func daysDoNotOverlap() {
    let first = Fixture.town.clock.day(at: Fixture.monday)
    for phone in 0..<500 {
      let life = Fixture.life(phone)
      for day in first..<(first + 3) {
        let plan = DayPlanner.plan(life, day: day)
        guard plan.count > 0 else { continue }
        let border = Fixture.town.clock.midnight(of: day) + Life.dayBorder
        #expect(plan.departure >= border && plan.homecoming < border + .hours(24))
        #expect(plan[plan.count - 1].place == 0)
        for i in 1..<plan.count { #expect(plan[i - 1].arrival < plan[i].departure) }
      }
    }
  }

  @Test("a result does not depend on earlier queries")
  func order() {
    let instants = (0..<400).map { Fixture.monday + .minutes($0 * 37) }
    let forwards = instants.map { Fixture.life(3).segment(at: $0) }
    let life = Fixture.life(3)
    for (instant, expected) in zip(instants, forwards).reversed() {
      let found = life.segment(at: instant)
      #expect(found.start == expected.start && found.end == expected.end)
      #expect(found.position(at: instant) == expected.position(at: instant))
    }
    let other = Fixture.life(3, town: Town(seed: 43, city: Fixture.city))
    #expect(other.home != life.home)
  }

  @Test("a leg moves without leaps, at its stated speed")
  func continuity() {
    for leg in Fixture.legs(200) {
      var at = leg.start
      var last = leg.position(at: at)
      while at < leg.end {
        let next = min(at + .seconds(2), leg.end)
        let here = leg.position(at: next)
        #expect(here.distance(to: last) <= 2 * 50)
        at = next
        last = here
      }
      let middle = leg.start + SimDuration(microseconds: leg.duration.microseconds / 2)
      let (speed, course) = leg.velocity(at: middle)
      let moved = leg.position(at: middle + .milliseconds(1)) - leg.position(at: middle)
      let measured = (moved.x * moved.x + moved.y * moved.y).squareRoot() * 1_000
      #expect(abs(measured - speed) < 0.5 + 0.5 * speed || speed == 0)
      #expect((0..<360).contains(course))
    }
  }

  @Test("a course is measured clockwise from north")
  func course() {
    var agreeing = 0
    var moving = 0
    for leg in Fixture.legs(200) {
      let t = leg.start + SimDuration(microseconds: leg.duration.microseconds / 3)
      let (speed, course) = leg.velocity(at: t)
      guard speed > 0 else { continue }
      let d = leg.position(at: t + .milliseconds(20)) - leg.position(at: t)
      let radians = course * .pi / 180
      moving += 1
      let along = d.x * SineCosine.sine(radians) + d.y * SineCosine.cosine(radians)
      if along > 0.99 * d.distance(to: PlanePoint(x: 0, y: 0)) { agreeing += 1 }
    }
    #expect(agreeing >= moving - 2, "\(agreeing) of \(moving)")
  }

  @Test("a segment is small and trivially copyable")
  func layout() {
    #expect(MemoryLayout<Segment>.size <= 96, "\(MemoryLayout<Segment>.size)")
  }
}
