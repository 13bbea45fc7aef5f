internal import Phone

extension MovementMeasures {
  /// Figures of travel surveys and time diaries, for the people of one scenario or of two.
  static var surveys: [ClaimMeasure] { perDay + modes + lengths + commutes + places }

  private static let both = ["city", "country"]

  private static func measure(
    _ id: String, _ scenarios: [String], _ statistic: ClaimStatistic = .share,
    _ figures: @escaping @Sendable (PersonRecord) -> PhoneFigures
  ) -> ClaimMeasure {
    let parts = scenarios.map { ClaimPart.people(week($0), figures) }
    return ClaimMeasure(
      id, [ClaimCase("", parts) { parts in statistic.value(of: parts.flatMap { $0 }) }])
  }

  // MARK: A day

  private static var perDay: [ClaimMeasure] {
    func daily(
      _ id: String, _ scenarios: [String], _ amount: @escaping @Sendable (PersonRecord) -> Double
    ) -> ClaimMeasure {
      measure(id, scenarios) { PhoneFigures(part: amount($0), whole: Double($0.days)) }
    }
    func trips(_ id: String, _ scenarios: [String]) -> ClaimMeasure {
      daily(id, scenarios) { $0.trips.reduce(0, +) }
    }
    func travel(_ id: String, _ scenarios: [String]) -> ClaimMeasure {
      daily(id, scenarios) { $0.seconds(by: TravelMode.allCases) / 60 }
    }
    func distance(_ id: String) -> ClaimMeasure {
      daily(id, both) { $0.tripKilometers.joined().reduce(0, +) }
    }
    func workdayTravel(_ id: String, _ scenarios: [String]) -> ClaimMeasure {
      measure(id, scenarios) {
        PhoneFigures(part: $0.workdayTravelSeconds / 60, whole: $0.workdays.whole)
      }
    }
    func length(_ id: String, _ modes: [TravelMode]) -> ClaimMeasure {
      measure(id, both) { person in
        PhoneFigures(part: person.seconds(by: modes) / 60, whole: person.count(of: modes))
      }
    }
    return [
      trips("M-trips-england-2024", ["country"]), trips("M-trips-scotland-2024", ["country"]),
      trips("M-trips-germany-2023", both), trips("M-trips-netherlands-2019", both),
      measure("M-trips-france-2019", both) {
        PhoneFigures(part: $0.workdayTrips, whole: $0.workdays.whole)
      },
      travel("M-travel-england-2024", ["country"]), travel("M-travel-germany-2023", both),
      travel("M-travel-netherlands-2019", both), travel("M-travel-switzerland-2021", both),
      travel("M-travel-usa-2012", both), workdayTravel("M-travel-france-2019", both),
      workdayTravel("M-travel-paris", ["city"]),
      distance("M-distance-netherlands-2019"), distance("M-distance-switzerland-2021"),
      daily("M-walking-switzerland-2021", both) { $0.seconds(by: [.walk]) / 60 },
      measure("M-out-scotland-2024", ["country"]) { $0.allDays },
      measure("M-out-switzerland-2021", both) { $0.allDays },
      length("M-car-trip-france", [.car]), length("M-walk-trip-france", [.walk]),
      length("M-bicycle-trip-france", [.bicycle]), length("M-transit-trip-france", transit),
    ]
  }

  // MARK: Modes and lengths

  private static let transit: [TravelMode] = [.bus, .tram, .rail]
  private static let kilometersPerMile = 1.609

  private static var modes: [ClaimMeasure] {
    func share(_ id: String, _ scenarios: [String], _ modes: [TravelMode]) -> ClaimMeasure {
      measure(id, scenarios) {
        PhoneFigures(part: $0.count(of: modes), whole: $0.count(of: TravelMode.allCases))
      }
    }
    return [
      share("M-walk-share-scotland-2024", ["country"], [.walk]),
      share("M-bus-share-scotland-2024", ["country"], [.bus]),
      share("M-walk-share-germany-2023", both, [.walk]),
      share("M-bicycle-share-germany-2023", both, [.bicycle]),
      share("M-car-share-germany-2023", both, [.car]),
      share("M-transit-share-germany-2023", both, transit),
      share("M-walk-share-metropolis-2023", ["city"], [.walk]),
      share("M-bicycle-share-metropolis-2023", ["city"], [.bicycle]),
      share("M-car-share-metropolis-2023", ["city"], [.car]),
      share("M-transit-share-metropolis-2023", ["city"], transit),
      share("M-transit-share-france", both, transit), share("M-car-share-france", both, [.car]),
    ]
  }

