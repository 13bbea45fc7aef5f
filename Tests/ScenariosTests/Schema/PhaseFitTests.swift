internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

/// `--duration` sets the length of a run, not its phases.
@Suite("Phases and --duration", .quick)
struct PhaseFitTests {
  private static let phased =
    smallest + "duration: 1h\nphases: { ramp: 5min, drain: 10min }\n"

  private static func asked(_ duration: String) -> ScenarioChange {
    ScenarioChange("duration=\(duration)", option: "--duration \(duration)")
  }

  @Test("a duration shorter than the ramp makes ramp and drain shrink in proportion")
  func shrinks() throws {
    let scenario = try read(Self.phased, changes: [Self.asked("2min")])
    #expect(scenario.duration == .minutes(2))
    #expect(scenario.phases == .init(ramp: .seconds(30), drain: .minutes(1)))
    #expect(
      scenario.shortened?.sentence
        == "ramp 5 min shortened to 30 s and drain 10 min to 1 min, since --duration is 2 min")
  }

  @Test(
    "messages about the phases",
    arguments: [
      (
        "{ ramp: 5min, drain: 5min }", "2min",
        "ramp 5 min and drain 5 min shortened to 30 s each, since --duration is 2 min"
      ),
      (
        "{ ramp: 1h, drain: 0s }", "30min",
        "ramp 1 h shortened to 450 s, since --duration is 30 min"
      ),
      (
        "{ ramp: 5min, drain: 1min }", "1s",
        "ramp 5 min shortened to 250 ms and drain 1 min to 50 ms, since --duration is 1 s"
      ),
    ])
  func sentence(phases: String, duration: String, expected: String) throws {
    let text = smallest + "duration: 10h\nphases: \(phases)\n"
    #expect(try read(text, changes: [Self.asked(duration)]).shortened?.sentence == expected)
  }

  @Test(
    "at least a quarter of the duration is measured; a ramp that leaves it is kept",
    arguments: [("5min", true), ("6min", true), ("6666ms", true), ("400s", false), ("1h", false)])
  func threshold(duration: String, isShortened: Bool) throws {
    let scenario = try read(Self.phased, changes: [Self.asked(duration)])
    #expect((scenario.shortened != nil) == isShortened)
    #expect((scenario.phases.ramp == .minutes(5)) == !isShortened)
    let measured = (scenario.duration - scenario.phases.ramp).seconds
    #expect(measured >= 0.25 * scenario.duration.seconds)
  }

  @Test("a scenario with shortened phases shows as text with them and reads back")
  func text() throws {
    let scenario = try read(Self.phased, changes: [Self.asked("2min")])
    let again = try read(scenario.text)
    #expect(again.phases == scenario.phases && again.hash == scenario.hash)
    #expect(scenario.remarks.contains { $0.contains("since --duration is 2 min") })
  }

  @Test("a contradictory scenario fails at its own line, whatever else it says")
  func file() {
    let found = diagnostics(in: smallest + "duration: 5min\nphases: { ramp: 5min }\n")
    #expect(found.count == 1 && found[0].hasPrefix("test.yaml:8:17: 'phases.ramp' leaves"))
    let byDefault = diagnostics(in: smallest + "duration: 1s\n")
    #expect(byDefault.count == 1 && byDefault[0].hasPrefix("test.yaml:7:11: "), "\(byDefault)")
  }

  @Test(
    "values of --set are not adjusted, and their mistakes are at the --set",
    arguments: [
      (["duration=2min"], nil, "--set duration=2min: "),
      (["phases.ramp=1h"], nil, "--set phases.ramp=1h: "),
      (["phases={ ramp: 2h }"], "90min", "--set phases={ ramp: 2h }: "),
      (["phases.ramp=3min"], "2min", "--set phases.ramp=3min: "),
      (["phases.ramp=3min", "duration=2min"], nil, "--set phases.ramp=3min: "),
    ] as [([String], String?, String)])
  func settings(_ settings: [String], duration: String?, expected: String) {
    let changes = duration.map { [Self.asked($0)] } ?? []
    var found: [String] = []
    do throws(ScenarioError) {
      _ = try read(Self.phased, settings: settings, changes: changes)
    } catch { found = error.diagnostics.map(\.description) }
    #expect(found.count == 1 && found.first?.hasPrefix(expected) == true, "\(found)")
    #expect(found.first?.contains("leaves nothing of 'duration' to measure") == true)
  }

  @Test("an option's own mistake is at that option")
  func option() {
    var found: [String] = []
    do throws(ScenarioError) {
      _ = try read(Self.phased, changes: [Self.asked("10mins")])
    } catch { found = error.diagnostics.map(\.description) }
    #expect(found.count == 1 && found[0].hasPrefix("--duration 10mins: duration: "), "\(found)")
  }
}
