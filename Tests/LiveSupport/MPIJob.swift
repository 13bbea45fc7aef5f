internal import Foundation
internal import Testing

/// Processes of the program that mpirun starts.
package struct MPIJob {
  package let folder: TemporaryFolder
  /// Where they are started; empty: on this machine.
  package var hosts: TwoHosts?

  package init(folder: TemporaryFolder, hosts: TwoHosts? = nil) {
    self.folder = folder
    self.hosts = hosts
  }

  /// The library, built as `make mpi` does.
  package func library() async throws -> String {
    let path = folder["libflotilla-mpi.so"].path
    guard !FileManager.default.fileExists(atPath: path) else { return path }
    let source = Program.root.appendingPathComponent("Sources/MPIShim/flotilla_mpi.c").path
    let built = try await Program.runTool(
      "mpicc", ["-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-o", path, source])
    #expect(built.code == 0, "\(built.errorOutput)")
    return path
  }

  package func start(
    _ count: Int, _ arguments: [String], options: [String] = []
  ) async throws -> RunningProcess {
    let mpirun = try #require(Program.tool("mpirun"))
    // Threads of tests block signals, and mpirun keeps its initial mask.
    let unblock = "use POSIX; sigprocmask(SIG_SETMASK, POSIX::SigSet->new); exec @ARGV"
    return try RunningProcess(
      #require(Program.tool("perl")),
      ["-e", unblock] + (hosts?.entering(0) ?? [])
        + [mpirun.path, "--oversubscribe", "--bind-to", "none"] + (hosts?.options ?? []) + options
        + ["-np", "\(count)", Program.url.path] + arguments,
      environment: [
        "FLOTILLA_MPI": try await library(), "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
      ])
  }
}
