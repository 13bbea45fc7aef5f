internal import Core
internal import Foundation

package enum DemandText {
  package enum Format: String, CaseIterable, Sendable {
    case csv
    case ndjson
    /// One line per upload, with milliseconds and URI, for `h2load --timing-script-file`.
    case h2load
  }

  package static let uri = "http://127.0.0.1:8080/upload"

  /// - Parameter write: Takes a piece of text, and returns false to stop.
  package static func write(
    _ recorder: DemandRecorder, _ format: Format, factor: Double, arrivals: ArrivalSeries,
    to write: (String) -> Bool
  ) {
    switch format {
    case .csv:
      guard write(header(recorder)) else { return }
      for second in 0..<recorder.seconds {
        let views = recorder.views.map { $0.perSecond[second] }
        guard write(row(recorder[second], second, factor, views)) else { return }
      }
    case .ndjson:
      for second in 0..<recorder.seconds {
        let views = recorder.views.map { ",\"\($0.name)\":\(Figure.plain($0.perSecond[second]))" }
        guard write(object(recorder[second], second, factor, recorder.policies, views ?? ""))
        else { return }
      }
    case .h2load:
      for place in 0..<arrivals.count {
        let milliseconds = Figure.plain(arrivals.second(place) * 1_000)
        guard write("\(milliseconds)\t\(uri)\n") else { return }
      }
    }
  }

  package static func header(_ recorder: DemandRecorder) -> String {
    let policies = recorder.policies.map { field("batches_\($0)") }
    let views = recorder.views.map { [$0.name] } ?? []
    return (["second", "batches"] + policies + ["bytes", "connections", "pushes"] + views)
      .joined(separator: ",") + "\n"
  }

  private static func field(_ text: String) -> String {
    String(text.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : "_" })
  }

  private static func row(
    _ second: DemandRecorder.Second, _ number: Int, _ factor: Double, _ views: Double?
  ) -> String {
    let numbers =
      [Double(second.batches.reduce(0, +))] + second.batches.map(Double.init)
      + [second.bytes, second.connections, Double(second.pushes)]
    let all = numbers.map { $0 * factor } + (views.map { [$0] } ?? [])
    return "\(number)," + all.map(Figure.plain).joined(separator: ",") + "\n"
  }

  private static func object(
    _ second: DemandRecorder.Second, _ number: Int, _ factor: Double, _ policies: [String],
    _ views: String
  ) -> String {
    func text(_ value: Double) -> String { Figure.plain(value * factor) }
    let named = zip(policies, second.batches).map { name, count in
      "\"\(field(name))\":\(text(Double(count)))"
    }
    return """
      {"second":\(number),"batches":\(text(Double(second.batches.reduce(0, +)))),\
      "policies":{\(named.joined(separator: ","))},"bytes":\(text(second.bytes)),\
      "connections":\(text(second.connections)),"pushes":\(text(Double(second.pushes)))\(views)}

      """
  }
}
