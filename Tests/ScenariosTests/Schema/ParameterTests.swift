internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Model parameters: value, range, source and --set", .quick)
struct ParameterTests {
  /// Every parameter of a scenario without files.
  static let all: [ModelParameter] = {
    do { return try read(smallest).parameters } catch { preconditionFailure("\(error)") }
  }()

  static func parameter(_ path: String, in scenario: Scenario) throws -> ModelParameter {
    try #require(scenario.parameters.first { $0.path == path }, "no figure has the path \(path)")
  }

  @Test("every parameter has a unique path, a source and a range that contains its value")
  func evidence() {
    #expect(Self.all.count >= 180)
    #expect(Set(Self.all.map(\.path)).count == Self.all.count)
    for parameter in Self.all {
      #expect(parameter.source.count > 5, "\(parameter.path) has no source")
      #expect(!parameter.doc.isEmpty)
      #expect(parameter.isPlausible, "\(parameter)")
    }
  }

  @Test("each part of the model has parameters")
  func groups() {
    for part in [
      "profiles.os[ios17].regions.", "profiles.os[ios17].visits.", "profiles.os[ios17].firstFix.",
      "profiles.os[ios17].motion.", "profiles.significantChange[modern].",
      "profiles.energy[modern2022].cellular.", "sensors.satellites.", "sensors.rest.",
      "sensors.reported.", "fleet.phone.nights.", "fleet.phone.windows.", "push.phone.",
      "push.provider.", "network.",
    ] {
      #expect(Self.all.contains { $0.path.hasPrefix(part) }, "nothing under \(part)")
    }
  }

  @Test("--set of each path changes what is read there and nothing else")
  func settable() throws {
    for parameter in Self.all where parameter.low != parameter.high {
      let end = parameter.low == parameter.value ? parameter.high : parameter.low
      let scenario = try read(smallest, settings: ["\(parameter.path)=\(end)"])
      let changed = zip(Self.all, scenario.parameters).filter { $0.0.value != $0.1.value }
      #expect(changed.map(\.1.path) == [parameter.path])
      #expect(changed.map(\.1.value) == [end])
    }
  }

  @Test("both ends of every range are valid values of a scenario")
  func ends() throws {
    for end in [\ModelParameter.low, \.high] {
      // The two permissions cannot both be frequent.
      let varied = Self.all.filter { $0.path != "fleet.phone.whenInUse" }
      let scenario = try read(smallest, settings: varied.map { "\($0.path)=\($0[keyPath: end])" })
      for parameter in scenario.parameters where parameter.path != "fleet.phone.whenInUse" {
        #expect(parameter.value == parameter[keyPath: end], "\(parameter.path)")
      }
    }
  }

  @Test("shipped scenarios and profiles stay within the ranges")
  func shippedFigures() throws {
    for name in shipped.names {
      // A scenario's fleet and its pushes are its own choice.
      for parameter in try shipped.load(name).parameters
      where !["fleet.", "push."].contains(where: parameter.path.hasPrefix) {
        #expect(parameter.isPlausible, "\(name): \(parameter)")
      }
    }
    for os in ["ios7", "ios8", "ios12", "ios15", "ios17", "ios26", "ios27"] {
      for energy in ["modern2022", "legacy2015"] {
        let keys =
          "fleet.cohorts[0]="
          + "{ name: all, share: 1, mobility: homebody, policy: plain, "
          + "os: \(os), energy: \(energy) }"
        let scenario = try read(smallest, settings: [keys], files: shipped.folders)
        for parameter in scenario.parameters {
          #expect(parameter.isPlausible, "\(parameter.path)=\(parameter.value)")
        }
      }
    }
  }

  @Test("a profile that is set by its name changes for every cohort that has it")
  func shared() throws {
    let city = try shipped.load("city", settings: ["profiles.os[ios17].regions.cushion=150m"])
    #expect(city.fleet.cohorts.allSatisfy { $0.os.value.regions.cushion == .meters(150) })
    #expect(city.fleet.cohorts.allSatisfy { $0.os.name == "ios17" })
    let policy = try shipped.load("city", settings: ["policies[hybrid].send.interval=7s"])
    #expect(policy.policies[0].settings.send.interval == .seconds(7))
    #expect(try read(city.text) == city)
  }

