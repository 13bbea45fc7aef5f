internal import Core

enum CohortSchema {
  static var cohort: ObjectShape<Cohort> {
    ObjectShape(
      fields: [
        Field(
          "name", \.name, .name, required: true, "Name in faults and reports.",
          then: { cohort, reading in reading.cohorts.append(cohort.name) }),
        Field("share", \.share, .share, required: true, "Share of the fleet's phones."),
        Field("mobility", \.mobility, .mobility, required: true, "How the cohort's people move."),
        Field(
          "policy", \.policy,
          Kind.policy.reference { index, scenario in scenario.policies[index].name },
          required: true, "Policy of the cohort's trackers."),
        Field("os", \.os, .os, "Operating system of the cohort's phones."),
        Field(
          "significantChange", \.significantChange,
          .named(.significantChange, \.significantChangeProfiles),
          "Significant-change profile; default: the OS profile's (SL1)."),
        Field(
          "energy", \.energy, .named(.energy, \.energyProfiles),
          "Energy profile of the cohort's phones."),
        Field(
          "phone", \.phone, .ownMix,
          "Settings in which the cohort's phones differ from the fleet's."),
      ])
  }

  nonisolated(unsafe) static let mix = ObjectShape<PhoneMix>(
    fields: permissions + conditions + power + habits + HabitSchema.times,
    check: { mix, origin, reading in
      if mix.always + mix.whenInUse > 1 + 1e-9 {
        reading.diagnose(origin, "'always' and 'whenInUse' sum to more than 100%; lower one.")
      }
      if mix.offline + mix.switchedOff + max(mix.airplane, mix.airplaneAtNight) > 1 + 1e-9 {
        reading.diagnose(
          origin, "'offline', 'switchedOff' and 'airplane' sum to more than 100%; lower one.")
      }
    }
  ).bound(to: Shipped.part(of: Shipped.part(of: Shipped.world, "fleet"), "phone"))

  private static var permissions: [Field<PhoneMix>] {
    [
      Field("always", \.always, .share, "Phones with Always permission (AU5)."),
      Field("whenInUse", \.whenInUse, .share, "Phones with When In Use (AU4)."),
      Field(
        "provisionalDenied", \.provisionalDenied, .share,
        "Phones whose user revokes provisional Always at the second prompt (iOS 13)."),
      Field(
        "reducedAccuracy", \.reducedAccuracy, .share,
        "Phones with Precise Location off (iOS 14)."),
      Field(
        "motionDenied", \.motionDenied, .share, "Phones that deny access to motion activity (AU10)."
      ),
      Field(
        "notificationsAllowed", \.notificationsAllowed, .share,
        "Phones that allow the app to show alerts (AL1)."),
      Field("refreshOff", \.refreshOff, .share, "Phones with Background App Refresh off (BR1)."),
      Field("unregistered", \.unregistered, .share, "Phones with an invalid push token."),
      Field(
        "staleToken", \.staleToken, .share,
        "Phone-time with a push token that is no longer valid: the provider answers 410."),
    ]
  }

  private static var conditions: [Field<PhoneMix>] {
    [
      Field("lowPower", \.lowPower, .share, "Phones with Low Power Mode always on (BT2)."),
      Field("offline", \.offline, .share, "Phone-time without a data path."),
      Field("switchedOff", \.switchedOff, .share, "Phone-time switched off."),
      Field("airplane", \.airplane, .share, "Phone-time in airplane mode by day (NO4)."),
      Field(
        "airplaneAtNight", \.airplaneAtNight, .share,
        "Phone-time in airplane mode at night (NO4), see 'nights'."),
      Field("withoutSIM", \.withoutSIM, .share, "Phones without a SIM (NO5)."),
      Field("wifiOff", \.wifiOff, .share, "Phones with Wi-Fi off (SL10)."),
    ]
  }

  private static var power: [Field<PhoneMix>] {
    [
      Field(
        "restricted", \.restricted, .share,
        "Phone-time by day in which the provider holds pushes to save power (SP13)."),
      Field(
        "restrictedAtNight", \.restrictedAtNight, .share,
        "Phone-time at night in which the provider holds pushes to save power."),
      Field("chargesAtNight", \.chargesAtNight, .share, "Nights on a charger at home (BT1)."),
    ]
  }

