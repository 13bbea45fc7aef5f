internal import SimulationCore

/// The keys of a people file, and of `city.people` where it is written out.
enum PeopleSchema {
  static var people: ObjectShape<PeopleProfile> {
    ObjectShape(fields: [
      Field("people", \.name, .name, "What scenarios call them."),
      Field("description", \.description, .sentence, "Who they are."),
      Field("work", \.work, work, "Working people's days."),
      Field("outings", \.outings, outings, "Free days and evenings."),
      Field("places", \.places, places, "Where people go beside work."),
      Field("travel", \.travel, travel, "Who travels how."),
      Field("modes", \.modes, modes, "How each mode moves."),
    ])
  }

  private static var work: ObjectShape<WorkHabits> {
    ObjectShape(fields: [
      Field(
        "weekday", \.weekday, .share, "Share of weekdays on which people with work work.",
        .fitted(0.7, 0.9, "US BLS 2012: 83 % of employed people work on a weekday")),
      Field(
        "weekend", \.weekend, .share, "Share of weekend days on which they do.",
        .fitted(0.02, 0.35, "US BLS 2012; set so that people make their trips")),
      Field("distance", \.distance, distances(3_000, 12_000), "From home, as the crow flies."),
      Field(
        "bicycleDistance", \.bicycleDistance, distances(2_000, 6_000), "The same of cyclists."),
      Field(
        "rush", \.rush, .number(1...3),
        "Ways to work by car or bus take this many times as long as at other hours.",
        .fitted(1, 1.6, "set by commute times of the US Census")),
      Field(
        "leaves", \.leaves, .halfHours, "Weights of leaving home for work, by half hour."),
      Field(
        "punctuality", \.punctuality, .time(.zero, .hours(3)), "Deviation from day to day.",
        .assumed(
          .minutes(2), .minutes(40), "no source; set with the other figures of people in view")),
      Field(
        "length", \.length, .time(.hours(1), .hours(14)), "Mean length of a work day.",
        .fitted(.hours(7), .hours(9), "US BLS 2012: 7.7 h on a day of work")),
      Field(
        "lengthDeviation", \.lengthDeviation, .time(.zero, .hours(6)), "Deviation of that.",
        .assumed(.minutes(20), .minutes(120), "rule book 4, day plan: 1.2 h")),
      Field(
        "lunch", \.lunch, .share, "Share of work days with a midday break outside.",
        .fitted(0.1, 0.5, "set by trips a day")),
      Field("lunchStay", \.lunchStay, times(.minutes(20), .minutes(60)), "How long it takes."),
      Field(
        "lunchReach", \.lunchReach, .distance(50, 5_000), "How far from work it is.",
        .assumed(
          .meters(300), .meters(2000), "no source; set with the other figures of people in view")),
      Field(
        "errandsAfter", \.errandsAfter, .weights, "Weights of 0, 1, 2 … errands on the way home."),
      Field(
        "eveningOut", \.eveningOut, .share, "Share of work days with an outing after it.",
        .fitted(0.1, 0.4, "set by trips a day")),
    ])
  }

  private static var outings: ObjectShape<OutingHabits> {
    ObjectShape(fields: [
      Field(
        "staysHome", \.staysHome, .share, "Share of free days at home.",
        .fitted(0.1, 0.35, "rule book 4, day plan: 10 to 20 %; set by trips a day")),
      Field("tours", \.tours, .weights, "Weights of 1, 2, 3 … tours on a free day."),
      Field("errands", \.errands, .weights, "Weights of 1, 2, 3 … errands on a tour."),
      Field(
        "weekdayStarts", \.weekdayStarts, .halfHours, "Weights of a tour's start, by half hour."),
      Field("weekendStarts", \.weekendStarts, .halfHours, "The same at weekends."),
      Field(
        "weekdayStay", \.weekdayStay, times(.minutes(20), .hours(2)), "How long an errand takes."),
      Field("weekendStay", \.weekendStay, times(.minutes(20), .hours(2)), "The same at weekends."),
      Field(
        "pause", \.pause, .time(.minutes(1), .hours(6)), "Least time at home between tours.",
        .assumed(
          .minutes(10), .minutes(90), "no source; set with the other figures of people in view")),
      Field(
        "bedtime", \.bedtime, .number(20...25), "When people mean to be home, hours of the day.",
        .assumed(21, 24.5, "no source; set with the other figures of people in view")),
      Field(
        "bedtimeDeviation", \.bedtimeDeviation, .number(0...3), "Deviation of that, hours.",
        .assumed(0.3, 2, "no source; set with the other figures of people in view")),
    ])
  }

