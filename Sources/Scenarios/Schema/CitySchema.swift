internal import Core

enum CitySchema {
  static var city: ObjectShape<Scenario.City> {
    ObjectShape(
      fields: [
        Field("centre", \.centre, degrees, "Latitude and longitude in degrees."),
        Field(
          "radius", \.radius, .optional(.distance(500, 50_000)),
          "How far out people live; none: in the open country."),
        Field(
          "utcOffset", \.utcOffset, .utcOffset, "The city's time zone, outside summer time.",
          then: { city, reading in reading.clock = city.clock }),
        Field(
          "dst", \.summerTime, .optional(summerTime.shape(defaults: .standard)),
          "When its clocks are put forward; none: never (TZ1).",
          then: { city, reading in reading.clock = city.clock }),
        Field("people", \.people, .people, "Who lives there, and how they move."),
        Field(
          "event", \.event, .optional(event.shape(defaults: .standard)),
          "Where spectators go, and when."),
      ],
      check: { city, origin, reading in
        if city.clock.day(at: city.clock.summerEnd)
          < city.clock.day(at: city.clock.summerEnd - .microseconds(1))
        {
          reading.diagnose(origin, "'dst' puts the clocks back over midnight; a day would repeat.")
        }
        // Beyond it a degree of longitude is too short for the flat projection.
        if abs(city.centreLatitude) > 80 {
          reading.diagnose(origin, "'centre' has a latitude outside -80 to 80.")
        }
        if let place = city.event?.place,
          abs(place[0] - city.centreLatitude) > 1 || abs(place[1] - city.centreLongitude) > 5
        {
          reading.diagnose(origin, "'event.place' lies in another city than 'centre'.")
        }
      })
  }

  private static var summerTime: ObjectShape<Scenario.SummerTime> {
    ObjectShape(
      fields: [
        Field(
          "offset", \.shift, .time(.minutes(1), .hours(3)),
          "How far the clocks are put forward: an hour nearly everywhere."),
        Field(
          "from", \.from, .standardInstant, required: true,
          "When they are put forward, in the time of 'utcOffset'."),
        Field(
          "until", \.until, .standardInstant, required: true,
          "When they are put back, in the time of 'utcOffset'."),
      ],
      check: { summer, origin, reading in
        if summer.until <= summer.from + .hours(24) {
          reading.diagnose(origin, "'until' is not later than a day after 'from'.")
        }
      })
  }

  private static var event: ObjectShape<CityEvent> {
    ObjectShape(
      fields: [
        Field("place", \.place, .optional(degrees), "The venue; none: the city's centre."),
        Field("from", \.from, .instant, required: true, "When it begins."),
        Field("until", \.until, .instant, required: true, "When it ends."),
        Field(
          "radius", \.radius, .distance(10, 2_000), "How far from the venue people are at most."),
        Field(
          "arrivals", \.arrivals, .time(.zero, .hours(4)),
          "People come evenly over this long before it begins."),
        Field(
          "departures", \.departures, .time(.zero, .hours(4)),
          "People leave evenly over this long after it ended."),
      ],
      check: { event, origin, reading in
        if event.until <= event.from {
          reading.diagnose(origin, "'until' is not later than 'from'.")
        }
        // Agendas run from 4 h to 4 h, and everybody has to get home.
        let clock = reading.clock
        let midnight = clock.midnight(of: clock.day(at: event.from))
        if event.from - event.arrivals < midnight + .hours(6)
          || event.until + event.departures > midnight + .hours(25)
        {
          reading.diagnose(
            origin,
            "people come before 06:00 or leave after 01:00; keep it to one day, arrivals and "
              + "departures too.")
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
