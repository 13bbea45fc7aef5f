package import Core
package import Foundation
internal import Uploads

/// Reads a GPX file of 100 MB as a scenario, and a log of ten million rows with `fit`; writes the
/// report of a day of a million phones, and opens it in Chromium.
package struct FileBench: Benchmark {
  package let name = "files"
  private let executable: String
  private let folder: URL
  private let rows: Int
  private let megabytes: Int
  private let reported: Int

  private static let phones = 2_000

  /// - Parameters:
  ///   - folder: the folder of the two files and of the run, which the first round writes.
  ///   - reported: the phones of the run whose report is written.
  package init(executable: String, folder: URL, rows: Int, megabytes: Int, reported: Int) {
    self.executable = executable
    self.folder = folder
    self.rows = rows
    self.megabytes = megabytes
    self.reported = reported
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("rows", .count(rows)), ("megabytes", .count(megabytes)), ("phones", .count(reported)),
    ]
  }

  package var bars: [BenchBar] {
    [
      BenchBar("fitSeconds", .atMost(60)), BenchBar("gpxSeconds", .atMost(3)),
      BenchBar("reportSeconds", .atMost(2)), BenchBar("openSeconds", .atMost(1)),
    ]
  }

  /// Returns the wall-clock seconds of `simulate --dry-run` with the GPX file, of `fit --dry-run`
  /// with the log, of `report` with the run, and, with Chromium, until the report is loaded.
  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    let (gpx, log) = (
      folder.appendingPathComponent("walk.gpx"), folder.appendingPathComponent("log.csv")
    )
    let scenario = folder.appendingPathComponent("walk.yaml")
    let run = RunProgram(executable: executable, folder: folder.appendingPathComponent("day"))
    if !FileManager.default.fileExists(atPath: log.path) {
      try write(Self.scenario, to: scenario)
      try write(gpxText(megabytes: megabytes), to: gpx)
      try write(logText(rows: rows), to: log)
      guard
        try run.run("simulate", ["metropolis", "--phones", "\(reported)", "--duration", "24h"])
          != nil
      else { return [] }
    }
    let walk = try seconds(clock, ["simulate", scenario.path, "--dry-run", "--quiet"])
    let fit = try seconds(clock, ["fit", "--log", log.path, "--dry-run", "--quiet"])
    let report = try seconds(clock, ["report", run.folder.path])
    let open = try opening(run.folder.appendingPathComponent("report.html"))
    return [("gpxSeconds", [walk]), ("fitSeconds", [fit]), ("reportSeconds", [report])]
      + (open.map { [("openSeconds", [$0])] } ?? [])
  }

  /// Returns nil without Chromium. Its start does not count: a page that is open loads the report.
  private func opening(_ report: URL) throws(ProgramError) -> Double? {
    guard let chromium = ProgramPath.find("chromium") else { return nil }
    let page = folder.appendingPathComponent("page.html")
    let text = """
      <!DOCTYPE html><title></title><script>const begun = performance.now()</script>
      <iframe src="\(report.absoluteString)" onload="document.title = performance.now() - begun">
      """
    try write(Array(text.utf8), to: page)
    return try Process.result(
      of: chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.path],
      name: "chromium"
    ) { dom in
      dom.firstMatch(of: #/<title>([0-9.]+)</title>/#).flatMap { Double($0.1) }.map { $0 / 1_000 }
    }
  }

  private static let scenario = Array(
    """
    scenario: walk
    duration: 1h
    warmStart: 0s
    fleet:
      phones: 10
      cohorts: [{ name: all, share: 100%, mobility: { gpx: walk.gpx }, policy: hybrid }]
    push: { scheduler: none }

    """.utf8)

  private func write(_ bytes: [UInt8], to file: URL) throws(ProgramError) {
    guard (try? Data(bytes).write(to: file)) != nil else {
      throw .failed(program: "writing \(file.lastPathComponent)", status: 1)
    }
  }

  private func seconds(
    _ clock: () -> WallInstant, _ arguments: [String]
  ) throws(ProgramError) -> Double {
    let began = clock()
    let process = try Process.started(executable, arguments)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw .failed(program: arguments.joined(separator: " "), status: process.terminationStatus)
    }
    return (clock() - began).seconds
  }

  // MARK: The files

  /// A walk with a point a second.
  private func gpxText(megabytes: Int) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(megabytes * 1_000_000 + 1_000)
    text += Array(
      """
      <?xml version="1.0"?>
      <gpx version="1.1" creator="bench" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>

      """.utf8)
    var draw = Draw(seed: 1, phone: 0, .benchLatencies, 1)
    var (latitude, longitude, second) = (52_500_000, 13_400_000, Int64(1_772_409_600))
    while text.count < megabytes * 1_000_000 {
      latitude += Int(draw.uniform(-50, 51))
      longitude += Int(draw.uniform(-50, 51))
      second += 1
      let time = CivilText.text(
        SimInstant(microseconds: second * 1_000_000), CivilClock(utcOffset: .zero))
      text += Array(
        ("<trkpt lat=\"\(Self.degrees(latitude))\" lon=\"\(Self.degrees(longitude))\"><ele>34.2</ele>"
          + "<time>\(time)Z</time><speed>1.4</speed></trkpt>\n").utf8)
    }
    return text + Array("</trkseg></trk></gpx>\n".utf8)
  }

  private func logText(rows: Int) -> [UInt8] {
    var text = Array("device,fixTime,receivedAt,lat,lon,accuracy,battery\n".utf8)
    text.reserveCapacity(rows * 62)
    var draw = Draw(seed: 1, phone: 0, .benchLatencies, 2)
    for phone in 0..<Self.phones {
      var (latitude, longitude) = (52_400_000 + phone * 100, 13_200_000 + phone * 200)
      var time = 1_772_434_800 + phone % 600
      for _ in 0..<rows / Self.phones {
        time += 5 + Int(draw.uniform(0, 20))
        latitude += Int(draw.uniform(-100, 101))
        longitude += Int(draw.uniform(-100, 101))
        let accuracy = 5 + Int(draw.uniform(0, 60))
        text += Array(
          ("phone\(phone),\(time),\(time / 300 * 300 + 300),\(Self.degrees(latitude)),"
            + "\(Self.degrees(longitude)),\(accuracy),0.8\n").utf8)
      }
    }
    return text
  }

  /// Returns millionths of a degree, which are positive, as degrees.
  private static func degrees(_ millionths: Int) -> String {
    let rest = String(millionths % 1_000_000)
    return "\(millionths / 1_000_000).\(String(repeating: "0", count: 6 - rest.count))\(rest)"
  }
}
