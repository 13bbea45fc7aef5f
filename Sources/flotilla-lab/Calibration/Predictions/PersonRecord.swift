internal import Core
internal import Phone
internal import Scenarios

struct PeoplePlan: Hashable, Sendable {
  var scenario: String
  var people: Int
  var days: Int

  var name: String { "people of \(scenario), \(people) for \(days) days" }

  func live(_ scenario: Scenario) -> [PersonRecord] {
    let town = Town(seed: scenario.seed, city: scenario.city)
    let today = scenario.clock.day(at: scenario.start)
    let monday = today - scenario.clock.weekday(of: today)
    let first = scenario.clock.midnight(of: monday) + .hours(4)
    var records: [PersonRecord] = []
    var sum = 0.0
    for cohort in scenario.fleet.cohorts {
      let numbers = Int((sum * Double(people)).rounded())
      sum += cohort.share
      guard case .agenda(let kind) = cohort.mobility else { continue }
      for phone in numbers..<Int((sum * Double(people)).rounded()) {
        let life = Life(town: town, phone: UInt32(phone), kind: kind)
        records.append(PersonRecord(of: life, from: first, days: days))
      }
    }
    return records
  }
}

struct PersonRecord {
  let days: Int
  private(set) var indoorSeconds = 0.0
  private(set) var outdoorStaySeconds = 0.0
  private(set) var travelSeconds = [Double](repeating: 0, count: TravelMode.allCases.count)
  /// The lengths of trips in kilometres, by mode.
  private(set) var tripKilometers = [[Double]](repeating: [], count: TravelMode.allCases.count)
  private(set) var tripsToNewPlaces = 0.0
  private(set) var commuteMinutes: [Double] = []
  /// The number of trips from Monday to Friday.
  private(set) var workdayTrips = 0.0
  private(set) var workdayTravelSeconds = 0.0
  private(set) var allDays = PhoneFigures()
  private(set) var workdays = PhoneFigures()
  private(set) var sundays = PhoneFigures()
  private(set) var stays: [UInt16: Int] = [:]
  /// The seconds at each place, where 0 is home and 1 is work.
  private(set) var placeSeconds: [UInt16: Double] = [:]

  var trips: [Double] { tripKilometers.map { Double($0.count) } }
  var totalSeconds: Double { Double(days) * 86_400 }

  func seconds(by modes: [TravelMode]) -> Double {
    modes.reduce(0) { $0 + travelSeconds[Int($1.rawValue)] }
  }

  init(of life: Life, from first: SimInstant, days: Int) {
    self.days = days
    for day in 0..<days {
      let from = first + .hours(24 * Int64(day))
      let (travelled, made) = (seconds(by: TravelMode.allCases), trips.reduce(0, +))
      let isOut = note(life, from: from, to: from + .hours(24))
      allDays.note(isOut)
      switch life.town.clock.weekday(of: life.town.clock.day(at: from)) {
      case 0...4:
        workdays.note(isOut)
        workdayTravelSeconds += seconds(by: TravelMode.allCases) - travelled
        workdayTrips += trips.reduce(0, +) - made
      case 6: sundays.note(isOut)
      default: break
      }
    }
  }

  /// Notes the days between two instants. Returns whether a trip started in between.
  private mutating func note(_ life: Life, from: SimInstant, to: SimInstant) -> Bool {
    var isOut = false
    var segment = life.segment(at: from)
    var last = segment.place
    while segment.start < to {
      let seconds = (min(segment.end, to) - max(segment.start, from)).seconds
      let isNew = segment.start >= from
      if segment.isMoving {
        let mode = Int(segment.mode.rawValue)
        travelSeconds[mode] += seconds
        if isNew {
          isOut = true
          tripKilometers[mode].append(segment.trackLength / 1_000)
          if last == 0, segment.place == 1 { commuteMinutes.append(segment.duration.seconds / 60) }
          if stays[segment.place] == nil { tripsToNewPlaces += 1 }
        }
      } else {
        placeSeconds[segment.place, default: 0] += seconds
        let outdoors = segment.timeOutdoors(from: from, to: to).seconds
        outdoorStaySeconds += outdoors
        indoorSeconds += seconds - outdoors
        if isNew || stays[segment.place] == nil { stays[segment.place, default: 0] += 1 }
      }
      last = segment.place
      segment = life.segment(after: segment)
    }
    return isOut
  }
}

extension PhoneFigures {
  mutating func note(_ holds: Bool) {
    whole += 1
    if holds { part += 1 }
  }
}
