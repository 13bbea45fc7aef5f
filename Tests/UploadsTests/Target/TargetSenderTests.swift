import Core
import Figures
import Fleet
import Foundation
import Phone
import Scenarios
import TestSupport
import Testing
@testable import Transport
@testable import Uploads
@testable import Targets
@testable import UploadsSupport

@Suite("Sender to a target", .quick)
struct TargetSenderTests {
  @Test("answers that come together after a stall make no first attempt late")
  func answersTogether() throws {
    let folder = try RigFolder()
    let file = try folder.file("bad.yaml", RigFolder.target("/ok"))
    _ = try folder.file("paths.csv", "path\nok\nok\nok\n")
    let clock = ManualClock()
    let rig = try SenderRig(file, phones: 3, clock: .manual(clock))
    let sent = Sent()
    rig.sender.carrier?.close()
    rig.sender.carrier = sent
    rig.sender.submit([
      rig.batch(of: 0, fixes: 1), rig.batch(of: 1, fixes: 1, after: .milliseconds(5)),
    ])
    rig.loop.runReady()
    #expect(sent.numbers.count == 1)
    // The loop has been busy with other answers for a while.
    clock.advance(to: clock.now + .milliseconds(20))
    let stored = TargetExchange(
      .answered(Targets.Answer(rule: 0, outcome: .stored), status: "200", kept: []))
    rig.sender.ended(sent.numbers[0], stored)
    #expect(sent.numbers.count == 2, "what was due goes before what comes of an answer")
  }

  @Test("a finished sender does nothing at the next instant, until it is started again")
  func leaves() throws {
    let folder = try RigFolder()
    let clock = ManualClock()
    let file = try folder.file("bad.yaml", RigFolder.target("/ok"))
    _ = try folder.file("paths.csv", "path\nok\n")
    let rig = try SenderRig(file, phones: 1, clock: .manual(clock))
    rig.sender.submit([rig.batch(of: 0, fixes: 1, after: .milliseconds(20))])
    rig.loop.runReady()
    rig.sender.abort()
    clock.advance(to: clock.now + .milliseconds(30))
    rig.loop.runReady()
    #expect(rig.sender.counters()[.scheduled] == 1, "its owner may let go of it at any instant")
    rig.sender.reopen()
    rig.loop.runReady()
    #expect(rig.sender.counters()[.scheduled] == 0)
  }

  @Test("a phone's own data is in its uploads, and the span in its read-back")
  func device() throws {
    let folder = try RigFolder()
    let file = try folder.file("bad.yaml", RigFolder.target("/ok"))
    _ = try folder.file("paths.csv", "path\nok\nok\n")
    let rig = try SenderRig(file, phones: 2, clock: .manual(ManualClock())) {
      $0.readback = Readback()
    }
    let sent = Sent()
    rig.sender.carrier?.close()
    rig.sender.carrier = sent
    var batch = rig.batch(of: 1, fixes: 2)
    batch.device = BatchDevice(batteryPercent: 81, isCharging: true, motion: .automotive)
    rig.sender.submit([batch])
    rig.loop.runReady()
    let device = try #require(sent.contexts.first?.device)
    #expect(device.batteryPercent == 81 && device.isCharging == true && device.motion == "driving")
    #expect(sent.contexts.first?.span == nil)
    rig.sender.readBack(1, on: .global()) { _ in }
    rig.loop.runReady()
    let span = try #require(sent.contexts.last?.span)
    let times = batch.fixes.map { $0.time.centiseconds * 10_000 + rig.sender.shift.microseconds }
    #expect(times.allSatisfy(span.contains) && span.contains(rig.setup.now()))
  }

  @Test("an accepted registration without the value to keep is failed, and its phone sends nothing")
  func keptValue() throws {
    let folder = try RigFolder()
    let registers = """
      register:
        once: phone
        path: /devices
        message: { id: 1 }
        keep: { session: /session }
        answer:
          - { when: { status: 201 }, is: stored }
      upload:
      """
    let file = try folder.file(
      "bad.yaml", RigFolder.target("/ok").replacing("\nupload:", with: "\n" + registers))
    _ = try folder.file("paths.csv", "path\nok\n")
    for value in [nil, "abc"] {
      let rig = try SenderRig(file, phones: 1, clock: .manual(ManualClock()))
      let sent = Sent()
      rig.sender.carrier?.close()
      rig.sender.carrier = sent
      rig.sender.submit([rig.batch(of: 0, fixes: 1)])
      rig.loop.runReady()
      let accepted = Targets.Answer(rule: 0, outcome: .stored)
      rig.sender.ended(
        sent.numbers[0], TargetExchange(.answered(accepted, status: "201", kept: [value])))
      rig.loop.runReady()
      let fates = rig.sender.tally.rows.map(\.fate)
      #expect(fates.map(\.kind) == [.registration])
      #expect(fates.map(\.meaning) == [value == nil ? "failed" : "stored"])
      #expect(sent.numbers.count == (value == nil ? 1 : 2))
    }
  }

  /// A carrier that only records.
  private final class Sent: TargetCarrier {
    var numbers: [UInt64] = []
    var contexts: [UploadContext] = []

    func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32) {
      numbers.append(number)
      contexts.append(request.context)
    }
    func fill(_ counters: inout Sheet) {}
    func close() {}
  }
}
