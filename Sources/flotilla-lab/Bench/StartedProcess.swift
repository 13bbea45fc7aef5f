internal import Core
internal import Foundation
internal import Uploads

extension Process {
  /// - Parameters:
  ///   - core: the core to run on; nil for any.
  ///   - isPreferred: whether the process is scheduled like this one, if it has a core.
  ///   - name: the name used in errors; nil for the program's path.
  static func started(
    _ program: String, _ arguments: [String], core: Int? = nil, isPreferred: Bool = false,
    name: String? = nil, input: Any? = nil, output: Any = FileHandle.nullDevice,
    hidesErrors: Bool = true,
    in folder: String? = nil
  ) throws(ProgramError) -> Process {
    let command =
      core.map { CorePin.command($0, program, arguments, isPreferred: isPreferred) }
      ?? (executable: program, arguments: arguments)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command.executable).absoluteURL
    process.arguments = command.arguments
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    if let input { process.standardInput = input }
    process.standardOutput = output
    if hidesErrors { process.standardError = FileHandle.nullDevice }
    do { try process.run() } catch {
      throw .cannotStart(program: name ?? program, why: FileErrorText.reason(error))
    }
    return process
  }

  static func result<Value>(
    of program: String, _ arguments: [String], core: Int? = nil, name: String,
    in folder: String? = nil, _ read: (String) -> Value?
  ) throws(ProgramError) -> Value {
    let output = Pipe()
    let process = try started(
      program, arguments, core: core, name: name, output: output, in: folder)
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw .failed(program: name, status: process.terminationStatus)
    }
    guard let value = read(String(decoding: text, as: UTF8.self)) else {
      throw .wrongAnswer(program: name)
    }
    return value
  }
}
