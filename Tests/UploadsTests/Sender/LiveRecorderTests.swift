import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Fleet
@testable import Phone
@testable import Transport
@testable import Uploads

@Suite("The recorder of a live run", .quick)
struct LiveRecorderTests {
  static let start = SimInstant(microseconds: 1_772_433_000_000_000)
  static let clock = PacedClock(
    scenarioStart: start, wallStart: WallInstant(microseconds: 5_000_000), speed: 60)

  /// Measured time: wall-clock second 1 to 3.
  func recorder() -> LiveRecorder {
    LiveRecorder(
      clock: Self.clock, measureStart: Self.start + .seconds(60),
      measureEnd: Self.start + .seconds(180), deadline: .seconds(10), epoch: 1)
  }

  func order(at wall: WallDuration) -> UploadOrder {
    UploadOrder(
      id: BatchID(phone: PhoneID(rawValue: 1), epoch: 1, sequence: 1), attempt: 1,
      intended: Self.clock.scenario(at: Self.clock.wallStart + wall), perceivedAt: Self.start,
      reachesServer: Self.start, firstFix: 0, fixCount: 3, registers: false,
      authorization: .always, tokenIsValid: true,
      cohort: 0)
  }

  func completion(
    at wall: WallDuration, lag: WallDuration, _ outcome: UploadOutcome
  ) -> UploadCompletion {
    UploadCompletion(
      id: 7, phone: 1, outcome: outcome, attempts: 1, intended: Self.clock.wallStart + wall,
      generatorLag: lag, connect: .microseconds(50), hold: .zero, service: .microseconds(400),
      registration: nil)
  }

  func report(_ completions: [UploadCompletion]) -> UploadReport {
    var report = UploadReport()
    report.completions = completions
    return report
  }

  @Test("a sample belongs to the phase of its intended time, not of its answer")
  func phases() {
    let recorder = recorder()
    recorder.offered([order(at: .milliseconds(900)), order(at: .milliseconds(1_000))])
    _ = recorder.completed(
      report([
        completion(
          at: .milliseconds(999), lag: .seconds(1), .acknowledged(duplicate: false, fixes: 3)),
        completion(
          at: .milliseconds(1_500), lag: .microseconds(9),
          .acknowledged(duplicate: false, fixes: 3)),
      ]))
    let totals = recorder.totals(allowance: .milliseconds(50))
    #expect(totals.counts[.offeredBatches] == 1)
    #expect(totals.counts[.offeredFixes] == 3)
    #expect(totals.counts[.acknowledgedBatches] == 1)
    #expect(totals.latency.response.total == 1)
    #expect(totals.latency.generatorLag.max == 9)
  }

  @Test("a failed batch is a censored sample at its deadline or later")
  func failures() {
    let recorder = recorder()
    let inputs = recorder.completed(
      report([completion(at: .seconds(2), lag: .zero, .timedOut)]))
    let totals = recorder.totals(allowance: .milliseconds(50))
    #expect(totals.latency.response.censored == 1)
    #expect(totals.failures == ["DEADLINE_EXCEEDED": 1])
    #expect(inputs.map(\.input) == [.outcome(attempt: 7, .failed)])
  }

  @Test("an answer to the second installation's batch is that batch's, in the journal")
  func epoch() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("journal-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let id = BatchID(phone: PhoneID(rawValue: 1), epoch: 2, sequence: 5)
    do {
      let journal = try FleetJournal(
        directory: folder,
        JournalHeader(scenarioHash: 1, seed: 1, hashKey: 1, phones: 2, runID: "r"))
      journal.submit(
        JournalRecord.Submission(
          id: id, fixCount: 3, hash: 9, at: Self.start, newest: FixTime(centiseconds: 1), check: 0,
          message: [1]),
        as: id)
      let recorder = LiveRecorder(
        clock: Self.clock, measureStart: Self.start, measureEnd: Self.start + .hours(1),
        deadline: .seconds(10), epoch: 2, journal: journal)
      var answered = completion(
        at: .seconds(1), lag: .zero, .acknowledged(duplicate: false, fixes: 3))
      answered.id = UploadName(5, attempt: 1).rawValue
      _ = recorder.completed(report([answered]))
    }
    let content = try FleetJournal.read(directory: folder)
    #expect(content.batches[id]?.fate == .acknowledged)
    let proof = BatchProof(content) { $0 == id }
    #expect(proof.acknowledgedMissing == [] && proof.expectedHash == 9)
  }

  @Test("statuses that no retry can change are refusals, the others failures")
  func refusals() {
    #expect(UploadClassifier.result(.failed(.invalidArgument)) == .refused)
    #expect(UploadClassifier.result(.failed(.unavailable)) == .failed)
    #expect(UploadClassifier.result(.failed(.resourceExhausted)) == .failed)
    #expect(UploadClassifier.result(.timedOut) == .failed)
    #expect(UploadClassifier.result(.acknowledged(duplicate: true, fixes: 1)) == .acknowledged)
  }

  @Test(
    "a generator that is late for longer than the SLO's latency is named",
    arguments: [(WallDuration.milliseconds(12), false), (.milliseconds(400), true)])
  func deficit(lag: WallDuration, isInvalid: Bool) {
    let recorder = recorder()
    // 100 uploads a second; ten in a row start late.
    let orders = (0..<300).map { order(at: .milliseconds(Int64($0) * 10)) }
    recorder.offered(orders)
    recorder.offered([])
    var report = UploadReport()
    for n in 0..<300 {
      let isLate = (150..<160).contains(n)
      report.completions.append(
        completion(
          at: .milliseconds(Int64(n) * 10), lag: isLate ? lag : .microseconds(50),
          .acknowledged(duplicate: false, fixes: 3)))
    }
    _ = recorder.completed(report)
    let reason = recorder.totals(allowance: .milliseconds(50)).deficitReason
    #expect((reason != nil) == isInvalid, "\(reason ?? "kept up")")
  }
}
