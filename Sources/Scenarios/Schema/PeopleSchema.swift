internal import Core

enum PeopleSchema {
  nonisolated(unsafe) static let people = ObjectShape<PeopleProfile>(
    fields: [
      Field("people", \.name, .name, "Name in scenarios."),
      Field("description", \.description, .sentence, "Description of the people."),
      Field("work", \.work, work, "Days of working people."),
      Field("outings", \.outings, outings, "Free days and evenings."),
      Field("places", \.places, places, "Where people go besides work."),
      Field("outside", \.outside, outside, "Time outdoors at indoor places, and walks."),
      Field("travel", \.travel, travel, "Choice of travel modes."),
      Field("modes", \.modes, modes, "Movement of each travel mode."),
    ]
  ).bound(to: Shipped.people)

  private static var work: ObjectShape<WorkHabits> {
    ObjectShape(fields: [
      Field("weekday", \.weekday, .share, "Share of weekdays on which employed people work."),
      Field("weekend", \.weekend, .share, "Share of weekend days on which employed people work."),
      Field("distance", \.distance, distances, "Straight-line distance from home."),
      Field(
        "bicycleDistance", \.bicycleDistance, distances,
        "Straight-line distance from home for cyclists."),
      Field("rush", \.rush, .number(1...3), "Factor on the travel time to work by car or bus."),
      Field("leaves", \.leaves, .halfHours, "Weights of the departure to work, per half hour."),
      Field(
        "punctuality", \.punctuality, .time(.zero, .hours(3)),
        "Standard deviation of the departure to work from day to day."),
      Field("length", \.length, .time(.hours(1), .hours(14)), "Mean length of a work day."),
      Field(
        "lengthDeviation", \.lengthDeviation, .time(.zero, .hours(6)),
        "Standard deviation of the length of a work day."),
      Field("lunch", \.lunch, .share, "Share of work days with a midday break outside."),
      Field("lunchStay", \.lunchStay, times, "Length of a midday break outside."),
      Field(
        "lunchReach", \.lunchReach, .distance(50, 5_000),
        "Distance of a midday break from work."),
      Field(
        "errandsAfter", \.errandsAfter, .weights, "Weights of 0, 1, 2 … errands on the way home."),
      Field("eveningOut", \.eveningOut, .share, "Share of work days with an outing after work."),
    ])
  }

  private static var outings: ObjectShape<OutingHabits> {
    ObjectShape(fields: [
      Field("staysHome", \.staysHome, .share, "Share of free days at home."),
      Field("tours", \.tours, .weights, "Weights of 1, 2, 3 … tours on a free day."),
      Field("errands", \.errands, .weights, "Weights of 1, 2, 3 … errands on a tour."),
      Field(
        "weekdayStarts", \.weekdayStarts, .halfHours,
        "Weights of a tour's start on weekdays, per half hour."),
      Field(
        "weekendStarts", \.weekendStarts, .halfHours,
        "Weights of a tour's start at weekends, per half hour."),
      Field("weekdayStay", \.weekdayStay, times, "Length of an errand on weekdays."),
      Field("weekendStay", \.weekendStay, times, "Length of an errand at weekends."),
      Field("pause", \.pause, .time(.minutes(1), .hours(6)), "Minimum time at home between tours."),
      Field(
        "bedtime", \.bedtime, .number(20...25), "Hour of the day at which people plan to be home."),
      Field(
        "bedtimeDeviation", \.bedtimeDeviation, .number(0...3),
        "Standard deviation of the bedtime, in hours."),
    ])
  }

  private static var places: ObjectShape<PlaceHabits> {
    ObjectShape(fields: [
      Field("distance", \.distance, distances, "Straight-line distance from home."),
      Field(
        "bicycleDistance", \.bicycleDistance, distances,
        "Straight-line distance from home for cyclists."),
      Field(
        "rankExponent", \.rankExponent, .number(0.2...3),
        "A visit goes beyond the n-th place with probability (n + 1)^-exponent."),
      Field("outdoors", \.outdoors, .share, "Share of places outdoors."),
    ])
  }

