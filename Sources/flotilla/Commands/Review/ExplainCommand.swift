internal import Measure
internal import Coordinator
internal import Foundation
internal import Scenarios
internal import Telemetry

/// `flotilla explain`: one phone's day as a readable timeline.
enum ExplainCommand {
  static var command: Command { ExplainOptions.command(run) }

  private static func run(_ options: ExplainOptions, _ console: Console) throws -> ExitCode {
    guard let text = options.phone else {
      throw UsageError.missingArgument("--phone ID", of: "flotilla explain")
    }
    var runOptions = RunOptions()
    runOptions.scenario = options.scenario
    runOptions.threads = options.threads
    let plan = try RunSupport.plan(runOptions)
    let last = plan.scenario.fleet.phones - 1
    guard let number = UInt32(text), Int(number) <= last else {
      throw UsageError.badValue(option: "--phone", value: text, wanted: "a phone from 0 to \(last)")
    }
    let interruption = Interruption(console)
    let story = PhoneStory(
      plan, phone: PhoneID(rawValue: number), progress: { _ in },
      shouldStop: { interruption.isRequested })
    for line in options.whySilent ? story.silenceLines(count: 5) : story.lines {
      console.line(line)
    }
    if let plot = options.plot { try write(story.plot, to: plot) }
    return story.wasStopped ? .interrupted : .pass
  }

  private static func write(_ svg: String, to path: String) throws {
    do { try Data(svg.utf8).write(to: URL(fileURLWithPath: path)) } catch {
      throw CommandError(
        exit: .cannotListenOrWrite,
        message:
          "\(path): cannot be written (\(FileErrorText.reason(error))); choose another --plot.")
    }
  }
}