  private static var places: ObjectShape<PlaceHabits> {
    ObjectShape(fields: [
      Field("distance", \.distance, distances(1_000, 5_000), "From home, as the crow flies."),
      Field(
        "bicycleDistance", \.bicycleDistance, distances(1_000, 4_000), "The same of cyclists."),
      Field(
        "rankExponent", \.rankExponent, .number(0.2...3),
        "A visit goes beyond the n-th place with probability (n + 1)^-exponent.",
        .fitted(0.4, 1.5, "Song 2010: places seen grow like t^0.6")),
      Field(
        "outdoors", \.outdoors, .share, "Share of places under the sky.",
        .fitted(0.03, 0.3, "set by the recorded phones' time outdoors")),
    ])
  }

  private static var travel: ObjectShape<TravelHabits> {
    ObjectShape(fields: [
      Field("commuter", \.commuter, mix, "Ways of travelling of commuters."),
      Field("homebody", \.homebody, mix, "Ways of travelling of homebodies."),
      Field(
        "driverWalks", \.driverWalks, .distance(0, 10_000), "A driver walks below it.",
        .fitted(.meters(300), .meters(1500), "set by the modes' shares of trips")),
      Field(
        "passengerWalks", \.passengerWalks, .distance(0, 10_000), "A passenger walks below it.",
        .fitted(.meters(400), .meters(2000), "set by the modes' shares of trips")),
      Field(
        "cyclistWalks", \.cyclistWalks, .distance(0, 10_000), "A cyclist walks below it.",
        .fitted(.meters(200), .meters(1200), "set by the modes' shares of trips")),
      Field(
        "walkerWalks", \.walkerWalks, .distance(0, 10_000), "A walker rides above it.",
        .fitted(.meters(1000), .meters(4000), "set by the modes' shares of trips")),
      Field(
        "bicycleReach", \.bicycleReach, .distance(100, 50_000), "A cyclist drives beyond it.",
        .fitted(.meters(6000), .meters(20000), "set by the modes' shares of trips")),
      Field(
        "trainFrom", \.trainFrom, .distance(100, 50_000), "A passenger takes a train beyond it.",
        .fitted(.meters(4000), .meters(20000), "set by the modes' shares of trips")),
      Field(
        "tramServed", \.tramServed, .share, "Passengers with a tram; the others have a bus.",
        .assumed(0.1, 0.8, "no source; set with the other figures of people in view")),
      Field(
        "walkReach", \.walkReach, .distance(100, 20_000), "Nobody walks farther on an errand.",
        .fitted(.meters(1500), .meters(6000), "set by the length of walks")),
      Field(
        "detourLow", \.detourLow, .number(1...3), "Least track length over straight line.",
        .fitted(1.1, 1.4, "recorded rides: 1.50 in the median")),
      Field(
        "detourHigh", \.detourHigh, .number(1...3), "Most track length over straight line.",
        .fitted(1.45, 1.9, "recorded rides: 1.50 in the median")),
      Field(
        "metro", \.metro, .share, "Train legs that are mostly below ground.",
        .assumed(0.2, 0.8, "no source; set with the other figures of people in view")),
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
          reading.diagnose(origin, "all weights are 0; give one of them something.")
        }
      })
  }

  private static var modes: ObjectShape<ModeTable> {
    ObjectShape(fields: [
      Field("walk", \.walk, mode(1.2, 1.7), "On foot."),
      Field("bicycle", \.bicycle, mode(4, 8), "By bicycle."),
      Field("bus", \.bus, mode(6, 13), "By bus."),
      Field("tram", \.tram, mode(5, 10), "By tram."),
      Field("car", \.car, mode(9, 17), "By car."),
      Field("rail", \.rail, mode(10, 25), "By train and metro."),
    ])
  }

  /// - Parameters: the least and the highest plausible speed, metres a second.
  private static func mode(_ slowest: Double, _ fastest: Double) -> ObjectShape<ModeSettings> {
    ObjectShape(fields: [
      Field(
        "speed", \.speed, .speed(0.3, 100), "Between stops, on a leg of 6 km.",
        .fitted(
          Speed(metersPerSecond: slowest), Speed(metersPerSecond: fastest),
          "recorded rides: medians of 10 s speeds in motion")),
      Field(
        "growth", \.growth, .number(0...1), "Speed grows with length to this power.",
        .fitted(0, 0.4, "recorded rides; travel times of surveys")),
      Field(
        "deviation", \.deviation, .number(0...0.5), "Of the logarithm of speed.",
        .assumed(0.1, 0.35, "rule book 4, legs")),
      Field(
        "block", \.block, .distance(20, 5_000), "One straight piece of the way.",
        .assumed(.meters(50), .meters(1_500), "rule book 4, paths like streets")),
      Field(
        "stopSpacing", \.stopSpacing, .distance(50, 50_000), "From stop to stop.",
        .fitted(.meters(200), .meters(3_000), "recorded rides: stops an hour: tram 44, bus 24")),
      Field(
        "stop", \.stop, .time(.seconds(1), .minutes(10)), "Mean length of a stop.",
        .fitted(.seconds(10), .seconds(60), "recorded rides; rule book 4: 5 to 40 s")),
    ])
  }

  /// - Parameters: the least and the longest plausible median, metres.
  private static func distances(_ low: Double, _ high: Double) -> ObjectShape<DistanceSpread> {
    let cut = "of the model; cuts the log-normal"
    return ObjectShape(
      fields: [
        Field(
          "median", \.median, .distance(50, 100_000), "The middle one.",
          .fitted(.meters(low), .meters(high), "surveys' ways and recorded phones")),
        Field(
          "sigma", \.sigma, .number(0...3), "Deviation of the logarithm.",
          .fitted(0.3, 1.5, "surveys' ways; rule book 4: 0.6 to 1")),
        Field(
          "min", \.min, .distance(50, 100_000), "The least.",
          .assumed(.meters(100), .meters(500), cut)),
        Field(
          "max", \.max, .distance(50, 100_000), "The most.",
          .assumed(.meters(6_000), .meters(100_000), cut)),
      ],
      check: { spread, origin, reading in
        if spread.min > spread.max { reading.diagnose(origin, "'min' exceeds 'max'.") }
      })
  }

  /// - Parameters: the least and the longest plausible median.
  private static func times(_ low: SimDuration, _ high: SimDuration) -> ObjectShape<TimeSpread> {
    let cut = "of the model; cuts the log-normal"
    return ObjectShape(
      fields: [
        Field(
          "median", \.median, .time(.minutes(1), .hours(24)), "The middle one.",
          .fitted(low, high, "recorded phones: stays of 100 min in the geometric mean")),
        Field(
          "sigma", \.sigma, .number(0...3), "Deviation of the logarithm.",
          .fitted(0.2, 1, "recorded phones; rule book 4: 1")),
        Field(
          "min", \.min, .time(.minutes(1), .hours(24)), "The least.",
          .assumed(.minutes(5), .minutes(20), cut)),
        Field(
          "max", \.max, .time(.minutes(1), .hours(12)), "The most.",
          .assumed(.hours(1), .hours(12), cut)),
      ],
      check: { spread, origin, reading in
        if spread.min > spread.max { reading.diagnose(origin, "'min' exceeds 'max'.") }
      })
  }
}

