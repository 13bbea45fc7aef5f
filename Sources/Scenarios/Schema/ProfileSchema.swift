internal import SimulationCore

/// What the file of an OS profile says: the rules, and the significant-change service that its
/// phones have unless a cohort names another.
struct OSFile: Equatable, Sendable {
  var rules: OSProfile
  var significantChange: String
}

extension Kind<Named<OSFile>> {
  static var os: Kind {
    Kind(
      files: .os, object: ProfileSchema.os, standard: .builtIn, builtIn: [.builtIn], name: \.name,
      list: \.osProfiles)
  }
}

extension Kind<Named<SignificantChangeProfile>> {
  static var significantChange: Kind {
    Kind(
      files: .significantChange, object: ProfileSchema.significantChange, standard: .builtIn,
      builtIn: [.builtIn], name: \.name, list: \.significantChangeProfiles)
  }
}

extension Kind<Named<EnergyProfile>> {
  static var energy: Kind {
    Kind(
      files: .energy, object: ProfileSchema.energy, standard: .builtIn,
      builtIn: [.builtIn, Named(name: "legacy2015", value: .legacy2015)], name: \.name,
      list: \.energyProfiles)
  }
}

extension Named<OSFile> {
  static var builtIn: Self {
    Named(name: "ios17", value: OSFile(rules: .standard, significantChange: "modern"))
  }
}
extension Named<SignificantChangeProfile> {
  static var builtIn: Self { Named(name: "modern", value: .standard) }
}
extension Named<EnergyProfile> {
  static var builtIn: Self { Named(name: "modern2022", value: .standard) }
}

/// The keys of profiles, in files of their own or in a scenario's `profiles`.
enum ProfileSchema {
  private static func identity<Value>() -> [Field<Named<Value>>] {
    [
      Field("name", \.name, .name, "How cohorts refer to this profile; a file's own name."),
      Field("description", \.description, .sentence, "What the profile stands for."),
    ]
  }

  static var os: ObjectShape<Named<OSFile>> {
    ObjectShape(fields: identity() + limits + rules + service)
  }

  private static var limits: [Field<Named<OSFile>>] {
    [
      Field(
        "backgroundTaskBudget", \.value.rules.backgroundTaskBudget, .time(.seconds(1), .hours(1)),
        "What a background task buys (LC5)."),
      Field(
        "wakeGrace", \.value.rules.wakeGrace, .time(.seconds(1), .minutes(10)),
        "Time to run after a wake without one (LC3)."),
      Field(
        "watchdog", \.value.rules.watchdog, .time(.seconds(1), .minutes(10)),
        "Main-thread work beyond it is a crash (LC6)."),
      Field(
        "pauseAfter", \.value.rules.pauseAfter, .time(.minutes(1), .hours(24)),
        "Standing still pauses the standard service (PT1)."),
      Field(
        "pauseTrap", \.value.rules.pauseTrap, .word(OSProfile.PauseTrap.self),
        "strict: only the foreground ends a pause; recoverable: a wake may (PT2, PT3)."),
    ]
  }

  private static var rules: [Field<Named<OSFile>>] {
    [
      Field(
        "relaunchesAfterForceQuit", \.value.rules.relaunchesAfterForceQuit, .flag,
        "Location wakes relaunch an app that its user force-quit (LC10)."),
      Field(
        "refreshOffBlocksLocationWakes", \.value.rules.refreshOffBlocksLocationWakes, .flag,
        "Background App Refresh off also blocks location wakes (BR1)."),
      Field(
        "requiresRequest", \.value.rules.requiresRequest, .flag,
        "Authorization must be asked for and described (AU1, AU2, AU3)."),
      Field(
        "hasProvisionalAlways", \.value.rules.hasProvisionalAlways, .flag,
        "A second prompt may take a first Always back (iOS 13)."),
      Field(
        "hasReducedAccuracy", \.value.rules.hasReducedAccuracy, .flag,
        "The user can withhold precise locations (iOS 14)."),
      Field(
        "suspendsHiddenStandard", \.value.rules.suspendsHiddenStandard, .flag,
        "Filtered or coarse standard service without an indicator is suspended (iOS 16.4)."),
      Field(
        "defersUpdates", \.value.rules.defersUpdates, .flag, "Deferred updates exist (DF1)."),
      Field(
        "hasLocationPushExtension", \.value.rules.hasLocationPushExtension, .flag,
        "The location push extension exists (iOS 15)."),
    ]
  }

  private static var service: [Field<Named<OSFile>>] {
    [
      Field(
        "significantChange", \.value.significantChange, significantChangeName,
        "The significant-change service of its phones, unless a cohort names another.")
    ]
  }

  private static var significantChangeName: Shape<String> {
    Shape(
      allowed: "the name of a significant-change profile",
      form: .scalar(allowed: "the name of a significant-change profile"),
      read: { node, reading in
        guard case .scalar(let name) = node.content else {
          reading.complain(
            node.origin, "there is \(node.kind); write the name of a significant-change profile.")
          return nil
        }
        return reading.index(of: name, .significantChange, at: node.origin).map { _ in name }
      },
      show: { name, _ in .scalar(name) })
  }

  static var significantChange: ObjectShape<Named<SignificantChangeProfile>> {
    ObjectShape(
      fields: identity() + [
        Field(
          "triggerMedian", \.value.triggerMedian, .distance(1, 100_000),
          "Median of the log-normal distance that triggers a change (C9)."),
        Field("triggerSigma", \.value.triggerSigma, .number(0...5), "Its σ, of the logarithm."),
        Field(
          "triggerFloor", \.value.triggerFloor, .distance(0, 100_000), "Never below this (SL1)."),
        Field(
          "latencyMean", \.value.latencyMean, .time(.zero, .hours(1)),
          "Mean of the exponential time from trigger to wake (SL2, C3)."),
        Field("gapMin", \.value.gapMin, .time(.zero, .hours(24)), "Never two within this (SL3)."),
        Field(
          "spuriousPerHour", \.value.spuriousPerHour, .number(0...60),
          "Changes of cell without movement, an hour (SL4)."),
        Field(
          "unmovedEvery", \.value.unmovedEvery, .optional(.time(.minutes(1), .hours(24))),
          "A wake without movement every so often (rule book section 8)."),
        Field(
          "cachedAgeMedian", \.value.cachedAgeMedian, .time(.zero, .hours(24 * 7)),
          "Median age of the location that starting the service brings (SL5)."),
        Field("cachedAgeSigma", \.value.cachedAgeSigma, .number(0...5), "Its σ, of the logarithm."),
      ])
  }
}
