package import Core
internal import Foundation

package final class MPIPort: RankPort {
  package let rank: Int
  package let size: Int
  private let library: MPILibrary
  private var pieces = MessagePieces()

  /// Joins the MPI job and waits for its other processes. `path` leads to `libflotilla-mpi.so`.
  package init(_ path: String) throws(RankPortError) {
    library = try MPILibrary(path)
    guard library.start() == 0 else { throw .noStart(library.name) }
    (rank, size) = (Int(library.rank()), Int(library.size()))
    guard rank >= 0, size > rank else { throw .noStart(library.name) }
  }

  package func send(_ bytes: [UInt8], to rank: Int) {
    for piece in MessagePieces.cut(bytes) {
      // A failed send needs no handling, because a dead process is noticed by its silence.
      _ = piece.withUnsafeBytes { library.send(Int32(rank), $0.baseAddress, Int32($0.count)) }
    }
  }

  package func receive() -> (from: Int, bytes: [UInt8]?)? {
    var from: Int32 = 0
    let count = library.look(&from)
    guard count >= 0 else { return nil }
    var isRead = false
    let piece = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
      isRead = library.receive(buffer.baseAddress, count) == 0
      filled = isRead ? Int(count) : 0
    }
    return isRead ? (Int(from), pieces.join(piece, from: Int(from))) : nil
  }

  package func isSending() -> Bool { library.underway() > 0 }

  package func leave() { library.end() }
}

private struct MPILibrary {
  typealias Plain = @convention(c) () -> Int32
  typealias Ending = @convention(c) () -> Void
  typealias Naming = @convention(c) () -> UnsafePointer<CChar>?
  typealias Sending = @convention(c) (Int32, UnsafeRawPointer?, Int32) -> Int32
  typealias Looking = @convention(c) (UnsafeMutablePointer<Int32>) -> Int32
  typealias Receiving = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32

  let start: Plain
  let rank: Plain
  let size: Plain
  let underway: Plain
  let end: Ending
  let send: Sending
  let look: Looking
  let receive: Receiving
  private let naming: Naming

  private static let abi: Int32 = 1

  var name: String { naming().map { String(cString: $0) } ?? "MPI" }

  init(_ path: String) throws(RankPortError) {
    // Components of Open MPI find its symbols only in the global namespace.
    guard let handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL) else {
      throw .notLoaded(path, dlerror().map { String(cString: $0) } ?? "unknown")
    }
    func function<Type>(_ name: String, as type: Type.Type) throws(RankPortError) -> Type {
      guard let address = dlsym(handle, "flotilla_mpi_\(name)") else {
        throw .notLoaded(path, "it does not define flotilla_mpi_\(name)")
      }
      return unsafeBitCast(address, to: type)
    }
    let abi = try function("abi", as: Plain.self)()
    guard abi == Self.abi else {
      throw .notLoaded(path, "it belongs to another version of this program; run 'make mpi' again")
    }
    start = try function("start", as: Plain.self)
    rank = try function("rank", as: Plain.self)
    size = try function("size", as: Plain.self)
    underway = try function("underway", as: Plain.self)
    end = try function("end", as: Ending.self)
    send = try function("send", as: Sending.self)
    look = try function("look", as: Looking.self)
    receive = try function("receive", as: Receiving.self)
    naming = try function("library", as: Naming.self)
  }
}

package enum RankPortError: Error, Equatable, Sendable, CustomStringConvertible {
  case notBuilt([String])
  case notLoaded(String, String)
  case noStart(String)

  package var description: String {
    switch self {
    case .notBuilt(let places):
      """
      mpirun started this program, but libflotilla-mpi.so is not \
      \(places.joined(separator: ", nor ")); build it with 'make mpi' or set FLOTILLA_MPI
      """
    case .notLoaded(let path, let why): "\(path) cannot be used: \(why)"
    case .noStart(let library): "\(library) failed to initialise"
    }
  }
}

package enum RankEnvironment {
  /// Returns this process's MPI rank; nil if mpirun did not start the process.
  package static func rank(in environment: [String: String]) -> Int? {
    environment["OMPI_COMM_WORLD_RANK"].flatMap { Int($0) }
  }

  /// Returns this process's number among the unconnected processes of a launcher (MPICH, Slurm,
  /// Flux or others, or mpirun without a link); nil if the process runs alone.
  package static func unlinked(in environment: [String: String]) -> UnlinkedProcess? {
    guard rank(in: environment) == nil else { return nil }
    func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
    for (size, rank) in launchers {
      guard let count = number(size) else { continue }
      // Slurm's step variables are read before the job's, because a step of one process runs alone.
      guard count > 1, let number = number(rank) else { return nil }
      return UnlinkedProcess(number: number, count: count, variable: size)
    }
    return nil
  }

  private static let launchers = [
    ("PMI_SIZE", "PMI_RANK"), ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
    ("SLURM_NTASKS", "SLURM_PROCID"), ("MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"),
    ("JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"), ("FLUX_JOB_SIZE", "FLUX_TASK_RANK"),
  ]

  package static func patience(in environment: [String: String]) -> WallDuration {
    let seconds = environment["OMPI_MCA_odls_base_sigkill_timeout"].flatMap { Int64($0) } ?? 1
    return .seconds(min(max(seconds, 1), 3_600))
  }

  /// Returns the path of `libflotilla-mpi.so`, either `FLOTILLA_MPI` or the first match in the
  /// program's folder, its parents, and their `lib` folders.
  package static func library(
    in environment: [String: String], executable: String
  ) throws(RankPortError) -> String {
    if let named = environment["FLOTILLA_MPI"] {
      guard FileManager.default.fileExists(atPath: named) else { throw .notBuilt([named]) }
      return named
    }
    var folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
    var tried: [String] = []
    for _ in 0..<foldersAbove where folder.path != "/" {
      folder.deleteLastPathComponent()
      for name in [fileName, "lib/\(fileName)"] {
        let path = folder.appendingPathComponent(name).path
        if FileManager.default.fileExists(atPath: path) { return path }
        tried.append(path)
      }
    }
    throw .notBuilt([tried.first ?? fileName, "in a parent folder"])
  }

  private static let fileName = "libflotilla-mpi.so"
  private static let foldersAbove = 4
}

package struct UnlinkedProcess: Equatable, Sendable {
  package let number: Int
  let count: Int
  let variable: String

  package var sentence: String {
    """
    \(count) processes were started (\(variable)) without a link between them: each would run the \
    whole fleet. Use Open MPI's mpirun, give each process a --shard (auto under Slurm), or \
    start one process.
    """
  }
}
