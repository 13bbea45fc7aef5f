/// The exit codes. Numbers follow sysexits.h where it has one.
package enum ExitCode: Int32 {
  case pass = 0
  case usage = 2
  /// A scenario, a `--set` or an input file is invalid.
  case badInput = 65
  case collectorUnreachable = 69
  case cannotListenOrWrite = 73
  case loss = 97
  case invalidRun = 98
  /// A service level was missed, storage could not be verified, a regression was found, or a phone
  /// gave no position.
  case missed = 99
  /// Ctrl-C or `q` before the measured time was complete.
  case interrupted = 130

  package var meaning: String {
    switch self {
    case .pass: "pass"
    case .usage: "wrong usage"
    case .badInput: "scenario, --set or input file invalid"
    case .collectorUnreachable: "collector unreachable"
    case .cannotListenOrWrite: "cannot listen or write"
    case .loss: "acknowledged data was lost"
    case .invalidRun:
      "invalid run: the generator or other programs, not the collector, were the limit"
    case .missed:
      "a service level was missed, storage not verified, a regression found, or no position given"
    case .interrupted:
      "interrupted before the measured time was complete; a run drains and reports all the same"
    }
  }

  /// In the order of their numbers.
  package static let all: [ExitCode] = [
    .pass, .usage, .badInput, .collectorUnreachable, .cannotListenOrWrite, .loss, .invalidRun,
    .missed, .interrupted,
  ]
}

/// Ends a process silently; another one of its run prints the reason.
package struct SilentEndError: Error {
  package let exit: ExitCode

  package init(exit: ExitCode) { self.exit = exit }
}

package protocol ExitError: Error {
  var exit: ExitCode { get }
  var message: String { get }
}

extension ExitError {
  package var message: String { "\(self)" }
}

package struct CommandError: ExitError {
  package let exit: ExitCode
  package let message: String

  package init(exit: ExitCode, message: String) {
    self.exit = exit
    self.message = message
  }

  package static func refuse(
    _ options: KeyValuePairs<String, Bool>, _ why: (String) -> String
  ) throws(CommandError) {
    guard let given = options.first(where: \.value)?.key else { return }
    throw CommandError(exit: .usage, message: why(given))
  }
}
