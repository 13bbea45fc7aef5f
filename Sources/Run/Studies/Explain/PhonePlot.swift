internal import Core
internal import Fleet
internal import Foundation
internal import Phone
internal import Scenarios

/// Draws true position and fixes of a phone as a self-contained SVG for light and dark displays.
extension PhoneStory {
  private struct Mark {
    var place: PlanePoint
    var accuracy: Double
    var isKept: Bool
  }

  private static let width = 900.0
  private static let margin = 40.0
  private static let samplesMax = 400

  package var plot: String {
    let projection = context.fixMaker(of: phone, cohort: cohort).projection
    var ways: [[PlanePoint]] = []
    var marks: [Mark] = []
    for (_, what) in entries {
      switch what {
      case .truth(let segment, wifi: _): ways.append(sampled(segment))
      case .fix(let fix, _, offMeters: _, isKept: let isKept):
        marks.append(
          Mark(
            place: projection.point(of: fix.coordinate), accuracy: Double(fix.accuracyMeters),
            isKept: isKept))
      case .edge, .process, .authorized, .crashed, .delivered, .command, .outbox, .pushRequested,
        .pushEnded, .stored, .cause, .live, .region, .consent:
        break
      }
    }
    return Self.svg(title, ways, marks)
  }

  private var title: String {
    let from = ClockText.text(begin, scenario.clock).dropLast(3)
    let to = ClockText.text(end, scenario.clock).dropLast(3)
    return "Phone \(phone.rawValue) of \(scenario.name), \(from) to \(to)"
  }

  private func sampled(_ segment: Segment) -> [PlanePoint] {
    let from = max(segment.start, begin)
    let to = min(segment.end, end)
    guard from < to else { return [] }
    guard segment.isMoving else { return [segment.position(at: from), segment.position(at: to)] }
    let count = min(Self.samplesMax, max(2, Int((to - from).seconds / 5)))
    let step = (to - from).microseconds / Int64(count)
    return (0...count).map { segment.position(at: from + .microseconds(step * Int64($0))) }
  }

  private static func svg(_ title: String, _ ways: [[PlanePoint]], _ marks: [Mark]) -> String {
    let all = ways.joined().map { $0 } + marks.filter(\.isKept).map(\.place)
    let low = PlanePoint(x: all.map(\.x).min() ?? 0, y: all.map(\.y).min() ?? 0)
    let high = PlanePoint(x: all.map(\.x).max() ?? 0, y: all.map(\.y).max() ?? 0)
    // A phone that never moves still gets a map the size of a street.
    let span = max(high.x - low.x, high.y - low.y, 200)
    let scale = (width - 2 * margin) / span
    let height = max(160, (high.y - low.y) * scale + 2 * margin)
    func at(_ p: PlanePoint) -> String {
      number(margin + (p.x - low.x) * scale) + " " + number(height - margin - (p.y - low.y) * scale)
    }
    func circle(_ mark: Mark, _ radius: Double, _ name: String) -> String {
      let place = at(mark.place).split(separator: " ")
      let r = number(radius)
      return "<circle class=\"\(name)\" cx=\"\(place[0])\" cy=\"\(place[1])\" r=\"\(r)\"/>\n"
    }
    var svg = head(title, height: height + 60)
    for mark in marks where mark.isKept { svg += circle(mark, mark.accuracy * scale, "accuracy") }
    for way in ways where way.count > 1 {
      svg += "<path class=\"truth\" d=\"M\(way.map(at).joined(separator: " L"))\"/>\n"
    }
    for mark in marks where !mark.isKept { svg += circle(mark, 1.5, "dropped") }
    for mark in marks where mark.isKept { svg += circle(mark, 3, "kept") }
    return svg + legend(height: height, scale: scale) + "</svg>\n"
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private static func head(_ title: String, height: Double) -> String {
    let escaped = title.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" \
      role="img" font-family="system-ui, sans-serif" font-size="14">
      <title>\(escaped)</title>
      <style>
      svg { background: #fff } text { fill: #222 }
      .truth { fill: none; stroke: #0072b2; stroke-width: 2; stroke-linejoin: round }
      .kept { fill: #d55e00 } .dropped { fill: #999 }
      .accuracy { fill: #d55e00; fill-opacity: .08; stroke: none }
      .scale { stroke: #222; stroke-width: 2 }
      @media (prefers-color-scheme: dark) {
        svg { background: #111 } text { fill: #ddd } .scale { stroke: #ddd }
        .truth { stroke: #56b4e9 } .kept, .accuracy { fill: #e69f00 } .dropped { fill: #777 }
      }
      </style>
      <text x="\(number(margin))" y="24" font-weight="600">\(escaped)</text>

      """
  }

  private static func legend(height: Double, scale: Double) -> String {
    let y = number(height + 30)
    let line = number(height + 25)
    // The longest round distance that takes at most a quarter of the width.
    let lengths = [50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000.0]
    let bar = lengths.last { $0 * scale <= width / 4 } ?? 50
    let label = bar < 1_000 ? "\(Int(bar)) m" : "\(Int(bar / 1_000)) km"
    let right = width - margin
    return """
      <path class="truth" d="M40 \(line) h30"/><text x="78" y="\(y)">truth</text>
      <circle class="kept" cx="150" cy="\(line)" r="4"/><text x="162" y="\(y)">\
      fix kept, with its accuracy</text>
      <circle class="dropped" cx="370" cy="\(line)" r="3"/><text x="382" y="\(y)">\
      fix dropped</text>
      <path class="scale" d="M\(number(right - bar * scale)) \(line) H\(number(right))"/>
      <text x="\(number(right - bar * scale - 8))" y="\(y)" text-anchor="end">\(label)</text>

      """
  }
}
