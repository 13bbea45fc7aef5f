internal import Phone

struct MovementClaims {
  let diaries: [MovementDiary]

  init(_ diaries: [MovementDiary]) { self.diaries = diaries }

  typealias Samples = MovementSamples

  static let traces = "STATS 7"
  static let ruleBook = "design notes 4"

  var all: [MovementMeasure] { onTheRoad + stays + trips + places + hours + budget + commute }

  private func row(
    _ id: String, _ claim: String, _ source: String, _ unit: String, on scenario: String = "city",
    _ band: ClosedRange<Double>, _ samples: Samples
  ) -> MovementMeasure {
    MovementMeasure(
      id: id, claim: claim, source: source, unit: unit, scenario: scenario, band: band,
      samples: samples)
  }

  private func ratio(
    _ part: (MovementDiary) -> Double, _ whole: (MovementDiary) -> Double
  ) -> Samples {
    .ratio(diaries.map { Samples.Ratio(part: part($0), whole: whole($0)) })
  }

  private func perDay(_ part: (MovementDiary) -> Double) -> Samples {
    ratio(part) { Double($0.days) }
  }

  private var onTheRoad: [MovementMeasure] {
    func speed(_ mode: TravelMode, _ target: Double, _ tolerance: Double) -> MovementMeasure {
      row(
        "speed.\(mode)", "median 10 s speed in motion by \(mode)", Self.traces, "km/h",
        target * (1 - tolerance)...target * (1 + tolerance),
        .quantile(0.5, diaries.map { $0.speeds[Int(mode.rawValue)] }))
    }
    func stops(_ mode: TravelMode, _ target: Double) -> MovementMeasure {
      let i = Int(mode.rawValue)
      return row(
        "stops.\(mode)", "stops per hour of riding a \(mode)", Self.traces, "/h",
        target * 0.7...target * 1.3, ratio({ $0.stopsOnRoad[i] }, { $0.rideSeconds[i] / 3_600 }))
    }
    let lengths = diaries.map(\.stopLengths)
    return [
      speed(.walk, 5, 0.1), speed(.bicycle, 21, 0.15), speed(.tram, 24, 0.2), speed(.bus, 33, 0.2),
      speed(.car, 45, 0.2), stops(.tram, 44), stops(.bus, 24),
      row(
        "stop.p50", "median stop on the road, 20–35 s", Self.traces, "s", 14...45.5,
        .quantile(0.5, lengths)),
      row(
        "stop.p95", "95th percentile of stops on the road, 65–110 s", Self.traces, "s",
        45.5...143, .quantile(0.95, lengths)),
    ]
  }

  private var stays: [MovementMeasure] {
    let lengths = diaries.map(\.stayLength)
    return [
      row("stays", "stays of 20 min or more per day", Self.traces, "/d", 2...4, perDay(\.stays)),
      row(
        "stay.mu", "mean of the logarithm of a stay's minutes", Self.traces, "", 4.3...4.9,
        .logMean(lengths)),
      row(
        "stay.sigma", "deviation of the logarithm of a stay's minutes", Self.traces, "",
        1.15...1.55, .logDeviation(lengths)),
    ]
  }

  private var trips: [MovementMeasure] {
    let straight = diaries.map(\.tripStraight)
    return [
      row(
        "trip.mu", "mean of the logarithm of a trip's straight kilometres", Self.traces, "",
        0.2...1.0, .logMean(straight)),
      row(
        "trip.sigma", "deviation of the logarithm of a trip's straight kilometres", Self.traces, "",
        0.9...1.3, .logDeviation(straight)),
      row(
        "trip.detour", "median track over straight line", Self.traces, "", 1.3...1.7,
        .quantile(0.5, diaries.map(\.detours))),
      row(
        "gyration.day", "median radius of gyration of a day, by time", Self.traces, "km", 0.7...2.8,
        .quantile(0.5, diaries.map(\.dayGyration))),
      row(
        "gyration.user", "median radius of gyration of a person's stays", Self.traces, "km", 2...8,
        .median(diaries.map(\.userGyration))),
      row(
        "slope", "exponent of displacements from 1 to 50 km, maximum likelihood", Self.ruleBook, "",
        on: "country", 1.6...1.8, .powerLaw(from: 1, to: 50, diaries.map(\.displacements))),
    ]
  }

