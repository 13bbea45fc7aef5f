import Foundation
import LiveSupport
import Testing

@Suite("Contents of a store", .timeLimit(.minutes(2)))
struct StoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func python(_ script: String) async throws -> String {
    let file = folder["check.py"]
    try Data(script.utf8).write(to: file)
    let ended = try await Program.runTool("python3", [file.path, folder.url.path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return ended.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("a store is verified, exported in three equal formats, and its damage is found")
  func wholeWay() async throws {
    let run = try await LedgerTests.run.value
    let record = try run.files.record
    let store = folder["store.sqlite"].path
    try FileManager.default.copyItem(atPath: run.files.store.path, toPath: store)
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

    // The reader closes after two lines.
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

  /// Reads the three files with third-party parsers, and compares them.
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
}
