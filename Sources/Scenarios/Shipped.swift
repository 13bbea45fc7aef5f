internal import CDefaults

/// The profiles that the program has in it: what a scenario, or a profile, leaves out, and what
/// stands behind each figure. Their files in `scenarios` are the only place of either.
enum Shipped {
  static let os = tree(flotilla_defaults_os(), "profiles/os/ios17.yaml")
  static let significantChange = tree(
    flotilla_defaults_significant_change(), "profiles/significant-change/modern.yaml")
  static let energy = tree(flotilla_defaults_energy(), "profiles/energy/modern2022.yaml")
  static let sensors = tree(flotilla_defaults_sensors(), "profiles/sensors/standard.yaml")
  static let people = tree(flotilla_defaults_people(), "people/standard.yaml")
  /// Owners, pushes and networks, as a scenario writes them.
  static let world = tree(flotilla_defaults_world(), "profiles/world.yaml")

  private static func tree(_ text: UnsafePointer<CChar>?, _ path: String) -> YAMLNode {
    var diagnostics: [Diagnostic] = []
    let tree = try? Reading.tree(
      text: text.map { String(cString: $0) } ?? "", from: path, &diagnostics)
    guard let tree = tree ?? nil, diagnostics.isEmpty else {
      preconditionFailure("\(path), which the program has in it, is no YAML: \(diagnostics)")
    }
    return tree
  }

  /// Returns what stands under a key.
  static func part(of tree: YAMLNode, _ key: String) -> YAMLNode {
    guard let part = tree.value(of: key) else {
      preconditionFailure("\(tree.origin), which the program has in it, has no '\(key)'")
    }
    return part
  }

  /// Reads a value that stands under the keys of a tree, each of its parts from there.
  static func value<Value>(
    _ object: ObjectShape<Value>, _ keys: String..., of tree: YAMLNode, into blank: Value
  ) -> Value {
    var reading = Reading()
    let value = object.read(keys.reduce(tree, part), into: blank, &reading)
    guard let value, reading.diagnostics.isEmpty else {
      preconditionFailure("what the program has in it is wrong: \(reading.diagnostics)")
    }
    return value
  }
}

extension Named<OSFile> {
  /// iOS 17.
  static let builtIn = profile(
    ProfileSchema.os, Shipped.os, OSFile(rules: OSProfile(), significantChange: ""))
}

extension Named<SignificantChangeProfile> {
  static let builtIn = profile(
    ProfileSchema.significantChange, Shipped.significantChange, SignificantChangeProfile())
}

extension Named<EnergyProfile> {
  static let builtIn = profile(ProfileSchema.energy, Shipped.energy, EnergyProfile())
}

extension Named<SensorProfile> {
  static let builtIn = profile(ProfileSchema.sensors, Shipped.sensors, SensorProfile())
}

extension Named {
  /// Without the description, which is that of the file.
  fileprivate static func profile(
    _ object: ObjectShape<Self>, _ tree: YAMLNode, _ blank: Value
  ) -> Self {
    var profile = Shipped.value(object, of: tree, into: Named(name: "", value: blank))
    profile.description = ""
    return profile
  }
}

// MARK: Values

extension OSProfile {
  /// iOS 17 with its significant-change service.
  package static let standard = {
    var profile = Named<OSFile>.builtIn.value.rules
    profile.significantChange = .standard
    return profile
  }()
}

extension SignificantChangeProfile {
  /// That of iOS 8 and later.
  package static let standard = Named<SignificantChangeProfile>.builtIn.value
}

extension EnergyProfile {
  /// An iPhone 13.
  package static let standard = Named<EnergyProfile>.builtIn.value
}

extension SensorProfile {
  /// What recorded phones do.
  package static let standard = Named<SensorProfile>.builtIn.value
}

extension PeopleProfile {
  /// The people of a city that names none.
  package static let standard = {
    var people = Shipped.value(PeopleSchema.people, of: Shipped.people, into: PeopleProfile())
    people.description = ""
    return people
  }()
}

extension PhoneMix {
  /// The permissions, habits and conditions of a fleet that says nothing of them.
  package static let standard = Shipped.value(
    CohortSchema.mix, "fleet", "phone", of: Shipped.world, into: PhoneMix())
}

extension PushSettings {
  /// The pushes of a scenario that says nothing of them.
  package static let standard = Shipped.value(
    PushSchema.push, "push", of: Shipped.world, into: PushSettings())
}

extension NetworkModel {
  /// The networks of a scenario that says nothing of them.
  static let standard = Shipped.value(
    ServerSchema.network, "network", of: Shipped.world, into: NetworkModel())
}
