internal import Core
import Figures
internal import Foundation
internal import TestSupport
internal import Testing
@testable internal import Capacity

@Suite("Figures of a log without a simulation", .quick)
struct LogStudyTests {
  private static let monday: Int64 = 1_772_409_600_000_000  // 2026-03-02T00:00Z
  private static let week =
    SimInstant(microseconds: monday)..<(SimInstant(microseconds: monday) + .hours(168))

  /// Phones with a fix every `seconds`, sent in batches of `batch` three seconds after the newest.
  /// Below 1,000 fixes none is an outlier.
  private static func log(
    phones: Int = 4, fixes: Int = 240, seconds: Int64 = 60, batch: Int64 = 5
  ) -> PhoneLog {
    var rows: [LogRow] = []
    for phone in 0..<phones {
      for number in 0..<Int64(fixes) {
        let time = monday + (number * seconds + Int64(phone)) * 1_000_000
        let newest = (number / batch * batch + batch - 1) * seconds + Int64(phone)
        rows.append(
          LogRow(
            phone: UInt32(phone), time: time, received: monday + (newest + 3) * 1_000_000,
            accuracy: number % 4 == 0 ? 65 : 5))
      }
    }
    return PhoneLog(
      rows: rows.reversed(), phones: (0..<phones).map { "phone \($0)" },
      columns: [.phone, .time, .received, .accuracy])
  }

  @Test("intervals, delays, batches and times between them match the settings that made the log")
  func start() throws {
    let study = try #require(LogStudy(Self.log()))
    let start = try #require(study.start)
    #expect(start.seconds == 60)
    #expect(start.sendSeconds == 300)
    #expect(start.maxFixes == 5)
    #expect(start.network?.floor == 3)
    #expect(study.whole.delays.first == 3)
    #expect(study.whole.delays.last == 243)
    #expect(study.whole.batches.allSatisfy { $0 == 5 })
    let mix = try #require(SourceMix(study.whole.accuracies))
    #expect(abs(mix.satellites - 0.75) < 1e-9)
    #expect(SensorEstimate(study.whole.accuracies).steps.contains { $0.meters == 65 })
  }

  @Test("a gap is a silence of half an hour or more; one cut by the log's end is censored")
  func silences() {
    let rows = [0, 600, 3_600, 3_660].map {
      LogRow(phone: 0, time: Self.monday + $0 * 1_000_000)
    }
    let log = PhoneLog(rows: rows, phones: ["a"], columns: [.time])
    let begin = SimInstant(microseconds: Self.monday)
    let sample = LogSample(
      log, in: begin..<(begin + .hours(3)), clock: CivilClock(utcOffset: .zero))
    #expect(sample.silences.map(\.time) == [3_000, 7_140])
    #expect(sample.silences.map(\.isEvent) == [true, false])
    #expect(sample.hours[0] == 2)
    #expect(sample.hours[1] == 2)
  }

