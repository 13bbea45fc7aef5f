internal import Figures
package import Scenarios

/// All combinations of the axes' values; the last axis changes fastest.
package struct SweepGrid: Equatable, Sendable {
  package let axes: [SweepAxis]

  package init(_ axes: [SweepAxis]) { self.axes = axes }

  package var count: Int { axes.reduce(1) { $0 * $1.values.count } }

  package func places(of point: Int) -> [Int] {
    var rest = point
    return axes.reversed().map { axis in
      defer { rest /= axis.values.count }
      return rest % axis.values.count
    }.reversed()
  }

  package func values(of point: Int) -> [String] {
    zip(axes, places(of: point)).map { $0.values[$1] }
  }

  /// Returns `KEY=VALUE` for each axis, as `--set` takes them.
  package func settings(of point: Int) -> [String] {
    zip(axes, values(of: point)).map { "\($0.key)=\($1)" }
  }

  /// Returns the groups of points that differ only in push settings and share a run without pushes.
  func groups() -> [[Int]] {
    var members: [[String]: [Int]] = [:]
    var order: [[String]] = []
    for point in 0..<count {
      let name = zip(axes, values(of: point)).map { $0.isOfPushes ? "" : $1 }
      if members[name] == nil { order.append(name) }
      members[name, default: []].append(point)
    }
    return order.compactMap { members[$0] }
  }
}

extension SweepAxis {
  var isOfPushes: Bool { key == "push" || key.hasPrefix("push.") }
}

/// Why a sweep cannot begin, with all errors at once.
package struct SweepError: Error, Equatable, Sendable, CustomStringConvertible {
  package let diagnostics: [String]
  /// Whether a scenario refused an axis's value; false if an axis itself is invalid.
  package let isInScenario: Bool

  package var description: String { diagnostics.joined(separator: "\n") }
}

extension SweepGrid {
  static func axes(_ texts: [String]) -> (axes: [SweepAxis], faults: [String]) {
    var axes: [SweepAxis] = []
    var faults: [String] = []
    for text in texts {
      do throws(SweepAxisError) {
        let axis = try SweepAxis(text)
        if axes.contains(where: { $0.key == axis.key }) { throw .sameKey(axis.key) }
        axes.append(axis)
      } catch {
        faults.append(error.description)
      }
    }
    return (axes, faults)
  }

  /// Reads the axes and every point's scenario, in grid order, before anything runs.
  package static func load(
    _ texts: [String], name: String, settings: [ScenarioChange], from library: ScenarioLibrary
  ) throws(SweepError) -> (SweepGrid, [Scenario]) {
    let read = axes(texts)
    var diagnostics = read.faults
    let grid = SweepGrid(read.axes)
    // The product itself is not computed, since a hundred axes would overflow it.
    let points = read.axes.reduce(1.0) { $0 * Double($1.values.count) }
    guard points <= Double(SweepAxis.pointsMax) else {
      let count = points < 1e9 ? Int(points) : Int(1e9)
      diagnostics.append(SweepAxisError.tooManyPoints(count).description)
      throw SweepError(diagnostics: diagnostics, isInScenario: false)
    }
    var refused = Refusals(grid: grid)
    var scenarios: [Scenario] = []
    for point in 0..<grid.count {
      do throws(ScenarioError) {
        let changes = settings + grid.settings(of: point).map { ScenarioChange($0) }
        scenarios.append(try library.load(name, settings: changes))
      } catch {
        refused.add(error, at: point)
      }
    }
    diagnostics += refused.sentences
    guard diagnostics.isEmpty else {
      throw SweepError(diagnostics: diagnostics, isInScenario: !refused.isEmpty)
    }
    return (grid, scenarios)
  }
}

private struct Refusals {
  let grid: SweepGrid
  private var order: [Diagnostic] = []
  private var points: [Diagnostic: [Int]] = [:]

  init(grid: SweepGrid) { self.grid = grid }

  var isEmpty: Bool { order.isEmpty }

  mutating func add(_ fault: ScenarioError, at point: Int) {
    for diagnostic in fault.diagnostics {
      if points[diagnostic] == nil { order.append(diagnostic) }
      points[diagnostic, default: []].append(point)
    }
  }

  var sentences: [String] {
    var reported: Set<String> = []
    return order.compactMap { diagnostic in
      let sentence = sentence(diagnostic)
      return reported.insert(sentence).inserted ? sentence : nil
    }
  }

  private func sentence(_ diagnostic: Diagnostic) -> String {
    if case .setting(let text) = diagnostic.origin, let axis = axis(of: text) {
      // An error in a key occurs for all values of the key, so it is reported once.
      let same = order.filter { other in
        guard case .setting(let value) = other.origin else { return false }
        return other.text == diagnostic.text && axis.isSetting(value)
      }
      return "--sweep \(same.count == axis.values.count ? axis.key : text): \(diagnostic.text)"
    }
    let at = points[diagnostic] ?? []
    guard let first = at.first, at.count < grid.count else { return diagnostic.description }
    let more = at.count > 1 ? ", and at \(at.count - 1) more points" : ""
    return "\(diagnostic) (at \(grid.settings(of: first).joined(separator: ", "))\(more))"
  }

  private func axis(of setting: String) -> SweepAxis? {
    grid.axes.first { $0.isSetting(setting) }
  }
}

extension SweepAxis {
  fileprivate func isSetting(_ text: String) -> Bool {
    values.contains { "\(key)=\($0)" == text }
  }
}
