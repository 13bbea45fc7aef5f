internal import Core

/// The keys of a scenario, in the order in which they are read and shown.
enum ScenarioSchema {
  /// Made once, since every `--set` needs it. Nothing in it changes, so all threads may read it,
  /// which the compiler cannot see through its closures.
  nonisolated(unsafe) static let scenario = ObjectShape<Scenario>(
    fields: identity + time + world + RunSchema.fields,
    check: { scenario, origin, reading in
      if let place = reading.phaseFit?.contradiction(in: scenario, at: origin) {
        reading.diagnose(
          place, "'phases.ramp' leaves nothing of 'duration' to measure; shorten the ramp.")
      }
      let isAttended = scenario.fleet.cohorts.contains { $0.mobility == .agenda(.spectator) }
      if isAttended, scenario.city.event == nil {
        reading.diagnose(
          origin, "spectators have nowhere to go; write city.event: { from: …, until: … }.")
      }
      if zip(scenario.rollouts, scenario.rollouts.dropFirst()).contains(where: { $0.at > $1.at }) {
        reading.diagnose(origin, "'rollouts' are not in the order of their instants; sort them.")
      }
      if scenario.run.dictionary != nil, scenario.encoding != .columns {
        reading.diagnose(
          reading.origin(ofRuleBetween: "run", "encoding") ?? origin,
          "'run.dictionary' is for columns, and 'encoding' is '\(scenario.encoding.rawValue)'; "
            + "write encoding: columns, or leave it out.")
      }
    }
  ).bound(to: Shipped.world)

  private static var identity: [Field<Scenario>] {
    [
      Field("scenario", \.name, .name, required: true, "What runs and reports call it."),
      Field("question", \.question, .sentence, "The sentence that the run's report answers."),
      Field("answers", \.answers, .word(Answer.self), "What the report's first sentence is about."),
      Field("seed", \.seed, .count(0...UInt64.max), "Equal seeds make equal worlds."),
      Field(
        "city", \.city, CitySchema.city, "Where.",
        then: { scenario, reading in reading.clock = scenario.clock }),
    ]
  }

  private static var time: [Field<Scenario>] {
    [
      Field(
        "start", \.start, .instant, "When it goes live, on the city's clocks.",
        then: { scenario, reading in reading.start = scenario.start }),
      Field(
        "duration", \.duration, .time(.seconds(1), .hours(24 * 30)), "Scenario time lived live."),
      Field(
        "warmStart", \.warmStart, .time(.zero, .hours(24 * 14)),
        "Scenario time lived in virtual time first."),
      Field("speed", \.speed, .number(0.01...100_000), "Scenario seconds per wall second."),
      Field("phases", \.phases, phases, "Before and after the measured time."),
    ]
  }

  private static var world: [Field<Scenario>] {
    [
      Field(
        "policies", \.policies, .list(of: Kind.policy.definition, count: 0...64),
        "Policies of this scenario alone, beside those in files."),
      Field(
        "profiles", \.profiles, profiles,
        "Profiles of this scenario alone, beside those in files."),
      Field("sensors", \.sensors, .sensors, "How far phones err, and how they show it."),
      Field("fleet", \.fleet, FleetSchema.fleet, required: true, "Who the phones are."),
      Field("push", \.push, PushSchema.push, "Silent pushes."),
      Field("collector", \.collector, ServerSchema.collector, "The server."),
      Field("connections", \.connections, .connectionMode, "How phones connect."),
      Field("encoding", \.encoding, .word(BatchEncoding.self), "How phones write their batches."),
      Field(
        "network", \.network, ServerSchema.network,
        "How long an upload takes on an ideal network."),
      Field(
        "faults", \.faults, .list(of: FaultSchema.fault.shape(defaults: .blank), count: 0...1_000),
        "What goes wrong on purpose."),
      Field(
        "rollouts", \.rollouts,
        .list(of: FleetSchema.rollout.shape(defaults: .blank), count: 0...FleetSchema.rolloutsMax),
        "New settings from the server, while the fleet runs (HY2)."),
      Field("slo", \.slo, ServerSchema.levels, "What the run must reach to pass."),
    ]
  }

  private static var profiles: ObjectShape<ProfileLists> {
    ObjectShape(fields: [
      // An OS profile may name a significant-change profile.
      Field(
        "significantChange", \.significantChange,
        .list(of: Kind.significantChange.definition, count: 0...64),
        "Significant-change services."),
      Field(
        "os", \.os, .list(of: Kind.os.definition, count: 0...64), "Operating systems of phones."),
      Field(
        "energy", \.energy, .list(of: Kind.energy.definition, count: 0...64), "What parts cost."),
    ])
  }

  private static var phases: ObjectShape<Scenario.Phases> {
    ObjectShape(fields: [
      Field("ramp", \.ramp, .time(.zero, .hours(24)), "The first part of 'duration', unmeasured."),
      Field("drain", \.drain, .time(.zero, .hours(24)), "What is in flight may take this long."),
    ])
  }
}

private struct ProfileLists {
  var significantChange: [Named<SignificantChangeProfile>] = []
  var os: [Named<OSFile>] = []
  var energy: [Named<EnergyProfile>] = []
}

extension Scenario {
  func profileNames(_ kind: String) -> [String] {
    switch kind {
    case "os": profiles.os.map(\.name)
    case "significantChange": profiles.significantChange.map(\.name)
    case _: profiles.energy.map(\.name)
    }
  }

  fileprivate var profiles: ProfileLists {
    get {
      var lists = ProfileLists()
      for cohort in fleet.cohorts {
        if !lists.significantChange.contains(where: { $0.name == cohort.significantChange.name }) {
          lists.significantChange.append(cohort.significantChange)
        }
        if !lists.os.contains(where: { $0.name == cohort.os.name }) {
          lists.os.append(
            Named(
              name: cohort.os.name, description: cohort.os.description,
              value: OSFile(
                rules: cohort.os.value, significantChange: cohort.significantChange.name)))
        }
        if !lists.energy.contains(where: { $0.name == cohort.energy.name }) {
          lists.energy.append(cohort.energy)
        }
      }
      return lists
    }
    set {}
  }
}
