internal import Core
internal import Figures
internal import Push
internal import Run
internal import Transport
internal import Uploads

struct PushEndpointReport {
  private let figures: SenderFigures
  private let look: PushProviderServer.Look

  init(_ look: PushProviderServer.Look, areKeysChecked: Bool) {
    self.look = look
    figures = SenderFigures(look, areKeysChecked: areKeysChecked)
  }

  static func line(_ look: PushProviderServer.Look, newRequests: Int) -> String {
    [
      "requests=\(newRequests)/s", "accepted=\(look.tally.accepted)",
      "refused=\(look.tally.requests - look.tally.accepted)",
      "connections=\(look.server.connections)",
    ].joined(separator: " ")
  }

  var lines: [String] {
    figures.lines
      + [
        "connections \(Figure.grouped(figures.connections)), "
          + "\(Figure.grouped(figures.brokenConnections)) with HTTP errors"
      ] + gateways
  }

  private var gateways: [String] {
    var lines: [String] = []
    if let messaging = look.messaging {
      lines.append(
        "FCM      \(Figure.grouped(messaging.accepted)) messages accepted, "
          + "\(Figure.grouped(messaging.tokens)) access tokens issued, "
          + "\(Figure.grouped(messaging.tokensRefused)) refused")
      lines += messaging.reasons.map { reason, count in
        "  \(reason.status) \(reason.rawValue): \(Figure.grouped(count))"
          + (messaging.examples[reason].map { ", such as \($0)" } ?? "")
      }
      lines += messaging.tokenFaults.sorted { $0.key < $1.key }.map { fault, count in
        "  access token refused, \(fault) \(Figure.grouped(count)) times"
      }
    }
    if let webhook = look.webhook {
      lines.append(
        "webhook  \(Figure.grouped(webhook.accepted)) accepted, "
          + "\(Figure.grouped(webhook.limited)) over the daily limit, "
          + "\(Figure.grouped(webhook.refused)) refused")
    }
    return lines
  }

  private struct Messaging: Encodable {
    var accepted: Int
    var validated: Int
    var tokens: Int
    var tokensRefused: Int
    var tokenFaults: [String: Int]
    var refused: [String: Int]
    var examples: [String: String]

    init(_ tally: MessagingTally) {
      accepted = tally.accepted
      validated = tally.validated
      tokens = tally.tokens
      tokensRefused = tally.tokensRefused
      tokenFaults = tally.tokenFaults
      examples = Dictionary(
        uniqueKeysWithValues: tally.examples.map { ($0.key.rawValue, $0.value) })
      refused = Dictionary(
        uniqueKeysWithValues: tally.reasons.map { ($0.reason.rawValue, $0.count) })
    }
  }

  private struct Webhook: Encodable {
    var accepted: Int
    var limited: Int
    var refused: Int
  }

  private struct Content: Encodable {
    var schema = "flotilla.pushEndpoint/2"
    var requests: Int
    var accepted: Int
    var withheld: Int
    var perSecond: Double
    var busiestSecond: Int
    var refused: [String: Int]
    var answers: [SenderFigures.Answers]
    var kinds: [SenderFigures.Kind]
    var answerTime: RunRecord.Metrics
    var connections: Int
    var broken: Int
    var signaturesChecked: Bool
    var fcm: Messaging?
    var webhook: Webhook?
    var faults: [SenderFigures.Fault]
  }

  var json: String {
    let content = Content(
      requests: figures.requests, accepted: figures.accepted, withheld: figures.withheld,
      perSecond: figures.perSecond, busiestSecond: figures.busiestSecond,
      refused: Dictionary(
        uniqueKeysWithValues: figures.answers.compactMap { row in
          row.reason.map { ($0, row.count) }
        }),
      answers: figures.answers, kinds: figures.kinds, answerTime: figures.answerTime,
      connections: figures.connections, broken: figures.brokenConnections,
      signaturesChecked: figures.signaturesChecked, fcm: look.messaging.map { Messaging($0) },
      webhook: look.webhook.map {
        Webhook(accepted: $0.accepted, limited: $0.limited, refused: $0.refused)
      }, faults: figures.faults)
    // The content has only numbers and strings, so encoding cannot fail.
    return ((try? content.jsonText(isPretty: true)) ?? "") + "\n"
  }
}
