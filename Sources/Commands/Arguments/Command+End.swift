internal import Scenarios

extension Command {
  /// Runs a command line, prints errors, and returns the exit code.
  package func end(
    _ words: [String], _ console: Console, beforeUsageError: () -> Void = {}
  ) -> ExitCode {
    do {
      return try run(words, path: name, console)
    } catch let fault as UsageError {
      beforeUsageError()
      if case .movedOption = fault {
        console.printError(fault.description)
      } else {
        console.printError("\(name): \(fault) Try --help.")
      }
      return .usage
    } catch let fault as ScenarioError {
      console.printError(fault.description)
      return .badInput
    } catch let end as SilentEndError {
      return end.exit
    } catch let failure as any ExitError {
      console.printError("\(name): \(failure.message)")
      return failure.exit
    } catch {
      // No other error is expected: commands convert the typed errors of all modules.
      console.printError("\(name): unexpected error: \(error)")
      return .cannotListenOrWrite
    }
  }
}
