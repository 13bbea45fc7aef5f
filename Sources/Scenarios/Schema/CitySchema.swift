internal import Core

enum CitySchema {
  static var city: ObjectShape<Scenario.City> {
    ObjectShape(
      fields: [
        Field("centre", \.centre, degrees, "Latitude and longitude in degrees."),
        Field(
          "radius", \.radius, .optional(.distance(500, 50_000)),
          "Radius in which people live; none: in the open country."),
        Field(
          "utcOffset", \.utcOffset, .utcOffset, "Offset from UTC, without daylight saving time.",
          then: { city, reading in reading.clock = city.clock }),
        Field(
          "dst", \.summerTime, .optional(summerTime.shape(defaults: .standard)),
          "Daylight saving time; none: not used (TZ1).",
          then: { city, reading in reading.clock = city.clock }),
        Field("people", \.people, .people, "People profile: how people live and move."),
        Field(
          "event", \.event, .optional(event.shape(defaults: .standard)),
          "Event that spectators attend."),
      ],
      check: { city, origin, reading in
        if city.clock.day(at: city.clock.summerEnd)
          < city.clock.day(at: city.clock.summerEnd - .microseconds(1))
        {
          reading.diagnose(
            origin, "'dst' sets the clocks back across midnight: a day would repeat; move 'until'.")
        }
        // Beyond 80° a degree of longitude is too short for the flat projection.
        if abs(city.centreLatitude) > 80 {
          reading.diagnose(origin, "'centre' has a latitude outside -80 to 80.")
        }
        if let place = city.event?.place,
          abs(place[0] - city.centreLatitude) > 1 || abs(place[1] - city.centreLongitude) > 5
        {
          reading.diagnose(origin, "'event.place' is too far from 'centre'.")
        }
      })
  }

  private static var summerTime: ObjectShape<Scenario.SummerTime> {
    ObjectShape(
      fields: [
        Field(
          "offset", \.shift, .time(.minutes(1), .hours(3)),
          "Clock shift: an hour nearly everywhere."),
        Field(
          "from", \.from, .standardInstant, required: true,
          "Start of daylight saving time, in the time of 'utcOffset'."),
        Field(
          "until", \.until, .standardInstant, required: true,
          "End of daylight saving time, in the time of 'utcOffset'."),
      ],
      check: { summer, origin, reading in
        if summer.until <= summer.from + .hours(24) {
          reading.diagnose(origin, "'until' must be more than a day after 'from'.")
        }
      })
  }

  private static var event: ObjectShape<CityEvent> {
    ObjectShape(
      fields: [
        Field("place", \.place, .optional(degrees), "Venue; none: the city's centre."),
        Field("from", \.from, .instant, required: true, "Start of the event."),
        Field("until", \.until, .instant, required: true, "End of the event."),
        Field(
          "radius", \.radius, .distance(10, 2_000), "Maximum distance of people from the venue."),
        Field(
          "arrivals", \.arrivals, .time(.zero, .hours(4)),
          "Time before the start over which people arrive evenly."),
        Field(
          "departures", \.departures, .time(.zero, .hours(4)),
          "Time after the end over which people leave evenly."),
      ],
      check: { event, origin, reading in
        if event.until <= event.from {
          reading.diagnose(origin, "'until' must be later than 'from'.")
        }
        // An agenda runs from 04:00 to 04:00 the next day, and all people must get home by then.
        let clock = reading.clock
        let midnight = clock.midnight(of: clock.day(at: event.from))
        if event.from - event.arrivals < midnight + .hours(6)
          || event.until + event.departures > midnight + .hours(25)
        {
          reading.diagnose(
            origin,
            "people arrive before 06:00 or leave after 01:00; keep arrivals and departures "
              + "within one day.")
        }
      })
  }

  private static var degrees: Shape<[Double]> {
    .list(of: .number(-180...180), count: 2...2)
  }
}

extension Scenario.City {
  fileprivate var centre: [Double] {
    get { [centreLatitude, centreLongitude] }
    set {
      centreLatitude = newValue[0]
      centreLongitude = newValue[1]
    }
  }
}
