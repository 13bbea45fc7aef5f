internal import Core
internal import Figures
internal import Foundation

/// A panel of the time line, in a report or on the live page.
struct TimePanel {
  enum Axis: String {
    case zero, share
    case powers
  }

  var title: String
  var unit: String
  var columns: [TimelinePlot.Column]
  var axis = Axis.zero
  /// Whether to omit the panel if all of its values are 0.
  var needsValue = false

  static func throughput(unit: String) -> TimePanel {
    TimePanel(
      title: "Throughput", unit: unit,
      columns: [
        .init(key: "offered_per_s", name: "offered", ink: .orange),
        .init(key: "acked_per_s", name: "acknowledged", ink: .blue),
        .init(key: "failed_per_s", name: "failed", ink: .vermilion),
      ])
  }

  static let latency = TimePanel(
    title: "Response time", unit: "response",
    columns: [
      .init(key: "response_p50_us", name: "p50", ink: .blue),
      .init(key: "response_p99_us", name: "p99", ink: .vermilion),
    ], axis: .powers)

  static let inFlight = TimePanel(
    title: "Uploads in flight", unit: "in flight",
    columns: [.init(key: "in_flight", name: "in flight", ink: .blue)])

  static let fresh = TimePanel(
    title: "Fresh phones", unit: "fresh phones",
    columns: [
      .init(key: "fresh_reachable_now", name: "reachable", ink: .blue),
      .init(key: "fresh_moving_now", name: "moving", ink: .vermilion),
      .init(key: "fresh_installed_now", name: "installed", ink: .grey),
    ], axis: .share)

  /// The freshness so far of a run that goes on, in which a silence counts only when it ends.
  static let freshSoFar = TimePanel(
    title: "Fresh phone-time so far", unit: "fresh so far",
    columns: [
      .init(key: "fresh_reachable", name: "reachable", ink: .blue),
      .init(key: "fresh_moving", name: "moving", ink: .vermilion),
      .init(key: "fresh_installed", name: "installed", ink: .grey),
    ], axis: .share)

  static let pushes = TimePanel(
    title: "Silent pushes since the start of the ramp", unit: "pushes in total",
    columns: [
      .init(key: "pushes_requested", name: "requested", ink: .grey),
      .init(key: "pushes_answered", name: "answered", ink: .green),
    ], needsValue: true)

  static let connections = TimePanel(
    title: "Open connections", unit: "connections",
    columns: [.init(key: "connections", name: "open", ink: .blue)])

  /// Returns a note that says what the bands of a time line are; empty without outages.
  static func note(on outages: [StormFigures], _ clock: (Double) -> String) -> HTML {
    guard !outages.isEmpty else { return "" }
    let names: [HTML] = outages.map {
      "\($0.title), \(clock($0.beginsAt)) to \(clock($0.endsAt))"
    }
    return "<p class=\"note\">Shaded: \(names.joined("; ")).</p>\n"
  }

  func scale(_ plot: TimelinePlot) -> Scale {
    switch axis {
    case .zero: .fromZero(to: plot.top(), ticks: 3, text: Figure.quantity)
    case .share: .share
    case .powers:
      .powersOfTen(
        from: max(plot.bottom, 1), to: plot.top(), form: .time, text: { Figure.time($0) })
    }
  }

  /// The panel as data for the script of the live page (`live.js`).
  var json: JSONValue {
    .object([
      "title": .string("\(title) over the time of the run"), "unit": .string(unit),
      "axis": .string(axis.rawValue), "needsValue": .bool(needsValue),
      "series": .array(
        columns.map {
          .object([
            "key": .string($0.key), "name": .string($0.name), "ink": .string("\($0.ink)"),
          ])
        }),
    ])
  }
}
