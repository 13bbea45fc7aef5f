import Core
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("People, prepared for computing", .quick)
struct PeopleTests {
  @Test("a day's curve returns the hours it was made of")
  func curve() {
    var weights = [Double](repeating: 0, count: 48)
    weights[16] = 3  // 08:00–08:30
    weights[40] = 1  // 20:00–20:30
    let curve = DayCurve(weights)
    #expect(abs(curve.hour(0.375) - 8.25) < 1e-6)
    #expect(abs(curve.hour(0.875) - 20.25) < 1e-6)
    #expect(abs(curve.share(before: 12) - 0.75) < 1e-6)
    #expect(curve.first(of: 1, after: 12, 0.5).map { abs($0 - 20.25) < 1e-5 } == true)
    #expect(curve.first(of: 1, after: 21, 0.5) == nil)
  }

  @Test("weights occur with their frequency")
  func weights() {
    let weights = Weights([1, 0, 3])
    var draw = Draw(seed: 1, phone: 0, .day)
    var counts = [0, 0, 0]
    for _ in 0..<4_000 { counts[weights.index(draw.uniform())] += 1 }
    #expect(counts[1] == 0)
    #expect(abs(counts[2] - 3_000) < 150)
  }

  @Test("without a town, ways to work have no preferred direction")
  func country() {
    var city = Fixture.city
    city.radius = nil
    city.people.work.distance.max = .kilometers(80)
    city.people.work.distance.median = .kilometers(20)
    let town = Town(seed: 42, city: city)
    let centre = PlanePoint(x: 0, y: 0)
    var inward = 0
    var longest = 0.0
    for phone in 0..<400 {
      let life = Fixture.life(phone, town: town)
      longest = max(longest, life.home.distance(to: life.work))
      if life.work.distance(to: centre) < life.home.distance(to: centre) { inward += 1 }
    }
    #expect(inward < 200, "a random direction leads outwards more often than not")
    #expect(longest > 50_000)
  }

  @Test("of a passenger's two kinds of street transport one stops at the door")
  func tram() {
    let lives = (0..<300).map { Fixture.life($0) }
    let modes = Set(lives.map(\.person.commuteMode))
    #expect(modes.isSuperset(of: [.tram, .bus, .car, .bicycle, .walk, .rail]))
  }

  @Test("stops are within the leg, and their lengths sum to its duration")
  func stops() {
    for leg in Fixture.legs(60) {
      guard case .streets(let streets) = leg.geometry else { continue }
      let travel = LegTravel(streets, leg.mode, leg.duration)
      var standing = 0.0
      var now = 0.0
      while now < travel.duration {
        let progress = travel.progress(at: now)
        if progress.isStopped { standing += progress.until - now }
        now = progress.until + 1e-9
      }
      let moving = travel.path.length / travel.speed
      #expect(abs(standing + moving - travel.duration) < 1e-3)
    }
  }
}
