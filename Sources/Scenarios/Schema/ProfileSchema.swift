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
  static func identity<Value>() -> [Field<Named<Value>>] {
    [
      Field("name", \.name, .name, "How cohorts refer to this profile; a file's own name."),
      Field("description", \.description, .sentence, "What the profile stands for."),
    ]
  }

  /// Made once, as `ScenarioSchema.scenario` is.
  nonisolated(unsafe) static let os = ObjectShape<Named<OSFile>>(
    fields: identity() + PhoneSystem.keys.map { Field($0, of: \.value.rules.system) } + services
      + service)

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
          reading.diagnose(
            node.origin, "there is \(node.kind); write the name of a significant-change profile.")
          return nil
        }
        return reading.index(of: name, .significantChange, at: node.origin).map { _ in name }
      },
      show: { name, _ in .scalar(name) })
  }

  /// Made once, as `ScenarioSchema.scenario` is.
  nonisolated(unsafe) static let significantChange = ObjectShape<Named<SignificantChangeProfile>>(
    fields: identity() + trigger + repetition + cached)

  private static var trigger: [Field<Named<SignificantChangeProfile>>] {
    [
      Field(
        "triggerMedian", \.value.triggerMedian, .distance(1, 100_000),
        "Median of the log-normal distance that triggers a change (C9).",
        .derived(
          .meters(500), .meters(1_000),
          "longweekendmobile.com 2010: 50 % by 750 m; Badoo 2017: usually up to 1 km")),
      Field(
        "triggerSigma", \.value.triggerSigma, .number(0...5), "Its σ, of the logarithm.",
        .derived(0.1, 1, "longweekendmobile.com 2010: 95 % by 2,500 m; Badoo 2017: by 1 km")),
      Field(
        "triggerFloor", \.value.triggerFloor, .distance(0, 100_000), "Never below this (SL1).",
        .read(
          .meters(0), .meters(500),
          "Apple, startMonitoringSignificantLocationChanges: 500 m or more")),
      Field(
        "latencyMean", \.value.latencyMean, .time(.zero, .hours(1)),
        "Mean of the exponential time from trigger to wake (SL2, C3).",
        .fitted(.seconds(10), .minutes(7), "C3: 60 to 90 s, of iOS 4 to 7 300 to 420 s")),
      Field(
        "wifiShare", \.value.wifiShare, .share,
        "Changes that bring a position from Wi-Fi where any is heard; else from cells (SL10).",
        .assumed(
          0, 0.95,
          "Apple, Using the significant-change location service: Wi-Fi and cells; Home Assistant "
            + "issue 449 (2019): good fixes are rare; S2, of iOS 4 to 7: cells; the share A")),
      Field(
        "withoutCells", \.value.withoutCells, .number(1...1_000),
        "Without a SIM it takes so many times as long (NO5).",
        .assumed(2, 10, "the bicycle tracker of 2017 (NO5) says less often, and no factor")),
    ]
  }

  private static var repetition: [Field<Named<SignificantChangeProfile>>] {
    [
      Field(
        "gapMin", \.value.gapMin, .time(.zero, .hours(24)), "Never two within this (SL3).",
        .read(
          .minutes(3), .minutes(15),
          "Apple, startMonitoringSignificantLocationChanges: not more often than every 5 min")),
      Field(
        "spuriousPerHour", \.value.spuriousPerHour, .number(0...60),
        "Changes of cell without movement, an hour (SL4).",
        .assumed(0, 1, "rule book 1, SL4: 0 to 10 a day of rest")),
      Field(
        "unmovedEvery", \.value.unmovedEvery, .optional(.time(.minutes(1), .hours(24))),
        "A wake without movement every so often (rule book section 8).",
        .noneOr(
          .minutes(15), .excerpt,
          "Apple's Energy guide: every 15 min; its support in forum thread 71792: hardly")),
      Field(
        "scanEveryInVehicle", \.value.scanEveryInVehicle, .time(.seconds(1), .hours(24)),
        "Between two Wi-Fi scans in a vehicle (SF3).",
        .assumed(
          .minutes(1), .minutes(10), "article of 2014 (SF3) says less at rest, and no figure")),
      Field(
        "scanEvery", \.value.scanEvery, .time(.seconds(1), .hours(24)), "The same otherwise.",
        .assumed(.minutes(5), .hours(1), "article of 2014 (SF3) says less at rest, and no figure")),
    ]
  }

  private static var cached: [Field<Named<SignificantChangeProfile>>] {
    let source = "rule book 1, SL5; Badoo 2017: the first position can be hours old"
    return [
      Field(
        "cachedAgeMedian", \.value.cachedAgeMedian, .time(.zero, .hours(24 * 7)),
        "Median age of the location that starting the service brings (SL5).",
        .assumed(.minutes(5), .hours(2), source)),
      Field(
        "cachedAgeSigma", \.value.cachedAgeSigma, .number(0...5), "Its σ, of the logarithm.",
        .assumed(1, 2.5, source)),
      Field(
        "cachedAgeMax", \.value.cachedAgeMax, .time(.seconds(1), .hours(24 * 30)),
        "It is no older than this.", .assumed(.hours(6), .hours(72), source)),
    ]
  }
}
