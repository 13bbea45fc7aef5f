internal import Core

enum FleetSchema {
  static let cohortsMax = 64

  static var fleet: ObjectShape<FleetSettings> {
    ObjectShape(
      fields: [
        Field("phones", \.phones, .count(1...1_000_000_000), "Number of installed phones."),
        Field(
          "phone", \.phone, CohortSchema.mix, "Condition and use of the phones.",
          then: { fleet, reading in reading.mix = fleet.phone }),
        Field(
          "cohorts", \.cohorts, .list(of: .cohort, count: 1...cohortsMax),
          required: true, "Cohorts of the fleet; their shares sum to 100%."),
        Field(
          "android", \.android, .androidMix,
          "Share of each cohort's iPhones to make Android phones."
        ).shown { $0.android != nil },
      ],
      check: { fleet, origin, reading in
        for (index, name) in reading.cohorts.enumerated()
        where reading.cohorts[..<index].contains(name) {
          reading.diagnose(origin, "two cohorts are named '\(name)'; rename one.")
        }
        let sum = fleet.cohorts.reduce(0) { $0 + $1.share }
        // Shares written in decimals may miss the sum by the last digit.
        if abs(sum - 1) > 1e-6 {
          let percent = Quantity.number((sum * 1e4).rounded() / 100)
          reading.diagnose(
            origin, "the shares of the cohorts sum to \(percent)%; they must sum to 100%.")
        }
      })
  }

  static var viewers: ObjectShape<ViewerSettings> {
    ObjectShape(fields: [
      Field("share", \.share, .share, required: true, "Share of phones whose owners are viewers."),
      Field(
        "sees", \.sees, .watched,
        "Number of other phones that a viewer watches; all: every phone, as on a public map."),
      Field(
        "every", \.every, .time(.milliseconds(100), .hours(24)),
        "Time between two reads of a phone's position."),
    ])
  }

  /// The maximum number of rollouts, since a phone stores a rollout's number in eight bits.
  static let rolloutsMax = 255

  static var rollout: ObjectShape<Rollout> {
    ObjectShape(fields: [
      Field(
        "at", \.at, .instantAfterStart, required: true,
        "Start of the rollout, in the city's local time."),
      Field(
        "policy", \.policy,
        Kind.policy.reference { index, scenario in scenario.policies[index].name },
        required: true, "Policy of the trackers from 'at' on."),
      Field(
        "cohort", \.cohort, .optional(.cohortReference),
        "Cohort that receives the settings; none: all."),
      Field(
        "share", \.share, .share,
        "Share of the cohort's phones that receive the settings; every rollout takes the same "
          + "phones first."),
    ])
  }
}

extension Rollout {
  static var blank: Rollout {
    Rollout(at: SimInstant(microseconds: 0), policy: 0, cohort: nil, share: 1)
  }
}

extension Shape<Int> {
  static var cohortReference: Shape {
    .scalar(
      "a cohort's name",
      parse: { (text, reading) throws(ValueError) in
        guard let index = reading.cohorts.firstIndex(of: text) else {
          throw ValueError(
            "no cohort is named '\(text)'", hint: Spelling.hint(for: text, in: reading.cohorts))
        }
        return index
      },
      show: { index, scenario in scenario.fleet.cohorts[index].name })
  }
}

extension Shape<Int?> {
  /// A number of phones, or `all`.
  fileprivate static var watched: Shape {
    let count = Shape<Int>.count(1...1_000)
    return .scalar(
      "\(count.allowed), or all",
      parse: { (text, _) throws(ValueError) in
        if text == "all" { return nil }
        guard let count = Int(text), (1...1_000).contains(count) else {
          throw ValueError(
            "'\(text)' is not a number in range", hint: Spelling.hint(for: text, in: ["all"]))
        }
        return count
      },
      show: { value, _ in value.map { "\($0)" } ?? "all" })
  }
}