extension Shape<[Double]> {
  /// The weights of a day's half hours.
  fileprivate static var halfHours: Shape { weights(48...48) }
  fileprivate static var weights: Shape { weights(1...6) }

  private static func weights(_ count: ClosedRange<Int>) -> Shape {
    let list = Shape.list(of: .number(0...1_000), count: count)
    return Shape(
      allowed: list.allowed, form: list.form,
      read: { node, reading in
        guard let weights = list.read(node, &reading) else { return nil }
        guard weights.contains(where: { $0 > 0 }) else {
          reading.diagnose(node.origin, "all weights are 0; give one of them something.")
          return nil
        }
        return weights
      },
      show: list.show)
  }
}

/// `city.people`: the name of a file, or `{ base: NAME, … }` with what differs.
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
      // Written out, so that it reads back wherever it is put.
      show: { value, scenario in object.show(value, scenario) },
      parameters: { value, scenario in object.parameters(value, scenario) })
  }
}

extension Reading {
  /// The people in the file `people/NAME.yaml` beside the scenario or the program's own.
  fileprivate mutating func people(named name: String, at origin: Origin) -> PeopleProfile? {
    guard let path = library.path(of: name, .people) else {
      // Tests and `--set` know the standard people without a file.
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
        note(written.origin, "the name is not that of the file, '\(name).yaml'.")
      }
      profile?.name = name
      return profile
    } catch {
      diagnostics += error.diagnostics
      return nil
    }
  }
}
