/// Says what a fleet would ask of a backend of its user's own, without anything being sent.
package struct TargetDemand: Equatable, Sendable, Codable {
  /// Is a count over the whole time, as rates.
  package struct Rates: Equatable, Sendable, Codable {
    /// Is the mean a second.
    package var mean = 0.0
    /// Is the mean a second in the busiest minute.
    package var busiestMinute = 0.0
    /// Makes the rates of nothing.
    package init() {}
  }

  /// Is the target's name.
  package var name: String
  /// Counts requests with fixes.
  package var requests = Rates()
  /// Counts registrations.
  package var registrations = Rates()
  /// Counts connections that are begun.
  package var connections = Rates()
  /// Counts TLS handshakes with certificates; zeros in the clear.
  package var handshakesFull = Rates()
  /// Counts TLS handshakes that go on from an earlier session.
  package var handshakesResumed = Rates()
  /// Counts bytes of requests, heads included, and of what connections of HTTP/2 and MQTT begin
  /// with, without TLS and TCP.
  package var bytes = Rates()
  /// Is the mean size of a request with its head, in bytes.
  package var bytesPerRequest = 0.0

  /// Makes the demand of a fleet that asks for nothing.
  package init(name: String) { self.name = name }

  /// Says it in lines of a terminal.
  package var lines: [String] {
    func text(_ rates: Rates) -> String {
      "\(Figure.quantity(rates.mean))/s (\(Figure.quantity(rates.busiestMinute)))"
    }
    var parts = ["\(text(connections)) connections"]
    if handshakesFull.mean + handshakesResumed.mean > 0 {
      parts.append("\(text(handshakesFull)) full TLS handshakes")
      parts.append("\(text(handshakesResumed)) resumed ones")
    }
    if registrations.mean > 0 { parts.append("\(text(registrations)) registrations") }
    let size = Figure.bytes(Int(bytesPerRequest.rounded()))
    let rate = Figure.bytes(Int(bytes.mean.rounded()))
    let busiest = Figure.bytes(Int(bytes.busiestMinute.rounded()))
    return [
      "\(name): \(text(requests)) requests of \(size), \(rate)/s (\(busiest)/s)",
      "         \(parts.joined(separator: ", ")); in brackets the busiest minute",
    ]
  }
}
