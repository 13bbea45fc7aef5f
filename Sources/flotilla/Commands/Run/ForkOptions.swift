internal import Commands
internal import Core
internal import Foundation
internal import Run
internal import Scenarios

enum ForkOptions {
  static func check(_ options: SimulateOptions) throws {
    func refuse(_ message: String) throws -> Never {
      throw CommandError(exit: .usage, message: message)
    }
    if options.from == nil, options.run.scenario.names.isEmpty {
      throw UsageError.missingArgument("SCENARIO", of: "flotilla simulate")
    }
    if options.checkpoint != nil, options.at == nil {
      try refuse("--checkpoint requires --at TIME, such as 12:00, or 45min after the start.")
    }
    if options.at != nil, options.checkpoint == nil {
      try refuse("--at requires --checkpoint FILE.")
    }
    let word = options.from != nil ? "--from" : options.checkpoint != nil ? "--checkpoint" : nil
    guard let word else { return }
    try CommandError.refuse([
      "--sweep": !options.sweep.isEmpty, "--compare": options.compare != nil,
      "--inputs": options.inputs != nil,
    ]) { "\(word) cannot be combined with \($0); remove one." }
  }

  static func fork(_ path: String, _ run: RunOptions) throws -> (fork: Fork, scenario: Scenario) {
    let library = run.scenario.library
    let fork: Fork
    do throws(LifeFileError) {
      fork = try Fork(path, program: RunCache.program, from: library)
    } catch {
      throw refusal(path, error)
    }
    if let name = run.scenario.names.first {
      let given = try library.load(name).name
      guard given == fork.before.name else {
        throw CommandError(
          exit: .badInput,
          message: "--from \(path): a checkpoint of '\(fork.before.name)', not of '\(given)'; "
            + "remove the scenario.")
      }
    }
    return (fork, try fork.scenario(with: run.scenario.settings, from: library))
  }

  static func life(_ fork: Fork, _ plan: RunPlan) throws -> ForkedLife {
    do throws(LifeFileError) { return try fork.life(plan) } catch {
      throw refusal(fork.path, error)
    }
  }

  private static func refusal(_ path: String, _ error: LifeFileError) -> CommandError {
    let reason =
      switch error {
      case .foreign(let why): "the run cannot continue from this file (\(why))"
      case .unreadable, .damaged, .unwritable: error.description
      }
    return CommandError(exit: .badInput, message: "--from \(path): \(reason).")
  }

  /// Returns nil without a checkpoint.
  static func instant(
    _ options: SimulateOptions, _ scenario: Scenario, after fork: Fork?
  ) throws -> SimInstant? {
    guard let text = options.at else { return nil }
    let begin = fork?.instant ?? scenario.start
    guard
      let instant = ArgumentText.time(text).map({ scenario.start + $0 })
        ?? ArgumentText.instant(text, in: scenario), begin < instant, instant < scenario.measureEnd
    else {
      throw CommandError(
        exit: .usage,
        message: "--at \(text): give a time of day between "
          + "\(ArgumentText.text(begin, in: scenario)) and "
          + "\(ArgumentText.text(scenario.measureEnd, in: scenario)), such as 12:00, or an "
          + "offset from the start, such as 45min.")
    }
    return instant
  }

  static func checkpoint(
    _ options: SimulateOptions, at instant: SimInstant, _ plan: RunPlan
  ) throws -> Checkpoint? {
    guard let path = options.checkpoint else { return nil }
    guard !RunCache.program.isEmpty else {
      throw CommandError(
        exit: .cannotListenOrWrite,
        message: "--checkpoint \(path): the program cannot read its own file, which identifies the "
          + "build of a checkpoint.")
    }
    do throws(LifeFileError) {
      return try Checkpoint(path, at: instant, of: plan, program: RunCache.program)
    } catch {
      throw CommandError(
        exit: .cannotListenOrWrite, message: "--checkpoint \(path): \(error); name another file.")
    }
  }

  static func conclude(
    _ options: SimulateOptions, _ instant: SimInstant, _ outcome: RunOutcome, _ exit: ExitCode,
    _ console: Console
  ) throws -> ExitCode {
    switch outcome.checkpoint {
    case .kept(let sentence)?:
      if !options.run.isQuiet, options.run.interface != .json { console.line(sentence) }
      return exit
    case .failed(let sentence)?:
      throw CommandError(exit: .cannotListenOrWrite, message: sentence)
    case nil:
      console.printError("No checkpoint was written: the run was stopped before --at.")
      return exit
    }
  }

  /// Returns a text such as "8 h after a warm start of 24 h".
  static func span(_ scenario: Scenario, after fork: Fork?) -> String {
    guard let fork else {
      return "\(Figure.plain(scenario.duration.seconds / 3_600)) h after a warm start of "
        + "\(Figure.plain(scenario.warmStart.seconds / 3_600)) h"
    }
    return "\(Figure.plain((scenario.measureEnd - fork.instant).seconds / 3_600)) h from "
      + "\(ArgumentText.text(fork.instant, in: scenario)) on"
  }
}
