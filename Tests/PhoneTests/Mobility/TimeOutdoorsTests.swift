import Core
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("Time outdoors that is no trip", .quick)
struct TimeOutdoorsTests {
  static let people = 150
  static let days: Int64 = 7

  static func town(_ change: (inout OutsideHabits) -> Void) -> Town {
    var city = Fixture.city
    city.people.outside.garden = 0
    city.people.outside.work = 0
    city.people.outside.wait = .zero
    city.people.outside.walks = 0
    change(&city.people.outside)
    return Town(seed: 42, city: city)
  }

  static let end = Fixture.monday + .hours(24 * days)

  static func segments(_ town: Town, _ phone: Int) -> [Segment] {
    Fixture.segments(Fixture.life(phone, town: town), from: Fixture.monday, to: end)
  }

  static func stays(_ town: Town, at place: UInt16) -> [[Segment]] {
    (0..<people).map { phone in
      segments(town, phone).filter { !$0.isMoving && $0.place == place }
    }
  }

  static func outdoors(_ stay: Segment) -> Double {
    stay.timeOutdoors(from: stay.start, to: stay.end).seconds
  }

  static func surroundings(in stay: Segment) -> Set<Surroundings> {
    var found: Set<Surroundings> = []
    var at = stay.start
    while at < stay.end {
      found.insert(stay.surroundings(at: at))
      at += .minutes(10)
    }
    return found
  }

  @Test("NO7: in the garden of a home without satellites the service finds satellites")
  func skyInGarden() {
    let town = Self.town { $0.garden = 1 }
    var (outside, inside) = (0, 0)
    for phone in 0..<40 {
      let id = World.phone(phone)
      for stay in Self.segments(town, phone) where !stay.isMoving && stay.place == Person.home {
        var service = StandardServiceTests.started(.indoor, at: stay.start, phone: phone)
        guard service.source == .wifi, Self.outdoors(stay) > 0 else { continue }
        func next() -> Fix? {
          service.nextFix(upTo: stay.end, segment: stay, maker: World.maker, phone: id)
        }
        while let fix = next() {
          let isOut = stay.surroundings(at: service.lastTick) == .street
          // Only fixes from satellites have a speed.
          #expect(isOut == (fix.speedDecimetersPerSecond >= 0), "\(phone) at \(service.lastTick)")
          isOut ? (outside += 1) : (inside += 1)
          service.lastTick += .minutes(5)
        }
        break
      }
    }
    #expect(outside > 50 && inside > 50)
  }

  @Test("without gardens, work outside and waiting nobody is outdoors at home or at work")
  func none() {
    let town = Self.town { _ in }
    for place in [Person.home, Person.work] {
      for stay in Self.stays(town, at: place).joined() {
        #expect(Self.outdoors(stay) == 0)
        let middle = stay.start + SimDuration(seconds: stay.duration.seconds / 2)
        #expect(stay.surroundings(at: middle) == .indoor)
      }
    }
  }

  @Test("a person who arrives after the next departure is not outdoors in between")
  func late() {
    let town = Self.town {
      $0.work = 1
      $0.wait = .minutes(10)
    }
    let next = DayPlan.Visit(mode: .bus, departure: Fixture.monday)
    for phone in 0..<20 {
      let times = Fixture.life(phone, town: town).timeOutdoors(
        at: Person.work, from: Fixture.monday + .minutes(3), until: next)
      #expect(times == OutdoorTimes())
    }
  }

  @Test("people are in the garden on a share of the days on which they are at home at its hours")
  func garden() {
    let town = Self.town {
      $0.garden = 0.4
      $0.gardenStay.max = .hours(2)
    }
    var found = 0
    for stay in Self.stays(town, at: Person.home).joined() {
      let seconds = Self.outdoors(stay)
      #expect(seconds <= 7_200)
      if seconds > 0 { found += 1 }
      // A garden receives the networks of its street, and not those of open country.
      #expect(Self.surroundings(in: stay).isSubset(of: [.indoor, .street]))
    }
    let share = Double(found) / Double(Self.people) / Double(Self.days)
    #expect((0.1..<0.4).contains(share), "\(share)")
  }

