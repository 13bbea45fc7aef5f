internal import Coordinator
internal import Foundation
internal import Measure
internal import PushEndpoint
internal import Transport

/// What an endpoint for pushes has seen, as lines and as JSON.
struct PushEndpointReport {
  private let look: PushProviderServer.Look
  private let areKeysChecked: Bool

  init(_ look: PushProviderServer.Look, areKeysChecked: Bool) {
    self.look = look
    self.areKeysChecked = areKeysChecked
  }

  /// One line while it serves: `key=value`, always the same keys.
  static func line(_ look: PushProviderServer.Look, newRequests: Int) -> String {
    [
      "requests=\(newRequests)/s", "accepted=\(look.tally.accepted)",
      "refused=\(look.tally.requests - look.tally.accepted)",
      "connections=\(look.server.connections)",
    ].joined(separator: " ")
  }

  var lines: [String] {
    let tally = look.tally
    var lines = [
      "requests \(Figure.grouped(tally.requests)): \(Figure.grouped(tally.accepted)) accepted, "
        + "\(Figure.grouped(tally.requests - tally.accepted)) refused"
    ]
    if tally.withheld > 0 { lines.append("withheld \(Figure.grouped(tally.withheld)) by a draw") }
    for (reason, count) in tally.reasons {
      lines.append("  \(reason.status) \(reason.rawValue): \(Figure.grouped(count))")
    }
    lines.append(
      "connections \(Figure.grouped(Int(look.server.accepted))), of which "
        + "\(Figure.grouped(Int(look.server.broken))) broke HTTP/2")
    if !areKeysChecked { lines.append("signatures were not checked (--auth any)") }
    for fault in tally.faults.all {
      lines.append(
        "wrong    \(fault.fault.rawValue): \(Figure.grouped(fault.count)), such as "
          + fault.example)
      lines.append("         \(fault.fault.advice)")
    }
    return lines
  }

  private struct Content: Encodable {
    struct Fault: Encodable {
      var fault: String
      var count: Int
      var example: String
      var advice: String
    }
    var schema = "flotilla.pushEndpoint/1"
    var requests: Int
    var accepted: Int
    var withheld: Int
    var refused: [String: Int]
    var connections: Int
    var broken: Int
    var signaturesChecked: Bool
    var faults: [Fault]
  }

  var json: String {
    let tally = look.tally
    let content = Content(
      requests: tally.requests, accepted: tally.accepted, withheld: tally.withheld,
      refused: Dictionary(
        uniqueKeysWithValues: tally.reasons.map { ($0.reason.rawValue, $0.count) }),
      connections: Int(look.server.accepted), broken: Int(look.server.broken),
      signaturesChecked: areKeysChecked,
      faults: tally.faults.all.map {
        .init(
          fault: "\($0.fault)", count: $0.count, example: $0.example, advice: $0.fault.advice)
      })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and texts alone: nothing of it can fail to be encoded.
    let data = (try? encoder.encode(content)) ?? Data()
    // swift-format-ignore: JSON is UTF-8.
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
