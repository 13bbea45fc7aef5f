/// The share of a fleet's iPhones that becomes Android phones, with the same people.
struct AndroidMix: Equatable, Sendable {
  /// The share of each cohort's iPhones, 0 ... 1.
  var share = 0.0
  /// The OS profiles and their shares of the Android phones, which sum to 1.
  var os: [TableEntry<Double>]
  /// The index of all Android phones' policy; nil for that of each cohort's `androidPolicy`.
  var policy: Int?

  /// The makers of phones shipped to Europe in 2025 (Omdia, February 2026).
  static var standard: AndroidMix {
    let shares = [("android14-samsung", 0.48), ("android14-xiaomi", 0.22), ("android14", 0.3)]
    return AndroidMix(
      os: shares.map { TableEntry(name: $0.0, origin: .whole("fleet.android"), value: $0.1) })
  }
}

extension Shape<AndroidMix?> {
  /// A share of iPhones, or a map that also names the OS profiles.
  static var androidMix: Shape {
    let object = AndroidMix.object
    return .optional(
      Shape<AndroidMix>(
        allowed: "\(Shape<Double>.share.allowed), or \(object.allowed)", keys: object.keys,
        form: .either([Shape<Double>.share.form, object.form]),
        read: { node, reading in
          var mix = AndroidMix.standard
          if case .map = node.content { return object.read(node, into: mix, &reading) }
          guard let share = Shape<Double>.share.read(node, &reading) else { return nil }
          mix.share = share
          return mix
        },
        show: { object.show($0, $1) }))
  }
}

extension AndroidMix {
  static var object: ObjectShape<AndroidMix> {
    ObjectShape(
      fields: [
        Field("share", \.share, .share, required: true, "Share of each cohort's iPhones."),
        Field(
          "os", \.os, .table(of: .share, "OS profiles", most: FleetSchema.cohortsMax),
          "OS profiles of the Android phones with their shares, which sum to 100%."),
        Field(
          "policy", \.policy,
          .optional(Kind.policy.reference { index, scenario in scenario.policies[index].name }),
          "Policy of all these phones; none: the 'androidPolicy' of each cohort's policy."),
      ],
      check: { mix, origin, reading in
        for entry in mix.os {
          guard let index = reading.index(of: entry.name, .os, at: entry.origin) else { continue }
          guard !reading.osProfiles[index].value.rules.system.isAndroid else { continue }
          reading.diagnose(
            entry.origin,
            "'\(entry.name)' is not a profile of Android; write one such as android14.")
        }
        let sum = mix.os.reduce(0) { $0 + $1.value }
        if abs(sum - 1) > 1e-6 {
          reading.diagnose(
            origin,
            "the shares of 'os' sum to \(Quantity.number((sum * 1e4).rounded() / 100))%; they must "
              + "sum to 100%.")
        }
      })
  }
}

extension Scenario {
  /// Splits each cohort of iPhones by `fleet.android`. The Android phones follow the iPhones of
  /// their cohort, so that each iPhone left has the number, and thus the life, that it would have
  /// without the key. Faults and rollouts of a cohort concern all its parts.
  mutating func splitCohorts(at origin: Origin, _ reading: inout Reading) {
    guard let mix = fleet.android else { return }
    fleet.android = nil
    let whole = fleet.cohorts
    guard whole.contains(where: { !$0.os.value.system.isAndroid }) else {
      return reading.diagnose(origin, "fleet.android: no cohort has iPhones; remove the key.")
    }
    guard mix.share > 0 else { return }
    fleet.cohorts = []
    var parts: [[Int]] = []
    for cohort in whole {
      let first = fleet.cohorts.count
      fleet.cohorts +=
        cohort.os.value.system.isAndroid ? [cohort] : mix.parts(of: cohort, at: origin, &reading)
      parts.append(Array(first..<fleet.cohorts.count))
    }
    for index in faults.indices {
      faults[index].cohorts = faults[index].cohorts?.flatMap { parts[$0] }
    }
    rollouts = rollouts.flatMap { split($0, mix, whole, parts, at: origin, &reading) }
    checkSplit(at: origin, &reading)
  }

