internal import Core

/// A fleet's demand on the user's own backend, computed without sending anything.
package struct TargetDemand: Equatable, Sendable, Codable {
  package struct Rates: Equatable, Sendable, Codable {
    package var mean = 0.0
    /// The mean rate per second in the busiest minute.
    package var busiestMinute = 0.0
    package init() {}
  }

  package var name: String
  package var requests = Rates()
  package var registrations = Rates()
  /// The requests with events, which are in no other figure but connections and bytes; absent
  /// without events.
  package var events: Rates?
  package var connections = Rates()
  /// TLS handshakes with certificates; zeros without TLS.
  package var handshakesFull = Rates()
  package var handshakesResumed = Rates()
  /// The bytes of requests with heads, and of the preambles of HTTP/2 and MQTT connections, without
  /// those of TLS and TCP.
  package var bytes = Rates()
  /// The mean size of a request with its head, in bytes.
  package var bytesPerRequest = 0.0
  /// The reads of viewers, which are in no other figure; absent without viewers.
  package var views: Rates?
  /// Whether `views` are messages to viewers; absent for reads.
  package var areViewsMessages: Bool?

  package init(name: String) { self.name = name }

  package var lines: [String] {
    func text(_ rates: Rates) -> String {
      "\(Figure.quantity(rates.mean))/s (\(Figure.quantity(rates.busiestMinute)))"
    }
    var parts = ["\(text(connections)) connections"]
    if handshakesFull.mean + handshakesResumed.mean > 0 {
      parts.append("\(text(handshakesFull)) full TLS handshakes")
      parts.append("\(text(handshakesResumed)) resumed")
    }
    if let views {
      parts.append(
        "\(text(views)) \(areViewsMessages == true ? "messages to" : "reads by") viewers")
    }
    if let events { parts.append("\(text(events)) events") }
    if registrations.mean > 0 { parts.append("\(text(registrations)) registrations") }
    let size = Figure.bytes(bytesPerRequest)
    let rate = Figure.bytes(bytes.mean)
    let busiest = Figure.bytes(bytes.busiestMinute)
    return [
      "\(name): \(text(requests)) requests of \(size), \(rate)/s (\(busiest)/s)",
      "         \(parts.joined(separator: ", ")); in parentheses: busiest minute",
    ]
  }
}
