internal import Core
internal import Scenarios

/// A `CityEvent` in a town's own coordinates.
struct TownEvent: Sendable, BitwiseCopyable {
  let day: Int32
  /// The position of the event in the grid's frame.
  let place: PlanePoint
  let radius: Double
  let from: SimInstant
  let until: SimInstant
  let arrivals: SimDuration
  let departures: SimDuration

  init(_ event: CityEvent, projection: Projection, clock: CivilClock, grid: StreetGrid) {
    day = clock.day(at: event.from)
    let venue = event.place.map {
      projection.point(latitude: $0[0], longitude: $0[1])
    }
    place = grid.turned(venue ?? PlanePoint(x: 0, y: 0))
    radius = event.radius.meters
    (from, until) = (event.from, event.until)
    (arrivals, departures) = (event.arrivals, event.departures)
  }
}

/// One person's planned time at the event, from separate draws, so that the rest of the day is
/// drawn as on any other day.
struct Attendance: BitwiseCopyable {
  let arrives: SimInstant
  let leaves: SimInstant
}

extension Life {
  /// Returns the person's attendance; nil if the person attends no event on this day.
  func attendance(on day: Int32) -> Attendance? {
    guard person.kind == .spectator, let event = town.event, event.day == day else { return nil }
    var draw = Draw(seed: person.seed, phone: person.phone, .attendance, Int64(day))
    return Attendance(
      arrives: event.from - SimDuration(seconds: event.arrivals.seconds * draw.uniform()),
      leaves: event.until + SimDuration(seconds: event.departures.seconds * draw.uniform()))
  }

  func seat(_ event: TownEvent) -> PlanePoint {
    var draw = Draw(seed: person.seed, phone: person.phone, .attendance, Int64(event.day), 1)
    let distance = event.radius * draw.uniform().squareRoot()
    return event.place + Person.polar(distance, angle: draw.uniform())
  }
}
