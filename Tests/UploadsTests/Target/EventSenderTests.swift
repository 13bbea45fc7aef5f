import Core
import Foundation
import Phone
import Scenarios
import TestSupport
import Testing
@testable import Transport
@testable import Uploads
@testable import Targets
@testable import UploadsSupport

@Suite("Events sent to a target", .quick)
struct EventSenderTests {
  /// A carrier that only records.
  private final class Sent: TargetCarrier {
    var requests: [(number: UInt64, kind: RequestKind, context: UploadContext)] = []

    func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32) {
      requests.append((number, request.kind, request.context))
    }
    func fill(_ counters: inout Sheet) {}
    func close() {}
  }

  private struct Setup {
    let folder: RigFolder
    let rig: SenderRig
    let sent = Sent()

    init(events: String, before: String = "") throws {
      folder = try RigFolder()
      let text = RigFolder.target("/ok")
        .replacing("\nupload:", with: "\n\(before)upload:")
        .replacing("\nanswer:", with: "\nevents: \(events)\nanswer:")
        .replacing(
          "field: { /result: ok } }, is: stored }",
          with: "field: { /result: ok } }, is: stored }\n  - { when: { status: 410 }, is: refused }"
        )
      let file = try folder.file("bad.yaml", text)
      _ = try folder.file("paths.csv", "path\nok\nok\n")
      rig = try SenderRig(file, phones: 2, clock: .manual(ManualClock()))
      rig.sender.carrier?.close()
      rig.sender.carrier = sent
    }

    func submit(_ kind: AppEvent.Kind, attempt: UInt32) {
      var batch = rig.batch(of: 1, fixes: 1)
      batch.id.sequence = 7
      batch.attempt = attempt
      let noticed = SimInstant(microseconds: batch.fixes[0].time.centiseconds * 10_000)
      batch.event = (
        AppEvent(kind, number: 7, noticed: noticed, happened: nil), FixTime(noticed)
      )
      rig.sender.submit([batch])
      rig.loop.runReady()
    }

    func answer(_ place: Int, _ outcome: Targets.Answer.Outcome) {
      let answer = Targets.Answer(rule: 0, outcome: outcome)
      rig.sender.ended(
        sent.requests[place].number,
        TargetExchange(.answered(answer, status: "200", kept: [])))
      rig.loop.runReady()
    }

    var result: UploadResult? { rig.known[1] }
  }

  private static let plain = "{ path: /events, message: { kind: $event, at: $noticed.s } }"

  @Test("an event is one request, and its answer is the result of the phone's attempt")
  func results() throws {
    for (outcome, result) in [
      (Targets.Answer.Outcome.stored, UploadResult.acknowledged), (.duplicate, .acknowledged),
      (.refused(reason: "gone"), .refused), (.failed, .failed), (.retry(after: nil), .failed),
    ] {
      let setup = try Setup(events: Self.plain)
      setup.submit(.enter, attempt: 3)
      let request = try #require(setup.sent.requests.first)
      #expect(setup.sent.requests.count == 1 && request.kind == .event)
      #expect(request.context.event?.kind == .enter && request.context.sequence == 7)
      setup.answer(0, outcome)
      #expect(setup.result == result, "\(outcome)")
      #expect(setup.rig.sender.tally.rows.map(\.fate.kind) == [.event])
      // Events are in no count of fixes or batches.
      let counts = setup.rig.sender.counters()
      #expect(counts[.submitted] == 0 && counts[.acknowledged] == 0 && counts[.inFlight] == 0)
      #expect(setup.rig.sender.account.handed == 0)
    }
  }

  @Test("an app that keeps no failed event treats a failure as the end")
  func unkept() throws {
    let setup = try Setup(events: Self.plain.replacing("{ path", with: "{ keep: no, path"))
    setup.submit(.exit, attempt: 1)
    setup.answer(0, .failed)
    #expect(setup.result == .refused)
  }

  @Test("a late answer to an earlier attempt is ignored")
  func late() throws {
    let setup = try Setup(events: Self.plain)
    setup.submit(.exit, attempt: 1)
    setup.submit(.exit, attempt: 2)
    setup.answer(0, .stored)
    #expect(setup.result == nil)
    setup.answer(1, .stored)
    #expect(setup.result == .acknowledged)
  }

  @Test("an app that must register registers first, and repeats its event")
  func registration() throws {
    let setup = try Setup(
      events: Self.plain,
      before: """
        register:
          once: phone
          path: /devices
          message: { id: 1 }
          answer:
            - { when: { status: 201 }, is: stored }

        """)
    setup.submit(.enter, attempt: 1)
    #expect(setup.sent.requests.map(\.kind) == [.registration] && setup.result == .failed)
    setup.answer(0, .stored)
    setup.submit(.enter, attempt: 2)
    #expect(setup.sent.requests.map(\.kind) == [.registration, .event])
    setup.answer(1, .stored)
    #expect(setup.result == .acknowledged)
  }

  @Test("at the end of a run, an event that waits for the rate limit returns to its phone")
  func drain() throws {
    let setup = try Setup(events: Self.plain, before: "rateLimit: 0.001/s\n")
    setup.submit(.enter, attempt: 1)
    setup.submit(.enter, attempt: 2)
    #expect(setup.sent.requests.count == 1)
    setup.rig.sender.drain()
    #expect(setup.result == .failed)
    #expect(setup.rig.sender.counters()[.inFlight] == 1)
  }
}
