internal import Commands
internal import Core
internal import Figures
internal import Run
internal import Scenarios
internal import Synchronization

enum CompareCommand {
  static func run(
    _ list: String, _ options: SimulateOptions, _ console: Console
  ) throws -> ExitCode {
    if options.inputs != nil {
      throw CommandError(
        exit: .usage,
        message: "--inputs replays a run with its own policies; remove --inputs or --compare.")
    }
    let entries = try self.entries(
      ScenarioOptions.names(list, of: "--compare"), list, options.run, console)
    let ensembles = try RunSupport.ensembles(
      options.ensemble, entries.map(\.plan), options.run)
    let plan = entries[0].plan
    let names = entries.map(\.name).joined(separator: ", ")
    let announcement = """
      Would simulate \(Figure.grouped(plan.scenario.fleet.phones)) phones for \
      \(Figure.plain(plan.scenario.duration.seconds / 3_600)) h after a warm start of \
      \(Figure.plain(plan.scenario.warmStart.seconds / 3_600)) h, once with each of \(names), \
      with \(plan.threads) threads\(ensembles.first.map { ", then each with \($0.words)" } ?? "").
      """
    let failure = Mutex<RunFolderError?>(nil)
    return try StudyCommand(file: Studies.comparison, options: options.run, console: console).run(
      plan, announcement: options.run.isDryRun ? [announcement] : [], first: "policy",
      study: { folder in
        // Each policy has a folder with the files that `simulate` writes.
        Comparison(entries, ensembles: ensembles) { name, outcome in
          do throws(RunFolderError) { try RunFolder(folder.path(name)).write(outcome) } catch {
            failure.withLock { $0 = $0 ?? error }
          }
        }
      },
      end: { record, _ in
        var end = StudyCommand.End(
          record.policies.map(\.verdict), of: entries.count, "policies; these are compared",
          isPaired: record.isPaired, record.policies.first?.ensemble,
          of: ensembles.first?.sets ?? 0)
        end.files = {
          if let error = failure.withLock({ $0 }) { throw error }
          return [:]
        }
        return end
      })
  }

  private static func entries(
    _ names: [String], _ list: String, _ options: RunOptions, _ console: Console
  ) throws -> [Comparison.Entry] {
    try names.map { name in
      let scenario =
        name == Comparison.asWritten
        ? try options.scenario.load()
        : try options.scenario.load(policy: name, origin: "--compare \(list)")
      return Comparison.Entry(name: name, plan: RunSupport.plan(options, scenario, console))
    }
  }
}