  private static var outside: ObjectShape<OutsideHabits> {
    ObjectShape(fields: [
      Field(
        "garden", \.garden, .share,
        "Share of days with time in the garden, for people at home at that hour."),
      Field("gardenStay", \.gardenStay, times, "Length of one time in the garden."),
      Field(
        "work", \.work, .share,
        "Share of people who work outdoors for a part of each stay at work."),
      Field(
        "wait", \.wait, .time(.zero, .hours(1)), "Mean wait for a bus, a tram or a train."),
      Field(
        "walks", \.walks, .share,
        "Share of days with a trip that also have a walk without a destination."),
      Field("walk", \.walk, times, "Duration of a walk without a destination, out and back."),
    ])
  }

  private static var travel: ObjectShape<TravelHabits> {
    ObjectShape(fields: [
      Field("commuter", \.commuter, mix, "Mode weights of commuters."),
      Field("homebody", \.homebody, mix, "Mode weights of homebodies."),
      Field(
        "driverWalks", \.driverWalks, .distance(0, 10_000), "Distance below which a driver walks."),
      Field(
        "passengerWalks", \.passengerWalks, .distance(0, 10_000),
        "Distance below which a passenger walks."),
      Field(
        "cyclistWalks", \.cyclistWalks, .distance(0, 10_000),
        "Distance below which a cyclist walks."),
      Field(
        "walkerWalks", \.walkerWalks, .distance(0, 10_000), "Distance above which a walker rides."),
      Field(
        "bicycleReach", \.bicycleReach, .distance(100, 50_000),
        "Distance beyond which a cyclist drives."),
      Field(
        "trainFrom", \.trainFrom, .distance(100, 50_000),
        "Distance beyond which a passenger takes a train."),
      Field(
        "tramServed", \.tramServed, .share,
        "Share of passengers who take a tram; the rest take a bus."),
      Field(
        "walkReach", \.walkReach, .distance(100, 20_000), "Maximum walking distance of an errand."),
      Field(
        "detourLow", \.detourLow, .number(1...3),
        "Minimum ratio of a track's length to the straight line."),
      Field(
        "detourHigh", \.detourHigh, .number(1...3),
        "Maximum ratio of a track's length to the straight line."),
      Field("metro", \.metro, .share, "Share of train legs mostly below ground."),
    ])
  }

  private static var mix: ObjectShape<TravelHabits.Mix> {
    ObjectShape(
      fields: [
        Field("car", \.car, .number(0...100), "By car."),
        Field("transit", \.transit, .number(0...100), "By bus, tram and train."),
        Field("bicycle", \.bicycle, .number(0...100), "By bicycle."),
        Field("onFoot", \.onFoot, .number(0...100), "On foot."),
      ],
      check: { mix, origin, reading in
        if mix.car + mix.transit + mix.bicycle + mix.onFoot <= 0 {
          reading.diagnose(origin, "all weights are 0; write at least one above 0.")
        }
      })
  }

  private static var modes: ObjectShape<ModeTable> {
    ObjectShape(fields: [
      Field("walk", \.walk, mode, "On foot."),
      Field("bicycle", \.bicycle, mode, "By bicycle."),
      Field("bus", \.bus, mode, "By bus."),
      Field("tram", \.tram, mode, "By tram."),
      Field("car", \.car, mode, "By car."),
      Field("rail", \.rail, mode, "By train and metro."),
    ])
  }

  private static var mode: ObjectShape<ModeSettings> {
    ObjectShape(fields: [
      Field("speed", \.speed, .speed(0.3, 100), "Speed between stops on a trip leg of 6 km."),
      Field(
        "growth", \.growth, .number(0...1),
        "Exponent with which the speed grows with the length of a trip leg."),
      Field(
        "deviation", \.deviation, .number(0...0.5),
        "Standard deviation of the natural logarithm of speed."),
      Field("block", \.block, .distance(20, 5_000), "Length of a straight piece of the way."),
      Field("stopSpacing", \.stopSpacing, .distance(50, 50_000), "Distance from stop to stop."),
      Field("stop", \.stop, .time(.seconds(1), .minutes(10)), "Mean length of a stop."),
    ])
  }

