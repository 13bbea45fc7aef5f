internal import Phone

enum MovementMeasures {
  static var all: [ClaimMeasure] { time + days + trips + surveys }

  static func week(_ scenario: String) -> PeoplePlan {
    PeoplePlan(scenario: scenario, people: 300, days: 7)
  }

  /// People whose record is so long that its start approximates the start of a life.
  private static let quarter = PeoplePlan(scenario: "city", people: 60, days: 91)

  private static func time(
    _ id: String, _ seconds: @escaping @Sendable (PersonRecord) -> Double
  ) -> ClaimMeasure {
    ClaimMeasure(
      id,
      ["city", "country"].map { scenario in
        ClaimCase(scenario, share(week(scenario), seconds), .share)
      })
  }

  private static func share(
    _ plan: PeoplePlan, _ seconds: @escaping @Sendable (PersonRecord) -> Double
  ) -> ClaimPart {
    .people(plan) { PhoneFigures(part: seconds($0), whole: $0.totalSeconds) }
  }

  private static var time: [ClaimMeasure] {
    [
      time("M-indoors-87") { $0.indoorSeconds },
      ClaimMeasure(
        "M-vehicles-6", share(week("country")) { $0.seconds(by: [.car, .bus, .tram, .rail]) },
        .share),
      time("M-outdoors-8") { $0.outdoorStaySeconds + $0.seconds(by: [.walk, .bicycle]) },
    ]
  }

  private static var days: [ClaimMeasure] {
    [
      ClaimMeasure("M-out-on-workdays-88", .people(week("city")) { $0.workdays }, .share),
      ClaimMeasure("M-out-on-sundays-73", .people(week("city")) { $0.sundays }, .share),
      ClaimMeasure(
        "M-travel-germany-80",
        .people(week("city")) {
          PhoneFigures(part: $0.seconds(by: TravelMode.allCases) / 60, whole: Double($0.days))
        }, .share),
    ]
  }

  private static var trips: [ClaimMeasure] {
    func length(_ id: String, _ mode: TravelMode) -> ClaimMeasure {
      ClaimMeasure(
        id,
        .people(week("country")) {
          PhoneFigures(part: $0.seconds(by: [mode]) / 60, whole: $0.trips[Int(mode.rawValue)])
        }, .share)
    }
    return [
      length("M-car-trip-21min", .car), length("M-walk-trip-18min", .walk),
      ClaimMeasure(
        "M-new-places-22",
        .people(quarter) {
          PhoneFigures(part: $0.tripsToNewPlaces, whole: $0.trips.reduce(0, +))
        }, .share),
      ClaimMeasure(
        "M-places-once-70",
        .people(quarter) { person in
          let once = person.stays.values.count { $0 == 1 }
          return PhoneFigures(values: [Double(once) / Double(max(1, person.stays.count))])
        }, .median),
    ]
  }
}
