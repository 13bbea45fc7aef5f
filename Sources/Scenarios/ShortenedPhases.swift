package import Core

/// The ramp and drain that were shortened to fit a duration from the command line.
package struct ShortenedPhases: Equatable, Sendable {
  package let written: Scenario.Phases
  package let used: Scenario.Phases
  package let duration: SimDuration

  package var sentence: String {
    let ramp = (Self.text(written.ramp), Self.text(used.ramp))
    let drain = (Self.text(written.drain), Self.text(used.drain))
    let change =
      if written.drain == .zero {
        "ramp \(ramp.0) shortened to \(ramp.1)"
      } else if used.ramp == used.drain {
        "ramp \(ramp.0) and drain \(drain.0) shortened to \(ramp.1) each"
      } else {
        "ramp \(ramp.0) shortened to \(ramp.1) and drain \(drain.0) to \(drain.1)"
      }
    return "\(change), since --duration is \(Self.text(duration))"
  }

  private static func text(_ time: SimDuration) -> String {
    let text = Quantity.text(Double(time.microseconds), Quantity.times)
    let digits = text.prefix { !$0.isLetter }
    return "\(digits) \(text.dropFirst(digits.count))"
  }
}

/// Fits ramp and drain into a duration from the command line. If the ramp would leave less than a
/// quarter of the duration to measure, the ramp becomes a quarter of the duration, and the drain
/// shrinks in proportion. A ramp from the command line is kept.
struct PhaseFit {
  private static let measuredLeast = 0.25
  private static let rampUsed: Int64 = 4

  private let duration: Origin?
  private let ramp: Origin?

  init(_ root: YAMLNode) {
    duration = root.value(of: "duration")?.origin
    ramp = root.value(of: "phases")?.value(of: "ramp")?.origin
  }

  private var rampYields: Bool {
    guard case .option = duration else { return false }
    return switch ramp {
    case .setting, .option: false
    case .file, .whole, nil: true
    }
  }

  /// Returns the origin to report if the ramp leaves nothing to measure and must not be shortened.
  /// An origin on the command line wins over one in a file, and the ramp's over the duration's.
  func contradiction(in scenario: Scenario, at whole: Origin) -> Origin? {
    guard scenario.duration <= scenario.phases.ramp, !rampYields else { return nil }
    return [ramp, duration].compactMap(\.self).first(where: \.isOfCommandLine)
      ?? ramp ?? duration ?? whole
  }

  func shorten(_ scenario: inout Scenario) {
    let measured = (scenario.duration - scenario.phases.ramp).seconds
    guard rampYields, measured < Self.measuredLeast * scenario.duration.seconds else { return }
    let written = scenario.phases
    let ramp = SimDuration(microseconds: scenario.duration.microseconds / Self.rampUsed)
    let proportion = ramp.seconds / written.ramp.seconds
    // The drain is rounded to milliseconds, since it is printed and recorded.
    let drain = (written.drain.seconds * proportion * 1_000).rounded()
    scenario.phases = Scenario.Phases(ramp: ramp, drain: .milliseconds(Int64(drain)))
    scenario.shortened = ShortenedPhases(
      written: written, used: scenario.phases, duration: scenario.duration)
  }
}

extension Origin {
  fileprivate var isOfCommandLine: Bool {
    switch self {
    case .setting, .option: true
    case .file, .whole: false
    }
  }
}
