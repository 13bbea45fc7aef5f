/// A tornado chart: each bar reaches from a parameter's least to its greatest effect.
package struct Tornado: Equatable, Sendable {
  package struct Row: Equatable, Sendable {
    package let name: String
    package let least: Double
    package let most: Double
  }

  package let rows: [Row]
  package let reach: Double

  package init(_ effects: [(name: String, least: Double, most: Double)]) {
    rows = effects.map { Row(name: $0.name, least: min(0, $0.least), most: max(0, $0.most)) }
    reach = rows.map { max(-$0.least, $0.most) }.max() ?? 0
  }

  /// Returns the bar as text: `half` characters on each side, and at least one for a nonzero side.
  package func bar(_ row: Row, half: Int) -> String {
    func length(_ value: Double) -> Int {
      guard reach > 0, value > 0 else { return 0 }
      return max(1, Int((value / reach * Double(half)).rounded()))
    }
    let (left, right) = (length(-row.least), length(row.most))
    return String(repeating: " ", count: half - left) + String(repeating: "▆", count: left) + "│"
      + String(repeating: "▆", count: right) + String(repeating: " ", count: half - right)
  }
}
