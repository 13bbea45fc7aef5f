internal import Commands
internal import Foundation
internal import Run
internal import Targets
internal import Uploads

enum TargetTryCommand {
  static var command: Command {
    Command(
      "try",
      """
      Send one registration, one upload and one read-back; print each response and the rule it \
      matched. Exit 69: no response; 99: rejected, or missing in the read-back.
      """,
      positionals: [
        Positional(name: "TARGET", help: "Name of a target, or path of a file.") { $1.names = [$0] }
      ],
      options: TargetCommand.common + [
        .count("--phone", \.phone, 0...99_999_999, "ID of the sending phone, from 0.")
      ],
      examples: [
        "flotilla target try overland --target-url http://127.0.0.1:8080",
        "flotilla target try acme.yaml --phone 17",
        "flotilla target try owntracks-mqtt --target-url mqtt://127.0.0.1:1883",
        "flotilla target try grpc-example --target-url grpc://127.0.0.1:50051",
      ],
      start: TargetOptions(), body: run)
  }

  private static func run(_ options: TargetOptions, _ console: Console) throws -> ExitCode {
    let target = try options.reader.load(options.names[0], url: options.url)
    let phone = UInt32(options.phone)
    let setup = try TargetSetup(
      target, phones: 0, rateLimit: nil, now: { Int64(Date().timeIntervalSince1970 * 1e6) })
    if let known = setup.knownPhones, phone >= known {
      throw CommandError(
        exit: .badInput,
        message: "\(target.name) has identities for \(known) phones; give a --phone below \(known)."
      )
    }
    let (lines, ending) = setup.trial(of: phone)
    return say(lines, ending, console)
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
