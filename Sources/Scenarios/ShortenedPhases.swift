package import SimulationCore

/// Ramp and drain of a scenario that an option's duration left no time for.
package struct ShortenedPhases: Equatable, Sendable {
  /// As the scenario has them.
  package let written: Scenario.Phases
  /// As they are used.
  package let used: Scenario.Phases
  /// Is the duration that the option asked for, in scenario time.
  package let duration: SimDuration

  /// "ramp 5 min and drain 5 min shortened to 30 s each, since --duration is 2 min".
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

  /// As a sentence has it: `90 s`, `1.5 h`.
  private static func text(_ time: SimDuration) -> String {
    let text = Quantity.text(Double(time.microseconds), Quantity.times)
    let digits = text.prefix { !$0.isLetter }
    return "\(digits) \(text.dropFirst(digits.count))"
  }
}

/// Makes ramp and drain fit into a duration that an option asks for.
///
/// `--duration` says how long to run, not how to part that time. Where the scenario's ramp would
/// leave less than a quarter of it to measure, the ramp becomes a quarter of it, and the drain
/// shrinks in the same proportion. A ramp that the command line asks for, too, is kept as it is,
/// and contradicts a duration that is no longer; so do a ramp and a duration of one file.
struct PhaseFit {
  /// Of the duration.
  private static let measuredLeast = 0.25
  private static let rampUsed: Int64 = 4

  /// Where the two were written; nil: nowhere, it is the default.
  private let duration: Origin?
  private let ramp: Origin?

  /// - Parameter root: the scenario's tree with the changes of the command line in it.
  init(_ root: YAMLNode) {
    duration = root.value(of: "duration")?.origin
    ramp = root.value(of: "phases")?.value(of: "ramp")?.origin
  }

  /// Whether the option is to blame, and the scenario's own ramp the one that yields.
  private var rampYields: Bool {
    guard case .option = duration else { return false }
    return switch ramp {
    case .setting, .option: false
    case .file, .whole, nil: true
    }
  }

  /// The place to blame when nothing is left to measure and nothing may yield; nil: all is well.
  ///
  /// The command line is blamed before the file that it changes, and of a file the ramp.
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
    // To the millisecond: a drain is told and written down.
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
