internal import Core

/// The keys of a scenario, in the order in which they are read and shown.
enum ScenarioSchema {
  /// The shape is made once, since every `--set` needs it, and never changes. All threads may
  /// therefore read it, which the compiler cannot see through the closures.
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
          origin, "spectators need an event; write city.event: { from: …, until: … }.")
      }
      if zip(scenario.rollouts, scenario.rollouts.dropFirst()).contains(where: { $0.at > $1.at }) {
        reading.diagnose(origin, "'rollouts' must be in the order of 'at'; sort them.")
      }
      if scenario.run.dictionary != nil, scenario.encoding != .columns {
        reading.diagnose(
          reading.origin(ofRuleBetween: "run", "encoding") ?? origin,
          "'run.dictionary' needs columns, but 'encoding' is '\(scenario.encoding.rawValue)'; "
            + "write encoding: columns, or remove 'run.dictionary'.")
      }
    }
  ).bound(to: Shipped.world)

  private static var identity: [Field<Scenario>] {
    [
      Field("scenario", \.name, .name, required: true, "Name in runs and reports."),
      Field("question", \.question, .sentence, "Question that the report answers."),
      Field("answers", \.answers, .word(Answer.self), "Topic of the report's first sentence."),
      Field("seed", \.seed, .count(0...UInt64.max), "Random seed."),
      Field(
        "city", \.city, CitySchema.city, "City in which the phones move.",
        then: { scenario, reading in reading.clock = scenario.clock }),
    ]
  }

  private static var time: [Field<Scenario>] {
    [
      Field(
        "start", \.start, .instant, "Start of the live part, in the city's local time.",
        then: { scenario, reading in reading.start = scenario.start }),
      Field(
        "duration", \.duration, .time(.seconds(1), .hours(24 * 30)),
        "Simulated time of the run without the drain; the part after the ramp is measured."),
      Field(
        "warmStart", \.warmStart, .time(.zero, .hours(24 * 14)),
        "Warm-up before 'start', in simulated time."),
      Field("speed", \.speed, .number(0.01...100_000), "Simulated seconds per wall-clock second."),
      Field("phases", \.phases, phases, "Ramp at the start of 'duration', and drain after it."),
    ]
  }

  private static var world: [Field<Scenario>] {
    [
      Field(
        "policies", \.policies, .list(of: Kind.policy.definition, count: 0...64),
        "Policies of this scenario, in addition to those in files."),
      Field(
        "profiles", \.profiles, profiles,
        "Profiles of this scenario, in addition to those in files."),
      Field(
        "sensors", \.sensors, .sensors, "Position errors, and the accuracy that phones report."),
      Field("fleet", \.fleet, FleetSchema.fleet, required: true, "Phones and their cohorts."),
      Field("push", \.push, PushSchema.push, "Silent pushes."),
      Field(
        "collector", \.collector, ServerSchema.collector, "Collector that receives the uploads."),
      Field(
        "connections", \.connections, .connectionMode, "When phones open and reuse connections."),
      Field("encoding", \.encoding, .word(BatchEncoding.self), "Encoding of batches."),
      Field(
        "network", \.network, ServerSchema.network,
        "Duration of an upload on an ideal network."),
      Field(
        "faults", \.faults, .list(of: FaultSchema.fault.shape(defaults: .blank), count: 0...1_000),
        "Injected faults."),
      Field(
        "rollouts", \.rollouts,
        .list(of: FleetSchema.rollout.shape(defaults: .blank), count: 0...FleetSchema.rolloutsMax),
        "Settings that the server rolls out during the run (HY2)."),
      Field("slo", \.slo, ServerSchema.levels, "SLOs that the run must meet."),
      Field(
        "viewers", \.viewers, .optional(FleetSchema.viewers.shape(defaults: ViewerSettings())),
        "Owners who watch other phones while they look at the app; needs a target with 'view'."
      ).shown { $0.viewers != nil },
    ]
  }

  private static var profiles: ObjectShape<ProfileLists> {
    ObjectShape(fields: [
      // Significant-change profiles are read first, since an OS profile may name one.
      Field(
        "significantChange", \.significantChange,
        .list(of: Kind.significantChange.definition, count: 0...64),
        "Significant-change services."),
      Field(
        "os", \.os, .list(of: Kind.os.definition, count: 0...64), "Operating systems."),
      Field(
        "energy", \.energy, .list(of: Kind.energy.definition, count: 0...64), "Energy profiles."),
    ])
  }

  private static var phases: ObjectShape<Scenario.Phases> {
    ObjectShape(fields: [
      Field(
        "ramp", \.ramp, .time(.zero, .hours(24)),
        "First part of 'duration', excluded from the results."),
      Field(
        "drain", \.drain, .time(.zero, .hours(24)),
        "Maximum time for uploads in flight after 'duration'."),
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