  private var places: [MovementMeasure] {
    let times = MovementDiary.growthDays.filter { $0 <= diaries.first?.days ?? 0 }.map(Double.init)
    return [
      row(
        "place.first", "share of a person's stays at the first place", Self.traces, "", 0.21...0.41,
        ratio({ $0.topStays[0] }, { _ in 1 })),
      row(
        "place.second", "share of a person's stays at the second place", Self.traces, "",
        0.12...0.32, ratio({ $0.topStays[1] }, { _ in 1 })),
      row(
        "place.hours1", "share of hours at the first place, 50 % or more", Self.ruleBook, "",
        0.5...1,
        ratio({ $0.topHours[0] }, { _ in 1 })),
      row(
        "place.hours2", "share of hours at the first two places, 75 % or more", Self.ruleBook, "",
        0.75...1, ratio({ $0.topHours[0] + $0.topHours[1] }, { _ in 1 })),
      row(
        "place.growth", "exponent of the number of places seen over time", Self.ruleBook, "",
        0.5...0.7,
        .growth(times: times, diaries.map(\.placesSeen))),
      row(
        "places", "different places per day", Self.ruleBook, "/d", 2.7...3.3, perDay(\.placesPerDay)
      ),
      row(
        "motifs", "share of days in the common motifs, 85 % or more", Self.ruleBook, "", 0.85...1,
        perDay(\.motifDays)),
      row(
        "home.days", "share of days at home", Self.ruleBook, "", 0.1...0.2, perDay(\.homeDays)),
    ]
  }

  private var hours: [MovementMeasure] {
    [
      row(
        "hours.trips", "trip starts by hour of a weekday, total variation distance", Self.traces,
        "", 0...0.1,
        .variation(from: MovementReference.tripsByHour, diaries.map(\.weekdayHours))),
      row(
        "hours.work", "leaving home for work, total variation distance", Self.traces, "", 0...0.1,
        .variation(from: MovementReference.leavingShares, diaries.map(\.leavesForWork))),
    ]
  }

  private var budget: [MovementMeasure] {
    func share(_ mode: TravelMode, _ band: ClosedRange<Double>) -> MovementMeasure {
      row(
        "mode.\(mode)", "share of trips by \(mode)", Self.ruleBook, "", on: "country", band,
        ratio({ $0.legs[Int(mode.rawValue)] }, { $0.legs.reduce(0, +) }))
    }
    return [
      row(
        "trips", "trips per day, 2.3–3.4; STATS 6 has 4", Self.ruleBook, "/d", 2.07...3.74,
        perDay { $0.legs.reduce(0, +) }),
      row(
        "travel.time", "minutes of travel per day", Self.ruleBook, "min", on: "country", 51...69,
        perDay { $0.travelSeconds / 60 }),
      row(
        "travel.distance", "kilometres of travel per day", Self.ruleBook, "km", on: "country",
        24.65...33.35, perDay { $0.trackMeters / 1_000 }),
      share(.car, 0.57...0.67), share(.walk, 0.20...0.30),
    ]
  }

  private var commute: [MovementMeasure] {
    func share(_ isCounted: @escaping (Double) -> Bool) -> Samples {
      ratio({ Double($0.commutes.count(where: isCounted)) }, { Double($0.commutes.count) })
    }
    return [
      row(
        "commute.mean", "mean commute, 27.6 min", Self.ruleBook, "min", on: "country",
        24.6...30.6,
        ratio({ $0.commutes.reduce(0, +) }, { Double($0.commutes.count) })),
      row(
        "commute.short", "share of commutes below 10 min", Self.ruleBook, "", on: "country",
        0.089...0.149, share { $0 < 10 }),
      row(
        "commute.long", "share of commutes of 60 min or more", Self.ruleBook, "", on: "country",
        0.068...0.128, share { $0 >= 60 }),
    ]
  }
}
