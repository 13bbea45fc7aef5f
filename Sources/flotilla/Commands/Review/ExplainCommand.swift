internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios

enum ExplainCommand {
  static var command: Command { ExplainOptions.command(run) }

  private static func run(_ options: ExplainOptions, _ console: Console) throws -> ExitCode {
    guard let text = options.phone else {
      throw UsageError.missingArgument("--phone ID", of: "flotilla explain")
    }
    var runOptions = RunOptions()
    runOptions.scenario = options.scenario
    var plan = RunSupport.plan(runOptions, try scenario(options.scenario), console)
    let last = plan.scenario.fleet.phones - 1
    guard let number = UInt32(text), Int(number) <= last else {
      throw UsageError.badValue(option: "--phone", value: text, wanted: "a phone from 0 to \(last)")
    }
    let phone = PhoneID(rawValue: number)
    let asked = try options.ask.map { try instant($0, in: plan.scenario) }
    if let asked {
      plan.requests = [SilentPush(onRequest: phone, at: asked, within: options.deadline)]
    }
    let interruption = Interruption(console)
    let story = PhoneStory(
      plan, phone: phone, progress: { _ in },
      shouldStop: { interruption.isRequested })
    let lines =
      if let asked {
        story.requestLines(at: asked, within: options.deadline)
      } else {
        options.whySilent ? story.silenceLines(count: 5) : story.lines
      }
    for line in lines { console.line(line) }
    if let html = options.html {
      try write(phonePage(story.sample, midnight: story.midnight, .installed), to: html)
    }
    return story.wasStopped ? .interrupted : .pass
  }

  private static func instant(_ text: String, in scenario: Scenario) throws -> SimInstant {
    let first = ArgumentText.text(scenario.start, in: scenario)
    let end = ArgumentText.text(scenario.measureEnd, in: scenario)
    guard let instant = ArgumentText.instant(text, in: scenario), instant >= scenario.start,
      instant < scenario.measureEnd
    else {
      throw UsageError.badValue(
        option: "--ask", value: text,
        wanted: "a time of day such as 12:00, or a date and time, from \(first) and before \(end)")
    }
    return instant
  }

  /// Returns the scenario of this name, or the scenario of a run's folder.
  private static func scenario(_ options: ScenarioOptions) throws -> Scenario {
    let folder = URL(fileURLWithPath: options.name)
    let file = folder.appendingPathComponent("run.json")
    guard FileManager.default.fileExists(atPath: file.path) else { return try options.load() }
    let record = try RunRecord.read(from: file)
    if let log = record.scenario.log {
      throw CommandError(
        exit: .badInput,
        message: "\(file.path): its phones sent the uploads of \(log.joined(separator: ", ")), and "
          + "were not simulated; the report's map shows their days.")
    }
    return try options.library.load(
      text: record.scenario.text, from: file.path, settings: options.settings)
  }

  private static func write(_ page: String, to path: String) throws {
    do throws(FileOutput.WriteError) { try FileOutput.write(page, to: path) } catch {
      throw CommandError(
        exit: .cannotListenOrWrite, message: "\(error); choose another --html.")
    }
  }
}
