internal import Coordinator
internal import Foundation
internal import Scenarios
internal import Targets
internal import Transport

/// `flotilla target try`: whether a backend takes what its target says.
enum TargetTryCommand {
  static var command: Command {
    Command(
      "try",
      """
      Send one registration, one upload and one read-back, and say which rule each answer met and \
      what came back. Exit 69: no answer; 99: not taken, or not there when it is read back.
      """,
      positionals: [
        Positional(name: "TARGET", help: "A name or a file.") { $1.names = [$0] }
      ],
      options: TargetCommand.common + [
        .count("--phone", \.phone, 0...99_999_999, "In whose name it is sent.")
      ],
      examples: [
        "flotilla target try overland --target-url http://127.0.0.1:8080",
        "flotilla target try acme.yaml --phone 17",
      ],
      start: TargetOptions(), body: run)
  }

  private static func run(_ options: TargetOptions, _ console: Console) throws -> ExitCode {
    let target = try options.reader.load(options.names[0], url: options.url)
    let http: TargetHTTP
    let programs: TargetPrograms
    let identities: PhoneIdentities
    let phone = UInt32(options.phone)
    do {
      http = try TargetHTTP(target)
      let files = TargetFiles(of: target)
      programs = try TargetPrograms(target, secrets: files)
      identities = try files.identities(programs.names.columns)
    } catch let problem as TargetHTTPError {
      throw CommandError(exit: .badInput, message: problem.description)
    } catch let problem as TargetFileError {
      throw CommandError(exit: .badInput, message: "\(target.name): \(problem.description)")
    }
    if let known = identities.phones, phone >= known {
      throw CommandError(
        exit: .badInput,
        message: "\(target.name) has identities for \(known) phones; not for "
          + "phone \(phone).")
    }
    let caller = HTTPCaller(http.settings)
    defer { caller.close() }
    var trial = TargetTrial(
      target, http, programs, phone: phone, columns: identities.row(of: phone),
      now: Int64(Date().timeIntervalSince1970 * 1e6), call: { caller.call($0, of: phone) },
      pause: { usleep(500_000) })
    trial.run()
    for line in trial.lines { console.line(line) }
    switch trial.ending {
    case .passed: return .pass
    case .failed: return .missed
    case .unreachable: return .collectorUnreachable
    }
  }
}
