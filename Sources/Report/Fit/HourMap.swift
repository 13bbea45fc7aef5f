internal import Core

/// The fixes by hour and weekday, of a log and its simulation, as a shaded table.
struct HourMap {
  let log: [Double]
  /// The fixes of the simulation; empty without a simulation.
  let simulated: [Double]

  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  private var sides: [(name: String, hours: [Double])] {
    [("log", log), ("sim.", simulated)].filter { !$0.1.isEmpty }
  }

  private var shown: [Int] {
    (0..<7).filter { day in
      sides.contains { side in (0..<24).contains { side.hours[day * 24 + $0] > 0 } }
    }
  }

  /// Returns a shade, 0 … 4, by the square root of the value, so that a peak leaves others visible.
  static func step(_ value: Double, of most: Double) -> Int {
    guard most > 0, value > 0 else { return 0 }
    let share = (value / most).squareRoot() * Double(SweepMap.steps)
    return min(SweepMap.steps - 1, Int(share))
  }

  var html: HTML {
    let shares = sides.map { side in
      let whole = max(1, side.hours.reduce(0, +))
      return side.hours.map { $0 / whole * 1_000 }
    }
    let most = shares.flatMap(\.self).max() ?? 0
    let days: [HTML] = shown.map {
      "<th scope=\"colgroup\" colspan=\"\(sides.count)\">\(Self.days[$0])</th>"
    }
    let heads: [HTML] = shown.flatMap { _ in
      sides.map { "<th scope=\"col\">\($0.name)</th>" as HTML }
    }
    let body: [HTML] = (0..<24).map { hour in
      let cells: [HTML] = shown.flatMap { day in
        shares.map { cell($0[day * 24 + hour], most) }
      }
      return "<tr><th scope=\"row\">\(hour) h</th>\(cells)</tr>\n"
    }
    return """
      <div class="scroll"><table class="heat hours"><thead>
      <tr><td></td>\(days)</tr>
      <tr><th scope="col">from</th>\(heads)</tr></thead>
      <tbody>
      \(body)</tbody></table></div>

      """
  }

  private func cell(_ value: Double, _ most: Double) -> HTML {
    guard value > 0 else { return "<td class=\"none\">·</td>" }
    let text =
      value >= 10 ? Figure.plain(value.rounded()) : Figure.plain((value * 10).rounded() / 10)
    return "<td class=\"heat\(Self.step(value, of: most))\">\(text)</td>"
  }

  static let rules = """
    table.hours td, table.hours th { padding: 1px 3px; min-width: 2.2rem; font-size: 0.8rem; }
    table.hours tbody th { white-space: nowrap; }
    """
}
