internal import CDefaults

/// The built-in profiles with the evidence of each figure, compiled from the shipped files.
enum Shipped {
  static let os = tree(flotilla_defaults_os(), "profiles/os/ios17.yaml")
  static let android = tree(flotilla_defaults_android(), "profiles/os/android14.yaml")
  static let significantChange = tree(
    flotilla_defaults_significant_change(), "profiles/significant-change/modern.yaml")
  static let energy = tree(flotilla_defaults_energy(), "profiles/energy/modern2022.yaml")
  static let androidEnergy = tree(
    flotilla_defaults_android_energy(), "profiles/energy/android2022.yaml")
  static let androidEnergy2017 = tree(
    flotilla_defaults_android_energy_2017(), "profiles/energy/android2017.yaml")
  static let sensors = tree(flotilla_defaults_sensors(), "profiles/sensors/standard.yaml")
  static let people = tree(flotilla_defaults_people(), "people/standard.yaml")
  /// The settings of owners, pushes and networks, in the notation of a scenario.
  static let world = tree(flotilla_defaults_world(), "profiles/world.yaml")

  private static func tree(_ text: UnsafePointer<CChar>?, _ path: String) -> YAMLNode {
    var diagnostics: [Diagnostic] = []
    let tree = try? Reading.tree(
      text: text.map { String(cString: $0) } ?? "", from: path, &diagnostics)
    guard let tree = tree ?? nil, diagnostics.isEmpty else {
      preconditionFailure("\(path), which is built in, is not YAML: \(diagnostics)")
    }
    return tree
  }

  static func part(of tree: YAMLNode, _ key: String) -> YAMLNode {
    guard let part = tree.value(of: key) else {
      preconditionFailure("\(tree.origin), which is built in, has no '\(key)'")
    }
    return part
  }

  static func value<Value>(
    _ object: ObjectShape<Value>, _ keys: String..., of tree: YAMLNode, into blank: Value
  ) -> Value {
    var reading = Reading()
    let value = object.read(keys.reduce(tree, part), into: blank, &reading)
    guard let value, reading.diagnostics.isEmpty else {
      preconditionFailure("the built-in files are invalid: \(reading.diagnostics)")
    }
    return value
  }
}

extension Named<OSFile> {
  static let builtIn = profile(
    ProfileSchema.os, Shipped.os, OSFile(rules: OSProfile(), significantChange: ""))
}

extension AndroidRules {
  /// The rules of the profile `android14`, from which other profiles differ.
  package static let standard = Shipped.value(
    shape, "android", of: Shipped.android, into: AndroidRules())
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
  package static let standard = {
    var profile = Named<OSFile>.builtIn.value.rules
    profile.significantChange = .standard
    return profile
  }()
}

extension SignificantChangeProfile {
  package static let standard = Named<SignificantChangeProfile>.builtIn.value
}

extension EnergyProfile {
  package static let standard = Named<EnergyProfile>.builtIn.value
}

extension SensorProfile {
  package static let standard = Named<SensorProfile>.builtIn.value
}

extension PeopleProfile {
  package static let standard = {
    var people = Shipped.value(PeopleSchema.people, of: Shipped.people, into: PeopleProfile())
    people.description = ""
    return people
  }()
}

extension PhoneMix {
  package static let standard = Shipped.value(
    CohortSchema.mix, "fleet", "phone", of: Shipped.world, into: PhoneMix())
}

extension PushSettings {
  package static let standard = Shipped.value(
    PushSchema.push, "push", of: Shipped.world, into: PushSettings())
}

extension NetworkModel {
  static let standard = Shipped.value(
    ServerSchema.network, "network", of: Shipped.world, into: NetworkModel())
}