  @Test("a third of people work outdoors, for a mean third of the stay, at the same point")
  func work() {
    let town = Self.town { $0.work = 0.33 }
    var (outdoors, whole, outside, workers) = (0.0, 0.0, 0, 0)
    for stays in Self.stays(town, at: Person.work) where !stays.isEmpty {
      let parts = stays.map(Self.outdoors)
      workers += 1
      guard parts.contains(where: { $0 > 0 }) else { continue }
      outside += 1
      #expect(parts.allSatisfy { $0 > 0 }, "people who work outdoors do so every day")
      outdoors += parts.reduce(0, +)
      whole += stays.reduce(0) { $0 + $1.duration.seconds }
    }
    #expect(abs(Double(outside) / Double(workers) - 0.33) < 0.12)
    #expect(abs(outdoors / whole - 0.33) < 0.12)
  }

  @Test("people wait outdoors for a bus, tram or train, up to twice the mean, and for no car")
  func waiting() {
    let town = Self.town { $0.wait = .minutes(10) }
    var waits: [Double] = []
    for phone in 0..<Self.people {
      let week = Self.segments(town, phone)
      for (stay, leg) in zip(week, week.dropFirst()) where !stay.isMoving {
        let seconds = Self.outdoors(stay)
        switch leg.mode {
        case .bus, .tram, .rail:
          guard stay.surroundings(at: stay.start) == .indoor, stay.duration > .hours(1) else {
            continue
          }
          waits.append(seconds)
          if seconds > 1 {
            #expect(stay.surroundings(at: stay.end - .milliseconds(1)) == .street)
          }
        case .walk, .bicycle, .car:
          #expect(seconds == 0 || stay.surroundings(at: stay.start) == .open)
        }
      }
    }
    #expect(waits.count > 100 && waits.allSatisfy { $0 <= 1_200 })
    #expect(abs(waits.mean - 600) < 60, "\(waits.mean)")
  }

  @Test("the time outdoors is the sum of the moments outdoors")
  func sum() {
    let town = Self.town {
      $0.garden = 0.5
      $0.work = 0.5
      $0.wait = .minutes(10)
    }
    for phone in 0..<20 {
      for stay in Self.segments(town, phone) where !stay.isMoving {
        let (from, to) = (stay.start + .minutes(7), stay.end + .hours(1))
        var sampled = 0.0
        var at = from
        while at < stay.end {
          switch stay.surroundings(at: at) {
          case .open, .street: sampled += 10
          case .indoor, .tunnel: break
          }
          at += .seconds(10)
        }
        #expect(abs(stay.timeOutdoors(from: from, to: to).seconds - sampled) <= 40)
      }
    }
    #expect(
      Fixture.legs(20).allSatisfy { $0.timeOutdoors(from: $0.start, to: $0.end) == .zero })
  }

  @Test("walks lead out and back on foot, under the sky, after the day's unchanged trips")
  func walks() {
    let without = Self.town { _ in }
    let with = Self.town { $0.walks = 0.5 }
    let first = with.clock.day(at: Fixture.monday)
    var (strolls, out, turns) = (0, 0, Set<UInt16>())
    for phone in 0..<Self.people {
      let life = Fixture.life(phone, town: with)
      for day in first..<(first + Int32(Self.days)) {
        let usual = DayPlanner.plan(Fixture.life(phone, town: without), day: day)
        let plan = DayPlanner.plan(life, day: day)
        for i in 0..<usual.count {
          #expect(plan[i].departure == usual[i].departure && plan[i].place == usual[i].place)
        }
        if usual.count == 0 { #expect(plan.count == 0, "who stays at home takes no walk") }
        if usual.count > 0 { out += 1 }
        guard plan.count > usual.count else { continue }
        strolls += 1
        #expect(plan.count == usual.count + 2 && plan[plan.count - 1].place == Person.home)
        let turn = plan[usual.count]
        turns.insert(turn.place)
        #expect(
          turn.mode == .walk
            && life.segment(at: turn.arrival).surroundings(at: turn.arrival) == .open)
      }
    }
    #expect(turns == [Person.firstTurn, Person.firstTurn + 1, Person.firstTurn + 2])
    // On other days people come home too late for a walk.
    #expect((0.2...0.5).contains(Double(strolls) / Double(out)), "\(strolls) of \(out)")
  }

  @Test("a walk takes as long as its habit says, and two or three stops")
  func lengths() {
    var minutes: [Double] = []
    let town = Self.town { $0.walks = 1 }
    for phone in 0..<Self.people {
      let week = Self.segments(town, phone)
      for (leg, turn) in zip(week, week.dropFirst())
      where !turn.isMoving && turn.place >= Person.firstTurn {
        minutes.append(2 * leg.duration.seconds / 60)
      }
    }
    #expect(minutes.count > 200)
    #expect(abs(minutes.mean - 29.5) < 4, "\(minutes.mean)")
  }
}
