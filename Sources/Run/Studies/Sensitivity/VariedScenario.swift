package import Capacity
internal import Core
package import Scenarios

/// A scenario with model parameters moved through their ranges. When validation refuses values,
/// those named in the message are moved half-way to the scenario's own, until it is valid.
package struct VariedScenario: Sendable {
  package let parameters: [VariedParameter]
  /// The other figures and choices of the model, with the reason for holding them.
  package let held: [SensitivityRecord.Held]
  private let template: ScenarioTemplate

  /// After this many halvings a parameter takes the scenario's own value.
  private static let halvingsMax = 4

  package struct Point: Sendable {
    var places: [Double]
    package var scenario: Scenario
    var moved: [Int] = []
  }

  /// - Parameters:
  ///   - prefixes: of the paths to vary; empty for all.
  ///   - isHeld: whether a path is not varied in any case.
  package init(
    _ scenario: Scenario, library: ScenarioLibrary, only prefixes: [String] = [],
    holding isHeld: (_ path: String) -> Bool = { _ in false }
  ) throws(ScenarioError) {
    template = try ScenarioTemplate(scenario, library: library)
    var parameters: [VariedParameter] = []
    var held: [SensitivityRecord.Held] = []
    for parameter in scenario.parameters {
      let isAsked = prefixes.isEmpty || prefixes.contains(where: parameter.path.hasPrefix)
      if !isAsked || isHeld(parameter.path) {
        held.append(.init(path: parameter.path, reason: .notAsked))
      } else if let varied = VariedParameter(parameter) {
        parameters.append(varied)
      } else {
        held.append(.init(path: parameter.path, reason: Self.reason(parameter)))
      }
    }
    self.parameters = parameters
    self.held = held + Self.choices
  }

  private static func reason(_ parameter: ModelParameter) -> SensitivityRecord.Reason {
    if parameter.low == parameter.high { return .noRange }
    return parameter.isPlausible ? .choice : .outside
  }

  /// The keys of profiles without a range: words, switches and lists.
  private static var choices: [SensitivityRecord.Held] {
    let kinds: [(ScenarioLibrary.SchemaKind, String)] = [
      (.os, "profiles.os[]"), (.significantChange, "profiles.significantChange[]"),
      (.energy, "profiles.energy[]"), (.sensors, "sensors"), (.people, "city.people"),
    ]
    return kinds.flatMap { kind, path in
      ScenarioLibrary.keys(of: kind).filter {
        $0.evidence == nil && !$0.allowed.isEmpty && !["name", "description"].contains($0.path)
      }.map { .init(path: "\(path).\($0.path)", reason: .choice) }
    }
  }

  /// Whether a key of a scenario sets a parameter; one that begins with a point ends the path.
  package static func isSet(_ path: String, by key: String) -> Bool {
    if key.hasPrefix(".") { return path.hasSuffix(key) }
    guard path.hasPrefix(key) else { return false }
    return path.dropFirst(key.count).first.map { ".[".contains($0) } ?? true
  }

  var ownPlaces: [Double] { parameters.map(\.ownPlace) }

  /// The places of all parameters at the points of a Latin hypercube over their ranges, a row a
  /// point. A parameter's column depends on its path only: scenarios share it, and other parameters
  /// come and go without moving it.
  package func hypercube(points: Int) -> [[Double]] {
    let columns = parameters.map { varied in
      // An override of a profile is the same quantity as its base.
      let path = varied.parameter.path.replacing(/\*\d*\]/, with: "]")
      return LatinHypercube(
        points: points, dimensions: 1, seed: StableHash(of: path).value, for: .modelHypercube
      ).points
    }
    return (0..<points).map { point in columns.map { $0[point][0] } }
  }

  func scenario(at places: [Double]) throws(ScenarioError) -> Scenario {
    try template.scenario(
      zip(parameters, places).map { ScenarioChange("\($0.parameter.path)=\($0.text(at: $1))") })
  }

  /// The nearest valid scenario with its actual places: counts are rounded to whole numbers.
  package func point(at wanted: [Double]) -> Point? {
    var places = wanted
    var halvings = [Int](repeating: 0, count: places.count)
    // Each refusal moves a parameter, a limited number of times each.
    for _ in 0...(places.count * (Self.halvingsMax + 1)) {
      do throws(ScenarioError) {
        let scenario = try scenario(at: places)
        let moved = halvings.indices.filter { halvings[$0] > 0 }
        return Point(places: written(places), scenario: scenario, moved: moved)
      } catch {
        let all = Array(places.indices)
        var named = offenders(error).filter { halvings[$0] <= Self.halvingsMax }
        if named.isEmpty { named = all.filter { halvings[$0] <= Self.halvingsMax } }
        guard !named.isEmpty else { return nil }
        for i in named {
          halvings[i] += 1
          let own = parameters[i].ownPlace
          places[i] = halvings[i] > Self.halvingsMax ? own : (places[i] + own) / 2
        }
      }
    }
    return nil
  }

  func written(_ places: [Double]) -> [Double] {
    zip(parameters, places).map { $0.place(of: $0.text(at: $1)) ?? $1 }
  }

  /// The parameters of a message: those that its setting names; otherwise those below its leading
  /// path, some of which it quotes.
  func offenders(_ error: ScenarioError) -> [Int] {
    var found: Set<Int> = []
    for diagnostic in error.diagnostics {
      let place = diagnostic.text.prefix { $0 != ":" }
      let below = parameters.indices.filter { i in
        let path = parameters[i].parameter.path
        guard path.hasPrefix(place) else { return false }
        return path.dropFirst(place.count).first.map { ".[".contains($0) } ?? true
      }
      let quoted = diagnostic.text.split(separator: "'", omittingEmptySubsequences: false)
        .enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      let named = below.filter { i in
        let path = parameters[i].parameter.path
        return quoted.contains { path.hasSuffix(".\($0)") || path.contains(".\($0).") }
      }
      found.formUnion(named.isEmpty ? below : named)
    }
    return found.sorted()
  }
}
