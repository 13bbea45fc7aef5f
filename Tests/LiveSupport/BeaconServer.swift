internal import Foundation
internal import Testing

/// A fleet against the server of the target `grpc-example`: `beacon_server.py`, over grpcio.
package enum BeaconServer {
  /// The ledger balances, and the server called fixes stored.
  package static func load(
    answers: String
  ) async throws -> (ended: Ended, record: RecordFile) {
    let folder = try TemporaryFolder()
    let schemas = Program.root.appendingPathComponent("scenarios/targets").path
    _ = try await Program.runTool(
      "protoc",
      [
        "--include_imports", "-I\(schemas)", "-o\(folder["beacon.pb"].path)",
        "grpc-example.proto",
      ])
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/beacon_server.py")
    let server = try RunningProcess(
      PythonScript.python, [script.path, folder["beacon.pb"].path, "--answers", answers])
    try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
    let address = server.text.dropFirst("listening on ".count).dropLast()
    let ended = try await Program.run([
      "load", "city", "--target", "grpc-example", "--target-url", "grpc://\(address)",
      "--phones", "1000", "--duration", "4s", "--set", "warmStart=10min",
      "--set", "start=2026-03-02T08:00", "--set", "faults=[]", "--set", "slo={}",
      "--set", "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain",
      "--out", folder["run"].path,
    ])
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    #expect(try record.count("target.fixes.stored") > 20)
    return (ended, record)
  }
}