  private static var lengths: [ClaimMeasure] {
    func share(_ id: String, _ scenarios: [String], of range: Range<Double>) -> ClaimMeasure {
      measure(id, scenarios) {
        PhoneFigures(
          part: $0.count(of: TravelMode.allCases, in: range),
          whole: $0.count(of: TravelMode.allCases))
      }
    }
    func mode(_ id: String, _ mode: TravelMode, of range: Range<Double>) -> ClaimMeasure {
      measure(id, ["country"]) {
        PhoneFigures(
          part: $0.count(of: [mode], in: range), whole: $0.count(of: TravelMode.allCases, in: range)
        )
      }
    }
    let mile = kilometersPerMile
    return [
      share("M-trips-under-mile-england", ["country"], of: 0..<mile),
      share("M-trips-under-5-miles-england", ["country"], of: 0..<5 * mile),
      share("M-trips-over-50-miles-england", ["country"], of: 50 * mile..<1e6),
      share("M-trips-under-5km-scotland", ["country"], of: 0..<5),
      share("M-trips-usa-mile", both, of: 0..<mile),
      share("M-trips-usa-3-miles", both, of: 0..<3 * mile),
      share("M-trips-usa-50-miles", ["country"], of: 50 * mile..<1e6),
      mode("M-short-trips-on-foot-england", .walk, of: 0..<mile),
      mode("M-1-to-5-miles-by-car-england", .car, of: mile..<5 * mile),
    ]
  }

  // MARK: Work and other places

  private static var commutes: [ClaimMeasure] {
    func share(
      _ id: String, _ scenarios: [String], of holds: @escaping @Sendable (Double) -> Bool
    ) -> ClaimMeasure {
      measure(id, scenarios) {
        PhoneFigures(
          part: Double($0.commuteMinutes.count(where: holds)),
          whole: Double($0.commuteMinutes.count))
      }
    }
    return [
      share("M-commute-germany-30", both) { $0 <= 30 },
      share("M-commute-germany-60", both) { $0 > 60 },
      share("M-commute-berlin-30", ["city"]) { $0 >= 30 },
      share("M-commute-berlin-10", ["city"]) { $0 < 10 },
      share("M-commute-usa-15", ["country"]) { $0 < 15 },
      share("M-commute-usa-15-29", ["country"]) { 15 <= $0 && $0 < 30 },
    ]
  }

  private static var places: [ClaimMeasure] {
    func time(
      _ id: String, _ seconds: @escaping @Sendable (PersonRecord) -> Double
    ) -> ClaimMeasure {
      measure(id, ["claims"]) { PhoneFigures(part: seconds($0), whole: $0.totalSeconds) }
    }
    return [
      time("M-home-barcelona") { $0.placeSeconds[0] ?? 0 },
      time("M-work-barcelona") { $0.placeSeconds[1] ?? 0 },
      time("M-transit-barcelona") { $0.seconds(by: TravelMode.allCases) },
      ClaimMeasure(
        "M-familiar-places-25",
        .people(PeoplePlan(scenario: "city", people: 60, days: 140)) { person in
          let familiar = person.stays.filter { place, count in
            count >= 2 && person.placeSeconds[place] ?? 0 >= 200 * 60
          }
          return PhoneFigures(values: [Double(familiar.count)])
        }, .median),
    ]
  }
}

extension PersonRecord {
  fileprivate func count(of modes: [TravelMode]) -> Double {
    modes.reduce(0) { $0 + Double(tripKilometers[Int($1.rawValue)].count) }
  }

  fileprivate func count(of modes: [TravelMode], in kilometers: Range<Double>) -> Double {
    modes.reduce(0) { sum, mode in
      sum + Double(tripKilometers[Int(mode.rawValue)].count { kilometers.contains($0) })
    }
  }
}
