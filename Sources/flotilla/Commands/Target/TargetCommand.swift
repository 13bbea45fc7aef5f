internal import Commands
internal import Core
internal import Foundation
internal import Scenarios
internal import Uploads
internal import Targets

struct TargetOptions: Equatable {
  var names: [String] = []
  var folder: String?
  var url: String?
  var phone = 0
  var fixes = 3

  var reader: TargetReader {
    TargetReader(folders: folder.map { [$0] } ?? ScenarioOptions().library.folders)
  }
}

enum TargetCommand {
  static var command: Command {
    Command(
      "target", "Check, print and try the description of your own backend.",
      [list, check, show, TargetTryCommand.command, schema],
      examples: [
        "flotilla target list",
        "flotilla target check acme.yaml",
        "flotilla target show owntracks --phone 17",
        "flotilla target try acme.yaml",
        "flotilla target schema > target.schema.json",
      ])
  }

  static var common: [Option<TargetOptions>] {
    [
      .text(
        "--target-url", "URL", \.url, "URL of the target; overrides the target file."),
      .text("--scenarios", "DIR", \.folder, "Folder with a subfolder of targets."),
    ]
  }

  private static var list: Command {
    Command(
      "list", "List targets with their protocols and the apps they imitate.",
      options: [
        .text("--scenarios", "DIR", \.folder, "Folder with a subfolder of targets.")
      ],
      examples: ["flotilla target list"], start: TargetOptions()
    ) { options, console in
      let reader = options.reader
      let rows = reader.names.map { name in
        do throws(ScenarioError) {
          let target = try reader.load(name)
          return [name, target.carrier.rawValue, target.description]
        } catch {
          let count = error.diagnostics.count
          return [name, "", "invalid (\(count)): see flotilla target check \(name)"]
        }
      }
      guard !rows.isEmpty else {
        throw CommandError(
          exit: .badInput,
          message: "\(reader.folders[0])/targets: no targets; give the folder that contains "
            + "'targets' with --scenarios.")
      }
      for row in rows {
        let heads = row.indices.dropLast().map { column in
          let width = rows.map { $0[column].count }.max() ?? 0
          return row[column] + String(repeating: " ", count: width - row[column].count)
        }
        console.line((heads + [row[row.count - 1]]).joined(separator: "  "))
      }
      return .pass
    }
  }

  private static var check: Command {
    Command(
      "check", "Validate targets; report all errors.",
      positionals: [
        Positional(
          name: "TARGET", help: "Names or paths; default: all targets.",
          isOptional: true, repeats: true
        ) { $1.names.append($0) }
      ],
      options: common,
      examples: ["flotilla target check", "flotilla target check acme.yaml"],
      start: TargetOptions(), body: check)
  }

  private static func check(_ options: TargetOptions, _ console: Console) throws -> ExitCode {
    let reader = options.reader
    let names = options.names.isEmpty ? reader.names : options.names
    var isRight = true
    if names.isEmpty {
      let places = reader.folders.map { "\($0)/targets" }.joined(separator: " or ")
      console.printError("No targets in \(places).")
      isRight = false
    }
    for name in names {
      do throws(ScenarioError) {
        let target = try reader.load(name, url: options.url)
        for file in target.missingFiles {
          console.printError("\(target.path): note: \(file) does not exist.")
        }
        guard checkColumns(of: target, console), try checkMessages(of: target, console) else {
          isRight = false
          continue
        }
        console.line("target \(target.name): valid. \(target.description)")
      } catch {
        console.printError(error.description)
        isRight = false
      }
    }
    return isRight ? .pass : .badInput
  }

  private static func checkColumns(of target: Target, _ console: Console) -> Bool {
    let missing = Set(target.missingFiles)
    let files = TargetFiles(of: target)
    let columns = TargetPrograms(masked: target).names.columns.filter {
      !missing.contains(files.path($0.file))
    }
    do throws(TargetError) {
      _ = try files.identities(columns)
      return true
    } catch {
      console.printError("\(target.path): \(error.description)")
      return false
    }
  }

  /// Checks a target's protobuf mapping against the schema. Returns whether the schema is available
  /// without the server.
  private static func checkMessages(
    of target: Target, _ console: Console
  ) throws(ScenarioError) -> Bool {
    guard target.needsSchema else { return true }
    let schema: MessageSchema?
    do throws(TargetError) {
      schema = try SchemaLoader(target).loadFile()
    } catch {
      // Without protoc the messages cannot be checked, which is no error.
      if target.schema?.proto.isEmpty == false, ProgramPath.find("protoc") == nil {
        console.printError(
          "\(target.path): note: protoc is not installed; messages were not checked.")
        return true
      }
      console.printError(error.description)
      return false
    }
    guard let schema else {
      console.printError(
        "\(target.path): note: the server has the schema; messages were not checked.")
      return true
    }
    _ = try MessageCalls(target, TargetPrograms(masked: target).names, schema: schema)
    return true
  }

  private static var show: Command {
    Command(
      "show",
      "Print a phone's first requests as text, hex and a command; secrets are masked.",
      positionals: [
        Positional(name: "TARGET", help: "Name of a target, such as owntracks, or path of a file.")
        {
          $1.names.append($0)
        }
      ],
      options: [
        .count("--phone", \.phone, 0...Int(Int32.max), "Phone ID, from 0."),
        .count("--fixes", \.fixes, 1...10_000, "Number of fixes to upload; default 3."),
      ] + common,
      examples: [
        "flotilla target show owntracks --phone 17",
        "flotilla target show overland --fixes 250",
        "flotilla target show acme.yaml --target-url http://127.0.0.1:8080",
      ],
      start: TargetOptions(), body: show)
  }

  private static func show(_ options: TargetOptions, _ console: Console) throws -> ExitCode {
    let target = try options.reader.load(options.names.first ?? "", url: options.url)
    let phone = PhoneID(rawValue: UInt32(options.phone))
    let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
    let identities = try target.shownIdentities(of: phone)
    guard
      let preview = RequestPreview(
        of: target, phone: phone, fixes: options.fixes, identities: identities, now: now,
        calls: try shownCalls(target))
    else { throw CommandError(exit: .badInput, message: "'\(target.name)' has no URL.") }
    console.line(preview.text)
    return .pass
  }

  /// Returns the protobuf messages; nil without any, or if their schema cannot be read.
  private static func shownCalls(_ target: Target) throws -> MessageCalls? {
    guard target.needsSchema, let schema = try? SchemaLoader(target).loadFile() else {
      return nil
    }
    return try MessageCalls(target, TargetPrograms(masked: target).names, schema: schema)
  }

  private static var schema: Command {
    Command(
      "schema", "Print the JSON Schema of target files, for editors.", options: [],
      examples: [
        "flotilla target schema > target.schema.json",
        "# first line of a file: # yaml-language-server: $schema=target.schema.json",
      ],
      start: TargetOptions()
    ) { _, console in
      console.line(TargetReader.jsonSchema)
      return .pass
    }
  }
}
