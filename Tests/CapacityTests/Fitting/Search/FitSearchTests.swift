internal import Core
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Capacity
@testable internal import Scenarios

@Suite("The search for a policy", .quick)
struct FitSearchTests {
  private static func start(_ seconds: Double = 60, send: Double = 300) -> FitStart {
    let monday: Int64 = 1_772_409_600_000_000
    let rows = (0..<100).map { number -> LogRow in
      var row = LogRow(phone: 0, time: monday + Int64(Double(number) * seconds * 1e6))
      row.latitude = 52 + Double(number) * 0.001
      row.longitude = 13
      return row
    }
    let log = PhoneLog(rows: rows, phones: ["a"], columns: [.time])
    let begin = SimInstant(microseconds: monday)
    let sample = LogSample(
      log, in: begin..<(begin + .hours(48)), clock: CivilClock(utcOffset: .zero))
    guard var start = FitStart(sample) else { preconditionFailure("a hundred fixes") }
    start.sendSeconds = send
    return start
  }

  /// Simulates nothing: the loss is the distance of the figures from a wanted policy.
  private static func search(
    for wanted: FitCandidate, from start: FitStart, budget: Int
  ) -> FitSearch {
    var search = FitSearch(from: start, budget: budget)
    while let candidate = search.next() {
      func apart(_ a: Double, _ b: Double) -> Double { abs(log((a + 1) / (b + 1))) }
      let loss =
        (candidate.service == wanted.service ? 0 : 1)
        + apart(candidate.seconds, wanted.seconds)
        + apart(candidate.sendSeconds, wanted.sendSeconds)
        + abs(candidate.offline - wanted.offline) * 4
        + (candidate.accuracy == wanted.accuracy ? 0 : 0.2)
        + ((candidate.meters == nil) == (wanted.meters == nil) ? 0 : 0.3)
      search.note(candidate, loss: loss / 10)
    }
    return search
  }

  @Test(
    "finds the wanted policy within a seventh, starting from figures four times off",
    arguments: FitCandidate.Service.allCases)
  func finds(_ service: FitCandidate.Service) throws {
    var wanted = FitCandidate(service, seconds: 240, sendSeconds: 100, maxFixes: 200)
    wanted.accuracy = .kilometer
    let search = Self.search(for: wanted, from: Self.start(60, send: 400), budget: 200)
    let found = try #require(search.nearest).candidate
    #expect(found.service == wanted.service)
    #expect(abs(log(found.seconds / 240)) < 0.15, "\(found.seconds)")
    #expect(abs(log(found.sendSeconds / 100)) < 0.15, "\(found.sendSeconds)")
    #expect(found.accuracy == .kilometer)
    #expect(found.meters == nil)
  }

  @Test("tries no candidate twice, stays in its budget, and is reproducible")
  func budget() {
    let wanted = FitCandidate(.moving, seconds: 30, sendSeconds: 0, maxFixes: 1)
    let search = Self.search(for: wanted, from: Self.start(), budget: 17)
    #expect(search.trials.count == 17)
    #expect(Set(search.trials.map(\.candidate)).count == 17)
    #expect(search.trials == Self.search(for: wanted, from: Self.start(), budget: 17).trials)
    #expect(search.isDone)
  }

  @Test("ends when nothing improves, and of equal candidates returns the first")
  func noGain() throws {
    var search = FitSearch(from: Self.start(), budget: 10_000)
    var count = 0
    while let candidate = search.next() {
      search.note(candidate, loss: 0.5)
      count += 1
    }
    #expect(count < 200)
    #expect(try #require(search.nearest).candidate == search.trials[0].candidate)
  }

  @Test("the usual value is that of the densest tenth of a decade")
  func mode() {
    let values = [1, 2, 58, 59, 60, 60, 61, 300, 900, 4_000].map(Double.init)
    #expect(FitStart.mode(values) == 60)
    #expect(FitStart.mode([]) == nil)
    #expect(FitStart.mode([0]) == nil)
  }

  @Test("the files of every candidate are a valid scenario that names its policy and profile")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("fitted-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let begin = SimInstant(microseconds: 1_772_434_830_000_000)
    var sensors = SensorEstimate(
      [Double](repeating: 4, count: 200) + [Double](repeating: 48.5, count: 30)
        + [Double](repeating: 1_414, count: 30))
    sensors.setCaution(
      log: [Double](repeating: 4, count: 60), simulated: [Double](repeating: 8, count: 60),
      standard: 1.08)
    #expect(sensors.caution == 0.54)
    var search = FitSearch(from: Self.start(0.4, send: 7.25), budget: 200)
    var number = 0.0
    while let candidate = search.next() {
      number += 1
      search.note(candidate, loss: 1 / number)
      var start = Self.start()
      start.network = .init(floor: 0.2, mean: 1.3)
      start.reduced = 0.125
      let files = FittedFiles(
        name: "fixes-1", source: "fixes.csv", candidate: candidate, start: start,
        sensors: sensors, window: begin..<(begin + .hours(30)),
        clock: CivilClock(utcOffset: .zero - .hours(5)), centre: (40.7, -74), phones: 7, seed: 3)
      for (path, text) in files.all {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      let library = ScenarioLibrary(folders: [folder.path])
      let scenario = try library.load(folder.appendingPathComponent("fixes-1.yaml").path)
      #expect(scenario.policies.map(\.name) == ["fixes-1"])
      #expect(scenario.policies[0].settings.send.maxFixes == candidate.maxFixes)
      #expect(scenario.fleet.phones == 7)
      #expect(scenario.duration == .hours(30))
      for file in library.dataFiles { _ = try library.check(file) }
    }
    #expect(number > 10)
  }
}
