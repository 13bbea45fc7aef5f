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
        "flotilla target try owntracks-mqtt --target-url mqtt://127.0.0.1:1883",
      ],
      start: TargetOptions(), body: run)
  }

  private static func run(_ options: TargetOptions, _ console: Console) throws -> ExitCode {
    let target = try options.reader.load(options.names[0], url: options.url)
    let connection: Connection
    let programs: TargetPrograms
    let identities: PhoneIdentities
    let database: TargetDatabase?
    let phone = UInt32(options.phone)
    do {
      switch target.carrier {
      case .http, .grpc: connection = .http(try TargetHTTP(target))
      case .mqtt: connection = .mqtt(try TargetMQTT(target))
      }
      let files = TargetFiles(of: target)
      programs = try TargetPrograms(target, secrets: files)
      identities = try files.identities(programs.names.columns)
      database = try TargetDatabase(target, programs, files)
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
    let now = Int64(Date().timeIntervalSince1970 * 1e6)
    let columns = identities.row(of: phone)
    switch connection {
    case .http(let http):
      let caller = HTTPCaller(http.settings)
      defer { caller.close() }
      var trial = TargetTrial(
        target, http, programs, phone: phone, columns: columns, now: now,
        call: { caller.call($0, of: phone) }, pause: { usleep(500_000) }, database: database)
      trial.run()
      return say(trial.lines, trial.ending, console)
    case .mqtt(let mqtt):
      var trial = MQTTTrial(target, mqtt, programs, phone: phone, columns: columns, now: now)
      trial.run()
      return say(trial.lines, trial.ending, console)
    }
  }

  /// What carries the trial.
  private enum Connection {
    case http(TargetHTTP)
    case mqtt(TargetMQTT)
  }

  private static func say(
    _ lines: [String], _ ending: TargetTrial.Ending, _ console: Console
  ) -> ExitCode {
    for line in lines { console.line(line) }
    switch ending {
    case .passed: return .pass
    case .failed: return .missed
    case .unreachable: return .collectorUnreachable
    }
  }
}
