import Collector
import Foundation
import TestSupport
import Testing
import Transport

@testable import Run
@testable import Uploads
@testable import Targets

/// What a backend of a user's own has written to PostgreSQL is read back by the target's statement.
@Suite("Read-back from PostgreSQL", .live, .timeLimit(.minutes(10)), .needs(.postgreSQL))
struct PostgresReadbackTests {
  private static let now: Int64 = 1_795_265_539_400_000

  private static let text = """
    name: acme
    description: A test's.
    client: { name: Acme, version: "1", source: "made up" }
    protocol: http
    url: http://127.0.0.1:8080
    identity: { id: "o'neill-{phone}" }
    upload:
      path: /fixes
      message: { id: $id, points: { each: fix, at: $time.s, lat: $latitude, lon: $longitude } }
    answer:
      - { when: { status: 200 }, is: stored }
    readback:
      postgres: >
        SELECT at, lat, lon FROM fixes WHERE device = '{id}'
        AND at BETWEEN '{from.iso}' AND '{to.iso}';
      database: { file: address }
      time: /at
      latitude: /lat/1e7
      longitude: /lon/1e7

    """

  /// The server's rows of the two fixes of a trial.
  private enum Stores { case both, one }

  private func trial(_ stores: Stores) throws -> TargetTrial {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let cluster = try PostgresCluster(folder: folder.appendingPathComponent("pg").path)
    try cluster.start()
    defer { cluster.stop() }
    try cluster.run(
      """
      CREATE TABLE fixes (device text, at timestamptz, lat int, lon int);
      INSERT INTO fixes VALUES ('another', to_timestamp(1795265539), 525203000, 134050000)
      """)
    try Data(cluster.url().utf8).write(to: folder.appendingPathComponent("address"))
    let path = folder.appendingPathComponent("acme.yaml").path
    let target = try TargetReader.read(text: Self.text, from: path)
    let files = TargetFiles(of: target)
    let programs = try TargetPrograms(target, secrets: files)
    let database = try TargetDatabase(target, programs, files)
    var trial = TargetTrial(
      target,
      .http(target, try TargetHTTP(target), programs, database: database) { _ in
        let rows = [(1_795_265_479, 525_200_000), (1_795_265_539, 525_203_000)]
        for (at, latitude) in stores == .both ? rows : [rows[0]] {
          try? cluster.run(
            "INSERT INTO fixes VALUES ('o''neill-17', to_timestamp(\(at)), \(latitude), 134050000)")
        }
        return HTTPExchange(.success(HTTPAnswer(status: 200, body: [])))
      }, TargetTrial.context(target, phone: 17, columns: [], now: Self.now), pause: {})
    trial.run()
    return trial
  }

  @Test("rows in the table are confirmed, by a statement with quoted values")
  func confirmed() throws {
    let trial = try trial(.both)
    #expect(trial.ending == .passed, "\(trial.lines)")
    #expect(trial.lines.last == "verdict    stored and read back")
    #expect(trial.lines.contains("  2 rows, 0 unreadable"))
  }

  @Test("missing rows are found")
  func missing() throws {
    let trial = try trial(.one)
    #expect(trial.ending == .failed)
    #expect(trial.lines.last == "verdict    acknowledged, but 1 of 2 fixes are missing")
  }

  @Test("an unreachable database and an invalid URL are one line each")
  func unreachable() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = try TargetReader.read(
      text: Self.text, from: folder.appendingPathComponent("acme.yaml").path)
    let files = TargetFiles(of: target)
    let programs = TargetPrograms(masked: target)
    func write(_ address: String) throws {
      try Data(address.utf8).write(to: folder.appendingPathComponent("address"))
    }
    try write("mysql://127.0.0.1/fixes")
    #expect(throws: TargetError.self) { try TargetDatabase(target, programs, files) }
    try write("postgresql://acme:sesame@127.0.0.1:1/fixes")
    let database = try #require(try TargetDatabase(target, programs, files))
    var trial = TargetTrial(
      target,
      .http(target, try TargetHTTP(target), programs, database: database) { _ in
        HTTPExchange(.success(HTTPAnswer(status: 200, body: [])))
      }, TargetTrial.context(target, phone: 17, columns: [], now: Self.now), pause: {})
    trial.run()
    #expect(trial.ending == .unreachable)
    #expect(trial.lines.last?.contains("postgresql://acme@127.0.0.1:1/fixes") == true)
    #expect(!trial.lines.contains { $0.contains("sesame") })
  }

  @Test("a statement needs a URL, and values of the target")
  func checked() {
    func faults(_ change: (String) -> String) -> String? {
      do {
        _ = try TargetReader.read(text: change(Self.text), from: "acme.yaml")
        return nil
      } catch { return "\(error)" }
    }
    #expect(faults { $0 } == nil)
    #expect(
      faults { $0.replacing("  database: { file: address }\n", with: "") }?
        .contains("readback.postgres and readback.database need each other") == true)
    #expect(faults { $0.replacing("{id}", with: "{device}") }?.contains("'device'") == true)
  }
}
