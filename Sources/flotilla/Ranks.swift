internal import Commands
internal import Core
internal import Foundation
internal import Run
internal import Scenarios
internal import Synchronization
internal import Uploads

enum Ranks {
  private static let joined = Mutex<RankLink?>(nil)

  /// Nil if mpirun has not started this process; a child of such a process has the same number.
  static var number: Int? { RankEnvironment.rank(in: ProcessInfo.processInfo.environment) }

  static var isJoined: Bool { joined.withLock { $0 != nil } }

  /// Throws in one of several processes that would each carry out the whole run; only one of them
  /// prints the error.
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
      exit: .usage, message: "\(command) is of a fleet in one process; leave mpirun out.")
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

  /// Returns the scenario, which the first process reads and sends to the others, whose machines
  /// need not have its file.
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
      throw CommandError(exit: .badInput, message: "the first process has no scenario.")
    }
    return try options.library.load(text: text, from: "the first process's scenario")
  }

  /// Asks all to end early, at once: this process may be waiting for one that is gone.
  static func stop() { joined.withLock { $0 }?.stop() }

  /// Leaves the others, if joined. Returns how this process ends.
  static func leave(_ code: ExitCode) -> ExitCode {
    guard let link = joined.withLock({ $0 }) else { return code }
    let isWhole = link.leave()
    return isWhole || code != .pass ? code : .interrupted
  }

  /// Identifies builds of the program by its length and a word in 64 bytes of it. It is read in
  /// pieces: a map of the whole would count as this process's memory.
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
