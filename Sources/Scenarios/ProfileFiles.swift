// Reads profiles by name, for callers that need no whole scenario.

extension ScenarioLibrary {
  package func osProfile(_ name: String) throws(ScenarioError) -> Named<OSProfile> {
    let file = try item(name, Kind.os)
    var rules = file.value.rules
    rules.significantChange =
      try significantChangeProfile(file.value.significantChange).value
    return Named(name: file.name, description: file.description, value: rules)
  }

  package func significantChangeProfile(
    _ name: String
  ) throws(ScenarioError) -> Named<SignificantChangeProfile> {
    try item(name, .significantChange)
  }

  package func energyProfile(_ name: String) throws(ScenarioError) -> Named<EnergyProfile> {
    try item(name, .energy)
  }

  package func sensorProfile(_ name: String) throws(ScenarioError) -> Named<SensorProfile> {
    try item(name, .sensors)
  }

  private func item<Item>(_ name: String, _ kind: Kind<Item>) throws(ScenarioError) -> Item {
    var reading = Reading(library: FileLibrary(folders: folders))
    let index = reading.index(of: name, kind, at: .whole(name))
    guard let index, reading.diagnostics.isEmpty else { throw ScenarioError(reading.diagnostics) }
    return reading[keyPath: kind.list][index]
  }
}
