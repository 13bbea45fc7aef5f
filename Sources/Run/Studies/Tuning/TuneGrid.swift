internal import Figures
package import Scenarios

/// The candidates of a search: every combination of values, each with its scenario.
package struct TuneGrid: Sendable {
  package static let candidatesMax = 1_000

  package let axes: [SweepAxis]
  package let asWritten: Scenario
  package let candidates: [(values: [String], scenario: Scenario)]
  package let refused: Int

  /// Reads the axes and every candidate's scenario before anything runs.
  /// - Parameter texts: one per `--vary`. A key that begins with `policy.` sets the only policy.
  package init(
    _ texts: [String], _ scenario: Scenario, from library: ScenarioLibrary
  ) throws(SweepError) {
    let policy = scenario.policies[0].name
    let read = SweepGrid.axes(
      texts.map { text in
        text.hasPrefix("policy.") ? "policies[\(policy)].\(text.dropFirst(7))" : text
      })
    let axes = read.axes
    var diagnostics = read.faults.map(Self.words)
    let combinations = axes.reduce(1.0) { $0 * Double($1.values.count) }
    if combinations > Double(Self.candidatesMax) {
      diagnostics.append(
        "--vary: \(Int(min(combinations, 1e9))) candidates, the maximum is \(Self.candidatesMax); "
          + "give a range fewer values.")
    }
    guard diagnostics.isEmpty else {
      throw SweepError(diagnostics: diagnostics, isInScenario: false)
    }
    let template: ScenarioTemplate
    do throws(ScenarioError) {
      template = try ScenarioTemplate(scenario, library: library)
    } catch {
      throw SweepError(diagnostics: error.diagnostics.map(\.description), isInScenario: true)
    }
    let grid = SweepGrid(axes)
    var candidates: [(values: [String], scenario: Scenario)] = []
    var refusals: [(place: Int, ScenarioError)] = []
    for place in 0..<grid.count {
      do throws(ScenarioError) {
        let changes = grid.settings(of: place).map { ScenarioChange($0) }
        candidates.append((grid.values(of: place), try template.scenario(changes)))
      } catch {
        refusals.append((place, error))
      }
    }
    let hopeless = Self.hopeless(grid, refusals, policy)
    guard hopeless.isEmpty else { throw SweepError(diagnostics: hopeless, isInScenario: true) }
    self.axes = axes
    self.candidates = candidates
    asWritten = scenario
    refused = refusals.count
  }

  private static func words(_ sentence: String) -> String {
    sentence.replacing("--sweep", with: "--vary").replacing("--set", with: "--vary")
      .replacing(", or use --vary", with: ", or use --set")
  }

  /// Returns a sentence for each value that the scenario refuses in every combination.
  private static func hopeless(
    _ grid: SweepGrid, _ refusals: [(place: Int, ScenarioError)], _ policy: String
  ) -> [String] {
    var errors: [[Int]: [ScenarioError]] = [:]
    for (place, error) in refusals {
      for (axis, value) in grid.places(of: place).enumerated() {
        errors[[axis, value], default: []].append(error)
      }
    }
    var reported: Set<String> = []
    var sentences: [String] = []
    for (number, axis) in grid.axes.enumerated() {
      let all = grid.count / axis.values.count
      var values: [String: [String]] = [:]
      var order: [String] = []
      for (place, value) in axis.values.enumerated() {
        guard let found = errors[[number, place]], found.count == all,
          let text = reason(found[0], of: "\(axis.key)=\(value)")
        else { continue }
        if values[text] == nil { order.append(text) }
        values[text, default: []].append(value)
      }
      let front = "policies[\(policy)]."
      let key =
        axis.key.hasPrefix(front) ? "policy.\(axis.key.dropFirst(front.count))" : axis.key
      for text in order where reported.insert(text).inserted {
        let refused = values[text] ?? []
        let which = refused.count == axis.values.count ? "" : "=\(refused.joined(separator: ","))"
        sentences.append("--vary \(key)\(which): \(words(text))")
      }
    }
    return sentences
  }

  /// Returns why a setting is refused, alone or because of the scenario itself; nil if only another
  /// setting is at fault.
  private static func reason(_ error: ScenarioError, of setting: String) -> String? {
    let own = error.diagnostics.first { $0.origin == .setting(setting) }
    let shared = error.diagnostics.first { diagnostic in
      if case .setting = diagnostic.origin { return false }
      return true
    }
    return (own ?? shared)?.text
  }
}