  private func checkSplit(at origin: Origin, _ reading: inout Reading) {
    let names = fleet.cohorts.map(\.name)
    if names.count > FleetSchema.cohortsMax || rollouts.count > FleetSchema.rolloutsMax {
      reading.diagnose(
        origin,
        "fleet.android: makes \(names.count) cohorts and \(rollouts.count) rollouts; at most "
          + "\(FleetSchema.cohortsMax) and \(FleetSchema.rolloutsMax) are possible, so name fewer "
          + "OS profiles.")
    }
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      reading.diagnose(
        origin, "fleet.android: makes a second cohort named '\(twice)'; rename the other.")
    }
  }

  /// Returns a rollout, and after it those of its policy's Android counterpart.
  private func split(
    _ rollout: Rollout, _ mix: AndroidMix, _ whole: [Cohort], _ parts: [[Int]],
    at origin: Origin, _ reading: inout Reading
  ) -> [Rollout] {
    let policy = mix.policy ?? reading.androidPolicy(of: rollout.policy, at: origin)
    var rollouts = [rollout]
    rollouts[0].cohort = rollout.cohort.flatMap { parts[$0].first }
    guard rollout.cohort != nil || policy != rollout.policy else { return rollouts }
    for (number, cohort) in whole.enumerated() where (rollout.cohort ?? number) == number {
      guard !cohort.os.value.system.isAndroid else { continue }
      for part in parts[number] where fleet.cohorts[part].os.value.system.isAndroid {
        rollouts.append(
          Rollout(at: rollout.at, policy: policy, cohort: part, share: rollout.share))
      }
    }
    return rollouts
  }

  /// Gives a policy to all cohorts, and its Android counterpart to those of Android phones.
  mutating func setPolicy(_ index: Int, at origin: Origin, _ reading: inout Reading) {
    policies = [reading.policies[index]]
    let android = reading.androidPolicy(of: index, at: origin)
    for cohort in fleet.cohorts.indices {
      fleet.cohorts[cohort].policy = 0
      guard android != index, fleet.cohorts[cohort].os.value.system.isAndroid else { continue }
      if policies.count == 1 { policies.append(reading.policies[android]) }
      fleet.cohorts[cohort].policy = 1
    }
  }
}

extension AndroidMix {
  /// Returns the iPhones that are left of a cohort, and its Android phones by OS profile.
  fileprivate func parts(
    of cohort: Cohort, at origin: Origin, _ reading: inout Reading
  ) -> [Cohort] {
    guard cohort.share > 0 else { return [cohort] }
    var parts = [cohort]
    parts[0].share = Self.rounded(cohort.share * (1 - share))
    for entry in os where entry.value > 0 {
      guard let os = reading.index(of: entry.name, .os, at: origin).map({ reading.osProfiles[$0] }),
        let service = reading.index(of: os.value.significantChange, .significantChange, at: origin),
        let energy = reading.index(of: "android2022", .energy, at: origin)
      else { continue }
      var part = cohort
      part.name = "\(cohort.name)-\(entry.name)"
      part.share = Self.rounded(cohort.share * share * entry.value)
      part.policy = policy ?? reading.androidPolicy(of: cohort.policy, at: origin)
      part.os = Named(name: os.name, description: os.description, value: os.value.rules)
      part.significantChange = reading.significantChangeProfiles[service]
      part.os.value.significantChange = part.significantChange.value
      part.energy = reading.energyProfiles[energy]
      parts.append(part)
    }
    return parts.filter { $0.share > 0 }
  }

  /// Removes the last digits, in which a product of decimals is wrong.
  private static func rounded(_ share: Double) -> Double { (share * 1e12).rounded() / 1e12 }
}

extension Reading {
  /// Returns the index of the policy that Android phones have in place of the policy `index`.
  fileprivate mutating func androidPolicy(of index: Int, at origin: Origin) -> Int {
    guard let name = policies[index].androidPolicy else { return index }
    return self.index(of: name, .policy, at: origin) ?? index
  }
}
