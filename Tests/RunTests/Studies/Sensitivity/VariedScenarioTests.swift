internal import Capacity
internal import Core
internal import TestSupport
internal import Testing

@testable internal import Run
@testable internal import Scenarios

@Suite("A scenario with varied model parameters", .quick)
struct VariedScenarioTests {
  static func city(_ settings: [ScenarioChange] = []) throws -> Scenario {
    try ComparisonTests.library.load("city", settings: settings)
  }

  static func varied(
    only prefixes: [String] = [], _ settings: [ScenarioChange] = []
  ) throws -> VariedScenario {
    try VariedScenario(city(settings), library: ComparisonTests.library, only: prefixes)
  }

  private static func place(_ path: String, in varied: VariedScenario) throws -> Int {
    try #require(varied.parameters.firstIndex { $0.parameter.path == path }, "no \(path)")
  }

  @Test("at the original values it is the scenario itself, overrides of single cohorts too")
  func itself() throws {
    let settings: [ScenarioChange] = [
      "fleet.cohorts[0].os.regions.cushion=150m", "seed=7", "duration=2h",
    ]
    let scenario = try Self.city(settings)
    let template = try ScenarioTemplate(scenario, library: ComparisonTests.library)
    #expect(try template.scenario() == scenario)
    let varied = try Self.varied(settings)
    let moved = try Self.place("profiles.os[ios17*].regions.cushion", in: varied)
    var places = varied.ownPlaces
    places[moved] = 1
    let other = try varied.scenario(at: places)
    #expect(other.fleet.cohorts[0].os.value.regions.cushion.meters == 200)
    #expect(other.fleet.cohorts[1].os.value.regions.cushion.meters == 100)
    #expect(other.seed == 7)
  }

  @Test("every figure of the model is varied or held with a reason")
  func counted() throws {
    let varied = try Self.varied()
    let scenario = try Self.city()
    let figures = Set(scenario.parameters.map(\.path))
    let known = Set(varied.parameters.map(\.parameter.path) + varied.held.map(\.path))
    #expect(figures.isSubset(of: known))
    #expect(varied.parameters.count > 150)
    let reasons = Dictionary(grouping: varied.held, by: \.reason).mapValues(\.count)
    #expect((reasons[.choice] ?? 0) > 5, "switches of an operating system are choices")
    #expect(reasons[.notAsked] == nil)
    #expect(varied.held.contains { $0.path == "profiles.os[].pauseTrap" && $0.reason == .choice })
    // Policies are the app's own choice and no parameter of the model.
    #expect(!known.contains { $0.hasPrefix("policies") })
  }

  @Test("a scenario's value outside its range is kept")
  func outside() throws {
    let varied = try Self.varied(["fleet.phone.forceQuit=60%"])
    #expect(varied.held.contains { $0.path == "fleet.phone.forceQuit" && $0.reason == .outside })
    #expect(!varied.parameters.contains { $0.parameter.path == "fleet.phone.forceQuit" })
  }

  @Test("only the requested parameters are varied")
  func only() throws {
    let varied = try Self.varied(only: ["profiles.energy", "push.phone"])
    #expect(!varied.parameters.isEmpty)
    for parameter in varied.parameters {
      let path = parameter.parameter.path
      #expect(path.hasPrefix("profiles.energy") || path.hasPrefix("push.phone"))
    }
    #expect(varied.held.contains { $0.reason == .notAsked })
  }

  @Test("a refused point is clipped: the parameters at fault move to the scenario's own values")
  func clipped() throws {
    let varied = try Self.varied(only: ["fleet.phone.always", "fleet.phone.whenInUse"])
    // 60 % and 55 % are more than all phones.
    let point = try #require(varied.point(at: [1, 1]))
    #expect(point.moved == [0, 1])
    #expect(point.scenario.fleet.phone.always + point.scenario.fleet.phone.whenInUse <= 1 + 1e-9)
    #expect(point.places[0] < 1 && point.places[1] < 1)
    // Half of the way, no further than needed: 52.5 % and 47.5 %.
    #expect(point.scenario.fleet.phone.always == 0.525)
    let valid = try #require(varied.point(at: [0, 0]))
    #expect(valid.moved.isEmpty && valid.places == [0, 0])
  }

  @Test("a message names the parameters at fault, and no others are moved")
  func offenders() throws {
    let varied = try Self.varied()
    let always = try Self.place("fleet.phone.always", in: varied)
    let whenInUse = try Self.place("fleet.phone.whenInUse", in: varied)
    var places = varied.ownPlaces
    places[always] = 1
    places[whenInUse] = 1
    do throws(ScenarioError) {
      _ = try varied.scenario(at: places)
      Issue.record("60 % and 55 % are more than all phones")
    } catch {
      #expect(varied.offenders(error) == [always, whenInUse].sorted())
    }
  }

  @Test("any corner of the ranges has a valid scenario near it", arguments: 0..<6)
  func corners(seed: UInt64) throws {
    let varied = try Self.varied()
    let design = MorrisDesign(stars: 1, dimensions: varied.parameters.count, seed: seed)
    let point = try #require(varied.point(at: design.bases[0]))
    // Parameters not at fault keep their values, except for rounding of counts.
    for (i, parameter) in varied.parameters.enumerated()
    where !point.moved.contains(i) && !parameter.parameter.isWhole {
      let wanted = parameter.text(at: design.bases[0][i])
      #expect(parameter.text(at: point.places[i]) == wanted, "\(parameter.parameter.path)")
    }
    #expect(point.moved.count < varied.parameters.count / 4)
  }

  @Test("a step moves one parameter and leaves the others at the base point")
  func step() throws {
    let varied = try Self.varied(only: ["fleet.phone."])
    let base = try #require(varied.point(at: varied.ownPlaces)).places
    var blocked = 0
    for parameter in base.indices {
      guard let point = varied.step(from: base, along: parameter) else {
        blocked += 1
        continue
      }
      let others = base.indices.filter { $0 != parameter }
      #expect(others.allSatisfy { abs(point.places[$0] - base[$0]) < 1e-6 })
      #expect(point.places[parameter] != base[parameter])
    }
    #expect(blocked == 0)
  }

  @Test("a step that a scenario refuses is shortened")
  func shortened() throws {
    let varied = try Self.varied(only: ["fleet.phone.always", "fleet.phone.whenInUse"])
    // 20 % and 55 %: from there 'always' may rise to 45 %, not by two thirds of its range to 46.7.
    let base = try #require(varied.point(at: [0, 1]))
    #expect(base.moved.isEmpty)
    let point = try #require(varied.step(from: base.places, along: 0))
    #expect(point.moved == [0])
    #expect(abs(point.places[0] - 1 / 3.0) < 1e-6)
    #expect(point.scenario.fleet.phone.whenInUse == 0.55)
  }
}
