package import Core
package import Transport

/// The exit codes; numbers follow sysexits.h where possible.
package enum ExitCode: Int32 {
  case pass = 0
  case usage = 2
  /// A scenario, a `--set` or an input file is invalid.
  case badInput = 65
  case collectorUnreachable = 69
  case cannotListenOrWrite = 73
  case loss = 97
  case invalidRun = 98
  /// An SLO was not met, the store could not be verified, a regression was found, or a phone
  /// returned no position.
  case missed = 99
  /// Ctrl-C or `q` before the end of the measured part.
  case interrupted = 130

  package var meaning: String {
    switch self {
    case .pass: "pass"
    case .usage: "wrong usage"
    case .badInput: "invalid scenario, --set or input file"
    case .collectorUnreachable: "collector unreachable"
    case .cannotListenOrWrite: "cannot listen or write"
    case .loss: "acknowledged data was lost"
    case .invalidRun:
      "invalid run: the load generator or other programs were the limit, not the collector"
    case .missed:
      "SLO not met, store not verified, regression found, or no position returned"
    case .interrupted:
      "interrupted before the end of the measured part; the report is still written"
    }
  }

  /// The exit codes in the order of their numbers.
  package static let all: [ExitCode] = [
    .pass, .usage, .badInput, .collectorUnreachable, .cannotListenOrWrite, .loss, .invalidRun,
    .missed, .interrupted,
  ]
}

/// An error that ends a process silently, since another process of the run prints the reason.
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

extension TransportError: ExitError {
  package var exit: ExitCode { .cannotListenOrWrite }
}

extension FileOutput.WriteError: ExitError {
  package var exit: ExitCode { .cannotListenOrWrite }
  package var message: String { "\(self)." }
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
