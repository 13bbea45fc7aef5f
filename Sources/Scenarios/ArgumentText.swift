package import Core

/// Reads and writes command-line words in the notation of scenario files.
package enum ArgumentText {
  /// Returns the duration written as `30s`, `1.5min` or `2h`; nil for any other text.
  package static func time(_ text: String) -> SimDuration? {
    guard let written = WrittenQuantity(text), written.kind == .time, abs(written.value) < 1e15
    else { return nil }
    return .microseconds(Int64(written.value.rounded()))
  }

  /// Returns the distance written as `50m` or `1.5km`; nil for any other text.
  package static func distance(_ text: String) -> Distance? {
    guard let written = WrittenQuantity(text), written.kind == .distance else { return nil }
    return .meters(written.value)
  }

  /// Returns the instant of a local date and time such as `2026-03-02T12:00`, or the first
  /// occurrence of a time of day at or after the scenario's start; nil for any other text.
  package static func instant(_ text: String, in scenario: Scenario) -> SimInstant? {
    CivilText.instantAfterStart(text, scenario.clock, start: scenario.start)
  }

  package static func text(_ time: SimDuration) -> String {
    Quantity.text(Double(time.microseconds), Quantity.times)
  }

  package static func text(_ instant: SimInstant, in scenario: Scenario) -> String {
    CivilText.text(instant, scenario.clock)
  }
}