  @Test("a profile that no cohort has cannot be set, since it would change nothing")
  func unused() {
    let fault = #expect(throws: ScenarioError.self) {
      try shipped.load("city", settings: ["profiles.os[ios7].regions.cushion=150m"])
    }
    #expect(
      fault?.diagnostics.first?.description.contains(
        "no cohort has the profile 'ios7'; those in use are ios17.") == true)
  }

  @Test("a key below a name changes what has the name, in that place alone")
  func beneath() throws {
    let city = try shipped.load(
      "city",
      settings: [
        "fleet.cohorts[0].os.visits.departureDistance=400m", "sensors.leaps.perHour=0",
        "city.people.work.rush=1.3",
      ])
    #expect(
      city.fleet.cohorts.map(\.os.value.visits.departureDistance.meters) == [400, 300, 300])
    #expect(city.fleet.cohorts.map(\.os.name) == ["ios17*", "ios17", "ios17"])
    #expect(city.sensors.value.leaps.perHourAtRest == 0 && city.sensors.name == "standard*")
    #expect(city.city.people.work.rush == 1.3)
    #expect(try read(city.text) == city)
  }

  @Test(
    "a value out of bounds is refused with the allowed values",
    arguments: [
      (
        "profiles.os[ios17].regions.missed=150%",
        "profiles.os[ios17].regions.missed: '150%' is out of range; write a share from 0% to 100%"
      ),
      ("sensors.satellites.open=3", "sensors.satellites.open: '3' has no unit; write a distance"),
      ("sensors.rest.stillnessMin=100%,", "is not a share"),
      ("fleet.phone.nights.begin=3h", "a duration from 12h to 1d"),
      ("profiles.os[ios17].firstFix.hot={ min: 5s }", "'min' exceeds 'max'"),
      ("sensors.leaps.slot=1min", "'slot' is shorter than 'lastsMax'"),
      ("profiles.os[ios71].watchdog=5s", "unknown OS profile 'ios71'. Did you mean 'ios17'?"),
      ("profiles.os[ios17].regions.chusion=5m", "Did you mean 'cushion'?"),
      ("fleet.cohorts[nobody].share=5%", "no item is named 'nobody'"),
    ])
  func refused(setting: String, part: String) {
    let found = diagnostics(in: smallest, settings: [setting])
    #expect(found.count == 1 && found[0].contains(part), "\(found)")
  }

  @Test("with its sources a scenario still reads back the same")
  func sources() throws {
    let city = try shipped.load("city")
    let text = city.text(withSources: true)
    #expect(try read(text) == city)
    #expect(text.count(where: { $0 == "#" }) >= city.parameters.count)
    #expect(
      text.contains("dwell: 20s  # 10s to 1min, read: Apple, Location Awareness guide"), "\(text)")
    #expect(!city.text.contains("#"))
  }

  @Test("a JSON Schema describes a figure's evidence")
  func schema() {
    let os = ScenarioLibrary.jsonSchema(of: .os)
    #expect(os.contains("Plausible: 50m to 200m, assumed: "))
    #expect(ScenarioLibrary.jsonSchema(of: .sensors).contains("\"acrossTrackBias\""))
  }

  @Test("a cohort's phones differ in nested keys, too, and only differences are shown")
  func ownPhones() throws {
    let scenario = try read(
      smallest,
      settings: ["fleet.cohorts[0].phone={ nights: { begin: 22h }, always: 1, whenInUse: 0 }"])
    let phone = try #require(scenario.fleet.cohorts[0].phone)
    #expect(phone.nights.begin == .hours(22) && phone.nights.end == .hours(6))
    #expect(
      scenario.text.contains(
        "phone:\n        always: 100%\n        whenInUse: 0%\n        nights:\n          begin"))
    #expect(try read(scenario.text) == scenario)
  }
}
