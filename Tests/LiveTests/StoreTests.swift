import Foundation
import LiveSupport
import Testing

@Suite("What a collector has stored", .timeLimit(.minutes(10)))
struct StoreTests {
  let folder: TemporaryFolder
  var store: String { folder["run/collector.sqlite"].path }

  init() throws { folder = try TemporaryFolder() }

  private func loadCity() async throws -> RecordFile {
    var trial = Trial()
    trial.phones = 300
    let ended = try await Seats.hold {
      try await Program.run(["load"] + trial.options(out: folder["run"]))
    }
    // Levels and validity hang on how busy the machine is; what is stored does not.
    #expect([0, 98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    return try RunFiles(folder: folder["run"]).record
  }

  private func python(_ script: String) async throws -> String {
    let file = folder["check.py"]
    try Data(script.utf8).write(to: file)
    let ended = try await Program.runTool("python3", [file.path, folder.url.path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return ended.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("a run's store is verified, exported in three formats that agree, damaged, and found out")
  func wholeWay() async throws {
    let record = try await loadCity()
    let fixes = try record.count("ledger.fixes.distinct")
    let batches = try record.count("ledger.batches.distinct")
    #expect(fixes > 100)

    let verified = try await Program.run(["verify", store])
    #expect(verified.code == 0, "\(verified.text)\(verified.errorOutput)")
    #expect(verified.text.contains("verdict   intact"))
    let json = try RecordFile(await Program.run(["verify", store, "--json"]).output)
    #expect(try json.count("fixes") == fixes && json.count("batches") == batches)
    #expect(try json.count("findingsInAll") == 0)

    for format in ["csv", "gpx", "geojson"] {
      let out = folder["fixes.\(format)"].path
      let ended = try await Program.run(["export", store, "--format", format, "--out", out])
      #expect(ended.code == 0, "\(ended.errorOutput)")
    }
    let counts = try await python(Self.reader)
    #expect(counts == "\(fixes) \(fixes) \(fixes) same")

    // The reader goes after two lines.
    let piped = try await Program.line(
      "\"$FLOTILLA\" export '\(store)' | head -n 2 | wc -l; echo done")
    #expect(piped.text.split(whereSeparator: \.isWhitespace) == ["2", "done"])
    #expect(piped.errorOutput.isEmpty, "\(piped.errorOutput)")

    // The page before the last one: data, or the tree above it.
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: store)[.size] as? Int)
    let page = size / 16_384 - 2
    try await Shell.run(
      "dd if=/dev/urandom of='\(store)' bs=16384 seek=\(page) count=1 conv=notrunc")
    let damaged = try await Program.run(["verify", store])
    #expect(damaged.code == 97, "\(damaged.text)")
    #expect(damaged.text.contains("verdict   damaged"))
    #expect(!damaged.errorOutput.isEmpty)
  }

  /// Reads the three files with parsers that are not ours, and holds them against each other.
  private static let reader = """
    import csv, json, sys, xml.etree.ElementTree as tree
    folder = sys.argv[1]
    rows = list(csv.DictReader(open(folder + '/fixes.csv', newline='')))
    space = {'g': 'http://www.topografix.com/GPX/1/1'}
    root = tree.parse(folder + '/fixes.gpx').getroot()
    gpx, geo = [], []
    for track in root.findall('g:trk', space):
      phone = track.find('g:name', space).text.split()[1]
      for p in track.findall('.//g:trkpt', space):
        gpx.append((phone, p.find('g:time', space).text, p.get('lat'), p.get('lon')))
    for feature in json.load(open(folder + '/fixes.geojson'))['features']:
      shape, p = feature['geometry'], feature['properties']
      line = shape['coordinates'] if shape['type'] == 'LineString' else [shape['coordinates']]
      assert len(line) == len(p['coordTimes']) == len(p['speeds']) == len(p['accuracies'])
      for (lon, lat), time in zip(line, p['coordTimes']):
        geo.append((str(p['phone']), time, '%.6f' % lat, '%.6f' % lon))
    table = [(r['phone'], r['time'], r['latitude'], r['longitude']) for r in rows]
    same = sorted(table) == sorted(gpx) == sorted(geo)
    assert all(0 <= float(r['speed_mps'] or 0) < 100 for r in rows)
    counts = [len(table), len(gpx), len(geo), 'same' if same else 'different']
    sys.stdout.write(' '.join(map(str, counts)))
    """

  // MARK: A store that cannot be had

  private func collect(_ prefix: String = "exec") throws -> RunningProcess {
    let shell = URL(fileURLWithPath: "/bin/bash")
    return try RunningProcess(
      shell,
      [
        "-c",
        "\(prefix) '\(Program.url.path)' collect --listen 127.0.0.1:0 --ui plain --store-path "
          + "'\(folder["live.sqlite"].path)'",
      ])
  }

  private func expectOneLine(_ ended: Ended, _ words: String..., code: Int32 = 73) {
    #expect(ended.code == code, "\(ended.text)\(ended.errorOutput)")
    let lines = ended.errorOutput.split(separator: "\n")
    #expect(lines.count == 1, "\(ended.errorOutput)")
    for word in words { #expect(ended.errorOutput.contains(word), "\(ended.errorOutput)") }
  }

  @Test("a second collector, and verify, are told that the first has the store; it goes on")
  func inUse() async throws {
    let first = try collect()
    try await first.says("listening on")
    expectOneLine(try await collect().end(), "live.sqlite", "has this store open")
    expectOneLine(
      try await Program.run(["verify", folder["live.sqlite"].path]), "has this store open")
    expectOneLine(
      try await Program.run(["export", folder["live.sqlite"].path]), "has this store open")
    first.signal(SIGTERM)
    #expect(try await first.end().code == 0)
  }

  /// Permissions do not bind root, so the collector is started as nobody where the test is root;
  /// elsewhere the file's own permissions are enough.
  @Test("a store that may not be written ends in one line, and stays as it was")
  func readOnly() async throws {
    let first = try collect()
    try await first.says("listening on")
    first.signal(SIGKILL)
    _ = try await first.end()
    let before = try Data(contentsOf: folder["live.sqlite"])
    try await Shell.run(
      "chmod 555 '\(folder.url.path)' && chmod 444 '\(folder["live.sqlite"].path)'")
    let isRoot = getuid() == 0
    let prefix = isRoot ? "exec setpriv --reuid 65534 --clear-groups" : "exec"
    let reaches = try await Shell.output(
      "\(isRoot ? "setpriv --reuid 65534 --clear-groups" : "") test -x '\(Program.url.path)' "
        + "&& echo yes || echo no")
    // In a home that nobody else may enter the program itself cannot be started.
    if reaches == "yes" {
      expectOneLine(try await collect(prefix).end(), "live.sqlite", "cannot be written")
    }
    #expect(try Data(contentsOf: folder["live.sqlite"]) == before)
    try await Shell.run("chmod 755 '\(folder.url.path)'")
  }

  /// A limit on the size of the process's files is the disk that is full; it is lifted from
  /// outside, as space is made.
  @Test("a full disk: nothing is acknowledged, phones keep it all, and with space it goes on")
  func fullDisk() async throws {
    // Less than the write-ahead log takes before it is folded in (250 pages).
    let collector = try collect("ulimit -S -f 900; exec")
    try await collector.says("listening on")
    let address = try await CollectorDeathTests.address(collector)
    var trial = Trial.endless
    trial.phones = 2_000
    trial.settings = ["network.deadline=4s"]
    let load = try Program.start(
      ["load"] + trial.options(out: folder["run"]) + ["--collector", address])
    defer { load.signal(SIGKILL) }
    try await load.says("acknowledged batches") { $0.contains(#/ measure .*acked=[1-9]/#) }
    try await load.says("uploads that fail") { $0.contains(#/failed=[1-9]/#) }
    #expect(try await ProcessTable.isAlive(collector.pid))
    let lift = try await Program.runTool(
      "prlimit", ["--pid", "\(collector.pid)", "--fsize=unlimited:unlimited"])
    #expect(lift.code == 0, "\(lift.errorOutput)")
    let printed = load.text.count
    try await load.says("acknowledged batches again") {
      $0.dropFirst(printed).contains(#/acked=[1-9]/#)
    }
    load.signal(SIGINT)
    let ended = try await load.end()
    #expect([98, 130].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    collector.signal(SIGTERM)
    #expect(try await collector.end().code == 0)
    let verified = try await Program.run(["verify", folder["live.sqlite"].path])
    #expect(verified.code == 0, "\(verified.text)\(verified.errorOutput)")
  }
}
