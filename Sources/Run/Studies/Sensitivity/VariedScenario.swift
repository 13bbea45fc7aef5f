package import Capacity
internal import Core
package import Scenarios

/// A scenario with model parameters moved through their ranges. If validation refuses values, the
/// parameters in its message are moved half-way to the scenario's own values until it is valid.
package struct VariedScenario: Sendable {
  package let parameters: [VariedParameter]
  /// The figures and choices of the model that are not varied, each with the reason.
  package let held: [SensitivityRecord.Held]
  private let template: ScenarioTemplate

  /// The number of halvings after which a parameter takes the scenario's own value.
  private static let halvingsMax = 4

  package struct Point: Sendable {
    var places: [Double]
    package var scenario: Scenario
    var moved: [Int] = []
  }

  /// - Parameters:
  ///   - prefixes: the beginnings of the paths to vary; empty for all.
  ///   - isHeld: returns whether a path is excluded even if a prefix includes it.
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
    keys = parameters.map { $0.parameter.path.replacing(/\*\d*\]/, with: "]") }
    self.held = held + Self.choices
  }

  private static func reason(_ parameter: ModelParameter) -> SensitivityRecord.Reason {
    if parameter.low == parameter.high { return .noRange }
    return parameter.isPlausible ? .choice : .outside
  }

  /// The keys of profiles that have no range: words, switches and lists.
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

  /// Returns whether `path` begins with `key`, or ends with a `key` that begins with a point.
  package static func isSet(_ path: String, by key: String) -> Bool {
    if key.hasPrefix(".") { return path.hasSuffix(key) }
    guard path.hasPrefix(key) else { return false }
    return path.dropFirst(key.count).first.map { ".[".contains($0) } ?? true
  }

  var ownPlaces: [Double] {
    [Double](repeating: VariedParameter.ownPlace, count: parameters.count)
  }

  /// The paths of all parameters. The path of an override of a profile is replaced by that of the
  /// profile's own parameter.
  package let keys: [String]

  /// Returns a column per parameter, with the parameter's position in its range at each point.
  ///
  /// - Parameter chosen: Columns by key that replace columns of the hypercube.
  package func columns(points: Int, besides chosen: [String: [Double]] = [:]) -> [[Double]] {
    keys.map { chosen[$0] ?? Self.column(of: $0, points: points) }
  }

  /// Returns the points of a Latin hypercube over the parameters' ranges, a row per point. The
  /// column of a parameter depends only on its path, so scenarios share columns, whatever their
  /// other parameters are.
  ///
  /// - Parameter sets: Matched sets, which replace the columns of their parameters.
  package func points(_ count: Int, of sets: MatchedSets? = nil) -> [[Double]] {
    var chosen: [String: [Double]] = [:]
    if let sets {
      for (key, parameter) in zip(keys, parameters) {
        chosen[key] = chosen[key] ?? parameter.places(of: key, in: sets, points: count)
      }
    }
    let columns = columns(points: count, besides: chosen)
    return (0..<count).map { point in columns.map { $0[point] } }
  }

  /// Returns the column of a key in the hypercube.
  package static func column(of key: String, points: Int) -> [Double] {
    LatinHypercube(
      points: points, dimensions: 1, seed: StableHash(of: key).value, for: .modelHypercube
    ).points.map { $0[0] }
  }

  func scenario(at places: [Double]) throws(ScenarioError) -> Scenario {
    try template.scenario(
      zip(parameters, places).map { ScenarioChange("\($0.parameter.path)=\($0.text(at: $1))") })
  }

  /// Returns the nearest valid scenario and its actual point, in which counts are whole numbers.
  package func point(at wanted: [Double]) -> Point? {
    var places = wanted
    var halvings = [Int](repeating: 0, count: places.count)
    // Each refusal moves a parameter, and each parameter moves a limited number of times.
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
          let own = VariedParameter.ownPlace
          places[i] = halvings[i] > Self.halvingsMax ? own : (places[i] + own) / 2
        }
      }
    }
    return nil
  }

  func written(_ places: [Double]) -> [Double] {
    zip(parameters, places).map { $0.place(of: $0.text(at: $1)) ?? $1 }
  }

  /// Returns the parameters below the path with which an error message begins, or only those of
  /// them that the message quotes.
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

extension VariedParameter {
  /// Returns the parameter's positions in matched sets; nil if the sets lack the parameter.
  package func places(of key: String, in sets: MatchedSets, points: Int) -> [Double]? {
    sets.values(of: key, sets: points)?.map { place(of: $0) ?? Self.ownPlace }
  }
}