  private static var habits: [Field<PhoneMix>] {
    [
      Field(
        "forceQuit", \.forceQuit, .share,
        "Phones whose user has the habit of force-quitting the app (LC10, LC11)."),
      Field(
        "forceQuitUses", \.forceQuitUses, .share,
        "Uses after which a user with this habit force-quits the app, on average over these users "
          + "(LC11)."),
      Field("unopened", \.unopened, .share, "Phones whose app has not been opened for a week."),
      Field(
        "sessionsPerDay", \.sessionsPerDay, .number(0...1_000),
        "App sessions per day, on average over phones (OP1)."),
      Field(
        "sessionsSigma", \.sessionsSigma, .number(0...3),
        "Standard deviation of the natural logarithm of the sessions per day over phones; 0: all "
          + "phones have the same number."),
      Field(
        "daysUnopened", \.daysUnopened, .share,
        "Days without an app session, on average over owners (OP1)."),
      Field(
        "sessionLength", \.sessionLength, .time(.seconds(1), .hours(12)),
        "Length of an app session."),
    ]
  }
}

extension Shape<Cohort> {
  /// A cohort, with profiles found by name. A file beside the scenario wins over a built-in one.
  static var cohort: Shape {
    let object = CohortSchema.cohort
    return Shape(
      allowed: object.allowed, keys: object.keys, form: object.form,
      read: { node, reading in
        var node = node
        if case .map(var entries) = node.content {
          for (key, name) in [
            ("os", Cohort.standard.os.name), ("energy", Cohort.standard.energy.name),
          ]
          where node.value(of: key) == nil {
            let value = YAMLNode(origin: node.origin, content: .scalar(name))
            entries.append(.init(key: key, keyOrigin: node.origin, value: value))
          }
          node.content = .map(entries)
        }
        guard var cohort = object.read(node, into: .standard, &reading) else { return nil }
        if node.value(of: "significantChange") == nil,
          let file = reading.osProfiles.first(where: { $0.name == cohort.os.name }),
          let index = reading.index(
            of: file.value.significantChange, .significantChange, at: node.origin)
        {
          cohort.significantChange = reading.significantChangeProfiles[index]
        }
        cohort.os.value.significantChange = cohort.significantChange.value
        return cohort
      },
      show: { cohort, scenario in object.show(cohort, scenario) })
  }
}

extension Shape {
  fileprivate static func named<Profile>(
    _ kind: Kind<Named<Profile>>, _ list: KeyPath<Reading, [Named<Profile>]>
  ) -> Shape where Value == Named<Profile> {
    let reference = kind.reference { _, _ in "" }
    return Shape(
      allowed: reference.allowed, keys: reference.keys, form: reference.form,
      read: { node, reading in
        reference.read(node, &reading).map { reading[keyPath: list][$0] }
      },
      show: { profile, _ in .scalar(profile.name) })
  }
}

extension Shape<PhoneMix?> {
  /// A cohort's phone settings. The fleet's settings are the defaults; only differences are shown.
  fileprivate static var ownMix: Shape {
    let object = CohortSchema.mix
    return Shape(
      allowed: "\(object.allowed), or none", keys: object.keys,
      form: .either([.words(["none"]), object.form]),
      read: { node, reading in
        if case .scalar("none") = node.content { return .some(nil) }
        return object.read(node, into: reading.mix, &reading).map { .some($0) }
      },
      show: { mix, scenario in
        guard let mix else { return .scalar("none") }
        let own = object.show(mix, scenario)
        return own.differing(from: object.show(scenario.fleet.phone, scenario)) ?? .map([])
      })
  }
}

extension Shape<Named<OSProfile>> {
  fileprivate static var os: Shape {
    let file = Shape<Named<OSFile>>.named(.os, \.osProfiles)
    return Shape(
      allowed: file.allowed, keys: file.keys, form: file.form,
      read: { node, reading in
        file.read(node, &reading).map {
          Named(name: $0.name, description: $0.description, value: $0.value.rules)
        }
      },
      show: { profile, _ in .scalar(profile.name) })
  }
}
