internal import Core

/// An OS profile's rules, with the significant-change profile of cohorts that name none.
struct OSFile: Equatable, Sendable {
  var rules: OSProfile
  var significantChange: String
}

extension Kind<Named<OSFile>> {
  static var os: Kind {
    Kind(
      files: .os, object: ProfileSchema.os,
      evident: {
        $0.value.rules.system.android == nil ? ProfileSchema.ios : ProfileSchema.android
      },
      standard: .builtIn, builtIn: [.builtIn], name: \.name, list: \.osProfiles)
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
      files: .energy, object: ProfileSchema.energy,
      evident: { ProfileSchema.androidEnergy[$0.name] },
      standard: .builtIn, builtIn: [.builtIn], name: \.name, list: \.energyProfiles)
  }
}

enum ProfileSchema {
  static func identity<Value>() -> [Field<Named<Value>>] {
    [
      Field("name", \.name, .name, "Name of the profile; in a file, the file's name."),
      Field("description", \.description, .sentence, "Description of the profile."),
    ]
  }

  /// The keys of all systems, as they are read.
  nonisolated(unsafe) static let os = ObjectShape<Named<OSFile>>(
    fields: ios.fields + [
      Field(PhoneSystem.androidKey, of: \.value.rules.system)
        .bound(to: Shipped.part(of: Shipped.android, "android"))
    ])

  nonisolated(unsafe) static let ios = ObjectShape<Named<OSFile>>(
    fields: identity() + PhoneSystem.keys.map { Field($0, of: \.value.rules.system) } + services
      + service
  ).bound(to: Shipped.os)

  /// All keys. Those that `android14` writes have its evidence, the others that of `ios17`.
  nonisolated(unsafe) static let android = os.bound(to: Shipped.android)

  private static var service: [Field<Named<OSFile>>] {
    [
      Field(
        "significantChange", \.value.significantChange, significantChangeName,
        "Significant-change profile of phones with this OS, unless their cohort names another.")
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

  nonisolated(unsafe) static let significantChange = ObjectShape<Named<SignificantChangeProfile>>(
    fields: identity() + trigger + repetition + cached
  ).bound(to: Shipped.significantChange)

  private static var trigger: [Field<Named<SignificantChangeProfile>>] {
    [
      Field(
        "triggerMedian", \.value.triggerMedian, .distance(1, 100_000),
        "Median of the log-normal distance that triggers a change (C9)."),
      Field(
        "triggerSigma", \.value.triggerSigma, .number(0...5),
        "Standard deviation of the natural logarithm of the trigger distance."),
      Field(
        "triggerFloor", \.value.triggerFloor, .distance(0, 100_000),
        "Minimum of the trigger distance (SL1)."),
      Field(
        "latencyMean", \.value.latencyMean, .time(.zero, .hours(1)),
        "Mean of the exponential time from trigger to wake (SL2, C3)."),
      Field(
        "wifiShare", \.value.wifiShare, .share,
        "Changes that report a Wi-Fi position instead of a cell's, if Wi-Fi is in range (SL10)."
      ),
      Field(
        "withoutCells", \.value.withoutCells, .number(1...1_000),
        "Factor on the time to the wake without a SIM (NO5)."),
    ]
  }

  private static var repetition: [Field<Named<SignificantChangeProfile>>] {
    [
      Field(
        "gapMin", \.value.gapMin, .time(.zero, .hours(24)),
        "Minimum time between two changes (SL3)."),
      Field(
        "spuriousPerHour", \.value.spuriousPerHour, .number(0...60),
        "Cell changes per hour without movement, on average over places (SL4)."),
      Field(
        "cellEdges", \.value.cellEdges, .share,
        "Places with cell changes without movement (SL11)."),
      Field(
        "unmovedEvery", \.value.unmovedEvery, .optional(.time(.minutes(1), .hours(24))),
        "Time between wakes without movement; none: no such wakes."),
      Field(
        "scanEveryInVehicle", \.value.scanEveryInVehicle, .time(.seconds(1), .hours(24)),
        "Time between two Wi-Fi scans in a vehicle (SF3)."),
      Field(
        "scanEvery", \.value.scanEvery, .time(.seconds(1), .hours(24)),
        "Time between two Wi-Fi scans outside a vehicle."),
    ]
  }

  private static var cached: [Field<Named<SignificantChangeProfile>>] {
    [
      Field(
        "cachedAgeMedian", \.value.cachedAgeMedian, .time(.zero, .hours(24 * 7)),
        "Median age of the location delivered at the start of the service (SL5)."),
      Field(
        "cachedAgeSigma", \.value.cachedAgeSigma, .number(0...5),
        "Standard deviation of the natural logarithm of the delivered location's age."),
      Field(
        "cachedAgeMax", \.value.cachedAgeMax, .time(.seconds(1), .hours(24 * 30)),
        "Maximum age of the location delivered at the start of the service."),
    ]
  }
}