  @Test("fixes a week away from all others are reported and do not move the log's start")
  func astray() throws {
    let log = Self.log(phones: 1)
    let far = [0, Self.monday + 90 * 86_400_000_000, Self.monday + 91 * 86_400_000_000].map {
      LogRow(phone: 0, time: $0)
    }
    let study = try #require(
      LogStudy(PhoneLog(rows: log.rows + far, phones: log.phones, columns: log.columns)))
    #expect(study.window == LogStudy(log)?.window)
    #expect(study.whole.fixes == 240)
    let notes = study.describe(files: []).notes
    #expect(notes == ["3 more than a week away from all others, skipped"])
    #expect(LogStudy(log)?.describe(files: []).notes == nil)
  }

  @Test("a log without phones is reported as one phone for each file")
  func noPhones() throws {
    let log = try LogReader.log("time\n1714550400\n1714550460\n", "time\n1714550400\n")
    let record = try #require(LogStudy(log)).describe(files: [])
    #expect(record.notes == ["no column 'phone', so each file is one phone"])
    #expect(record.phones == 2)
  }

  @Test("halves are of equal size, and depend on phone names alone, not on the order of rows")
  func halves() throws {
    let names = (0..<101).map { "phone \($0)" }
    func held(_ names: [String]) throws -> Set<String> {
      let log = PhoneLog(
        rows: names.indices.map { LogRow(phone: UInt32($0), time: Self.monday) }, phones: names,
        columns: [.time])
      return Set(try #require(log.halves(in: Self.week)).held.map { names[$0] })
    }
    let first = try held(names)
    #expect(first.count == 50)
    #expect(try held(names.reversed()) == first)
    #expect(Self.log(phones: 1).halves(in: Self.week) == nil)
  }

  @Test("a missing figure has a reason: no column, too few values, too few in one half")
  func missing() throws {
    let small = try #require(LogStudy(Self.log(phones: 2, fixes: 20)))
    let missing = Dictionary(
      uniqueKeysWithValues: small.figures(nil).map { ($0.figure, $0.missing ?? "") })
    #expect(missing[.intervals] == "too few values: 38 of 50 required")
    #expect(missing[.delays] == "too few values: 40 of 50 required")
    let bare = PhoneLog(
      rows: Self.log().rows, phones: Self.log().phones, columns: [.phone, .time])
    let study = try #require(LogStudy(bare))
    let figures = study.figures(nil)
    #expect(figures.first { $0.figure == .accuracy }?.missing == "the log has no column 'accuracy'")
    let uneven = try #require(LogStudy(Self.log(phones: 2, fixes: 40)))
    #expect(
      uneven.figures(nil).first { $0.figure == .intervals }?.missing
        == "too few values in one half: 39 of 50 required")
  }

  @Test("a log's own simulation has distance 0, and is judged by the held-out half")
  func judged() throws {
    let study = try #require(LogStudy(Self.log()))
    let same = study.sample(of: Self.log())
    for figure in study.figures(same) where figure.log != nil && figure.figure != .silences {
      #expect(figure.heldDistance == 0, "\(figure.figure)")
      #expect(figure.floor == 0)
    }
    #expect(study.fitted.loss(to: same) == 0)
    let other = study.sample(of: Self.log(seconds: 90))
    #expect((study.fitted.loss(to: other) ?? 0) > 0.1)
  }

  @Test("a record reads back as written")
  func record() throws {
    let study = try #require(LogStudy(Self.log()))
    var record = FitRecord()
    record.log = study.describe(files: ["a.csv"])
    record.start = study.start
    record.figures = study.figures(study.whole)
    record.logHours = study.whole.hours
    record.trials = [
      .init(candidate: FitCandidate(.wakes, seconds: 60, sendSeconds: 0, maxFixes: 1), loss: 0.5)
    ]
    record.fitted = record.trials[0].candidate
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("fit-\(ProcessInfo.processInfo.processIdentifier).json")
    defer { try? FileManager.default.removeItem(at: folder) }
    try record.json().write(to: folder)
    #expect(try FitRecord.read(from: folder) == record)
  }

  // MARK: Real logs

  private static let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/data/phone-logs")

  static var hasData: Bool { FileManager.default.fileExists(atPath: data.path) }

  /// Files of one format, and the mapping of their columns.
  static let formats: [(files: [String], columns: String?, rows: Int, phones: Int)] = [
    (
      [
        "ssi-Utrecht1-2024-06-27.csv", "ssi-Utrecht2-2024-06-27.csv",
        "ssi-Utrecht4-2024-06-19.csv", "ssi-Utrecht6-2024-06-29.csv",
      ], nil, 36_099, 4
    ),
    (
      [1, 10, 22, 27, 32].map { "oba-bus-trip\($0).csv" },
      "time=5,latitude=6,longitude=7,accuracy=11", 5_915, 5
    ),
    (["goal-delivery-200.csv"], "phone=trace,time=t_s", 14_400, 200),
  ]

  @Test(
    "logs of real phones need a column mapping and no other code",
    .needsData(hasData, "no ../shared/data/phone-logs"), arguments: formats.indices)
  func real(_ number: Int) throws {
    let format = Self.formats[number]
    var reader = LogReader(try format.columns.map { try ColumnMapping($0) } ?? ColumnMapping())
    for file in format.files {
      reader.begin(file)
      try reader.take(Array(try Data(contentsOf: Self.data.appendingPathComponent(file))))
      try reader.end()
    }
    let log = try reader.finish()
    #expect(log.counts.rows == format.rows)
    #expect(log.phones.count == format.phones)
    #expect(log.counts.skipped == 0)
    let study = try #require(LogStudy(log))
    let start = try #require(study.start)
    // All were recorded at one fix in one to five seconds.
    #expect((0.5...6).contains(start.seconds), "\(start.seconds)")
    // Rides of other weeks are outside the week that is read.
    if format.phones == 200 { #expect(study.held?.phones == 100) }
  }
}