  private static var distances: ObjectShape<DistanceSpread> {
    ObjectShape(
      fields: [
        Field("median", \.median, .distance(50, 100_000), "Median."),
        Field("sigma", \.sigma, .number(0...3), "Standard deviation of the natural logarithm."),
        Field("min", \.min, .distance(50, 100_000), "Minimum."),
        Field("max", \.max, .distance(50, 100_000), "Maximum."),
      ],
      check: { spread, origin, reading in
        if spread.min > spread.max { reading.diagnose(origin, "'min' exceeds 'max'.") }
      })
  }

  private static var times: ObjectShape<TimeSpread> {
    ObjectShape(
      fields: [
        Field("median", \.median, .time(.minutes(1), .hours(24)), "Median."),
        Field("sigma", \.sigma, .number(0...3), "Standard deviation of the natural logarithm."),
        Field("min", \.min, .time(.minutes(1), .hours(24)), "Minimum."),
        Field("max", \.max, .time(.minutes(1), .hours(12)), "Maximum."),
      ],
      check: { spread, origin, reading in
        if spread.min > spread.max { reading.diagnose(origin, "'min' exceeds 'max'.") }
      })
  }
}

extension Shape<[Double]> {
  fileprivate static var halfHours: Shape { weights(48...48) }
  fileprivate static var weights: Shape { weights(1...6) }

  private static func weights(_ count: ClosedRange<Int>) -> Shape {
    let list = Shape.list(of: .number(0...1_000), count: count)
    return Shape(
      allowed: list.allowed, form: list.form,
      read: { node, reading in
        guard let weights = list.read(node, &reading) else { return nil }
        guard weights.contains(where: { $0 > 0 }) else {
          reading.diagnose(node.origin, "all weights are 0; write at least one above 0.")
          return nil
        }
        return weights
      },
      show: list.show)
  }
}

extension Shape<PeopleProfile> {
  static var people: Shape {
    let object = PeopleSchema.people
    return Shape(
      allowed: "a name of people, or { base: NAME, … } with the keys that differ",
      keys: ["base"] + object.keys,
      form: .reference(allowed: "a name of people", object.form),
      read: { node, reading in
        switch node.content {
        case .scalar(let name): return reading.people(named: name, at: node.origin)
        case .map, .list:
          var base = PeopleProfile.standard
          if let reference = node.value(of: "base") {
            guard case .scalar(let name) = reference.content else {
              reading.inside(key: "base") {
                $0.diagnose(reference.origin, "there is \(reference.kind); write a name.")
              }
              return nil
            }
            guard let found = reading.people(named: name, at: reference.origin) else { return nil }
            base = found
          }
          return object.read(node, into: base, &reading, besides: ["base"])
        }
      },
      // The profile is written in full, so that it can be read from any folder.
      show: { value, scenario in object.show(value, scenario) },
      parameters: { value, scenario in object.parameters(value, scenario) })
  }
}

extension Reading {
  fileprivate mutating func people(named name: String, at origin: Origin) -> PeopleProfile? {
    guard let path = library.path(of: name, .people) else {
      // The standard people are built in, and need no file.
      if name == PeopleProfile.standard.name { return .standard }
      let known = library.names(of: .people)
      diagnose(
        origin,
        "unknown people '\(name)'.\(Spelling.hint(for: name, in: known)) Known: "
          + "\(known.joined(separator: ", ")); "
          + "looked in \(library.places(of: .people).joined(separator: " and ")).")
      return nil
    }
    return people(at: path, named: name)
  }

  mutating func people(at path: String, named name: String) -> PeopleProfile? {
    do throws(ScenarioError) {
      guard let node = try Self.tree(of: path, &diagnostics) else {
        note(.whole(path), "is empty; write people.")
        return nil
      }
      var inner = Reading(library: library)
      var profile = PeopleSchema.people.read(node, into: .standard, &inner)
      diagnostics += inner.diagnostics.filter { !diagnostics.contains($0) }
      guard inner.diagnostics.isEmpty else { return nil }
      if let written = node.value(of: "people"), profile?.name != name {
        note(written.origin, "the name must be that of the file, '\(name).yaml'.")
      }
      profile?.name = name
      return profile
    } catch {
      diagnostics += error.diagnostics
      return nil
    }
  }
}
