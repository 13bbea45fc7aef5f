internal import Core
internal import Foundation
internal import Synchronization

/// The unanswered batches of a fleet on disk, so that a killed fleet can resume. Append-only. Each
/// batch is written before it reaches a socket. The file survives a SIGKILL, but a power failure
/// may lose its end.
package final class FleetJournal: Sendable {
  package let path: String
  let header: JournalHeader
  package let earlier: JournalContent?
  private let state: Mutex<State>

  private struct State: ~Copyable {
    let descriptor: Int32
    var buffer: RecordWriter
    /// The `order` of each phone's newest batch in the journal.
    var highest: [UInt64]
    var failure: String?

    deinit { close(descriptor) }
  }

  /// Begins the journal of a run in `directory`, or resumes an existing one.
  package convenience init(
    directory: String, scenarioHash: UInt64, seed: UInt64, hashKey: UInt64, phones: Int,
    runID: String
  ) throws(JournalError) {
    try self.init(
      directory: directory,
      JournalHeader(
        scenarioHash: scenarioHash, seed: seed, hashKey: hashKey, phones: UInt32(phones),
        runID: runID))
  }

  package var runID: String { header.runID }

  init(directory: String, _ wanted: JournalHeader) throws(JournalError) {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: directory, isDirectory: &isFolder),
      !isFolder.boolValue
    {
      throw .noFolder(path: directory)
    }
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw .cannotWrite(path: directory, why: FileErrorText.reason(error))
    }
    let path = Self.path(in: directory)
    let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .cannotWrite(path: path, why: Self.reason(errno)) }
    // The kernel releases the lock when the process ends.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .inUse(path: path)
    }
    let found: JournalContent?
    do throws(JournalError) { found = try Self.content(of: path) } catch {
      close(descriptor)
      throw error
    }
    if let why = found.flatMap({ $0.header.difference(from: wanted) }) {
      close(descriptor)
      throw .otherRun(path: path, why: why)
    }
    self.path = path
    header = found?.header ?? wanted
    earlier = found
    var highest = [UInt64](repeating: 0, count: Int(wanted.phones))
    for (phone, order) in found?.highest ?? [:] where Int(phone.rawValue) < highest.count {
      highest[Int(phone.rawValue)] = order
    }
    let buffer = found == nil ? RecordWriter(.journal) : RecordWriter()
    state = Mutex(State(descriptor: descriptor, buffer: buffer, highest: highest))
    // An incomplete record at the end is cut off before anything is appended.
    guard ftruncate(descriptor, off_t(found?.wholeBytes ?? 0)) == 0 else {
      throw .cannotWrite(path: path, why: Self.reason(errno))
    }
    append([
      found.map { .resumed(at: $0.last ?? .distantPast, resent: UInt32($0.open.count)) }
        ?? .header(wanted)
    ])
    if let failure { throw .cannotWrite(path: path, why: failure) }
  }

  package static func path(in directory: String) -> String {
    URL(fileURLWithPath: directory, isDirectory: true).appendingPathComponent("journal.bin").path
  }

  /// Returns the content of a journal; nil if the file has no complete header.
  package static func content(of path: String) throws(JournalError) -> JournalContent? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return try JournalContent(Array(data), path: path)
  }

  package static func read(directory: String) throws(JournalError) -> JournalContent {
    let path = path(in: directory)
    guard let content = try content(of: path) else { throw .missing(path: path) }
    return content
  }

  // MARK: Writing

  /// Records a batch before it is sent, at its first submission only. Call `flush` before sending.
  func submit(_ batch: @autoclosure () -> JournalRecord.Submission, as id: BatchID) {
    let place = Int(id.phone.rawValue)
    let isNew = state.withLock { state in
      guard place < state.highest.count, state.highest[place] < id.order else { return false }
      state.highest[place] = id.order
      return true
    }
    guard isNew else { return }
    let record = JournalRecord.submitted(batch())
    state.withLock { record.append(to: &$0.buffer) }
  }

  func append(_ records: [JournalRecord]) {
    guard !records.isEmpty else { return }
    state.withLock { state in
      for record in records { record.append(to: &state.buffer) }
    }
    flush()
  }

  package func flush() {
    state.withLock { state in
      state.failure = state.failure ?? state.buffer.flush(to: state.descriptor)
      state.buffer.removeAll()
    }
  }

  /// The reason why the journal can no longer be written; nil while writing works.
  package var failure: String? { state.withLock { $0.failure } }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}

extension JournalHeader {
  fileprivate func difference(from wanted: JournalHeader) -> String? {
    if seed != wanted.seed { return "seed \(seed) instead of \(wanted.seed)" }
    if phones != wanted.phones { return "\(phones) phones instead of \(wanted.phones)" }
    if scenarioHash != wanted.scenarioHash || hashKey != wanted.hashKey {
      return "the scenario has changed"
    }
    return nil
  }
}
