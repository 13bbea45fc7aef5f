internal import Commands
internal import Core
internal import Foundation
internal import Run
internal import Scenarios
internal import Synchronization
internal import Uploads

enum Ranks {
  private static let joined = Mutex<RankLink?>(nil)

  /// The process's number under mpirun, which child processes share; nil without mpirun.
  static var number: Int? { RankEnvironment.rank(in: ProcessInfo.processInfo.environment) }

  static var isJoined: Bool { joined.withLock { $0 != nil } }

  /// Throws if unconnected processes would each do the whole run. Only one process prints.
  static func checkAlone() throws {
    guard let process = RankEnvironment.unlinked(in: ProcessInfo.processInfo.environment) else {
      return
    }
    guard process.number == 0 else { throw SilentEndError(exit: .usage) }
    throw CommandError(exit: .usage, message: process.sentence)
  }

  static func require(alone command: String) throws {
    try checkAlone()
    guard let number else { return }
    guard number == 0 else { throw SilentEndError(exit: .usage) }
    throw CommandError(
      exit: .usage, message: "\(command) requires a single process; start it without mpirun.")
  }

  static func join() throws -> RankLink {
    let path = try RankEnvironment.library(
      in: ProcessInfo.processInfo.environment,
      executable: Bundle.main.executablePath ?? CommandLine.arguments[0])
    let patience = RankEnvironment.patience(in: ProcessInfo.processInfo.environment)
    let link = try RankLink(wall: RunSupport.monotonic, patience: patience) {
      () throws(RankPortError) in
      try MPIPort(path)
    }
    joined.withLock { $0 = link }
    return link
  }

  /// Returns the scenario. The first process reads the file and sends the text to the others.
  static func scenario(_ options: ScenarioOptions, over link: RankLink) throws -> Scenario {
    if link.place.isFirst {
      let scenario: Scenario
      do throws(ScenarioError) { scenario = try options.load() } catch {
        _ = link.fromFirst(String?.none)
        throw error
      }
      _ = link.fromFirst(scenario.text)
      return scenario
    }
    guard let text: String = link.fromFirst(nil) else {
      throw CommandError(exit: .badInput, message: "the first process could not read it.")
    }
    return try options.library.load(text: text, from: "the first process's scenario")
  }

  /// Requests an early end of all processes, without waiting.
  static func stop() { joined.withLock { $0 }?.stop() }

  /// Leaves the other processes, if joined. Returns the exit code of this process.
  static func leave(_ code: ExitCode) -> ExitCode {
    guard let link = joined.withLock({ $0 }) else { return code }
    let isWhole = link.leave()
    return isWhole || code != .pass ? code : .interrupted
  }

  /// A hash of the build: the program file's length and one word of every 64 bytes. The file is
  /// read in pieces, because a memory map would count as memory of this process.
  static var build: UInt64 {
    guard let path = Bundle.main.executablePath, let file = FileHandle(forReadingAtPath: path)
    else { return 0 }
    defer { try? file.close() }
    var hash = StableHash()
    while let piece = try? file.read(upToCount: 1 << 18), !piece.isEmpty {
      hash.combine(UInt64(piece.count))
      piece.withUnsafeBytes { bytes in
        for place in stride(from: 0, to: bytes.count - 7, by: 64) {
          let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          hash.combine(word)
        }
      }
    }
    return hash.value
  }
}
