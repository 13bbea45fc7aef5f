import Core
import Fleet
import Foundation
import Push
import ServerLogic
import TestSupport
import Testing
@testable import Run
@testable import RunSupport

/// A process's part, sent to another process or in a file.
@Suite("A share of a run, written and read", .quick)
struct RunShareTests {
  private func share() -> RunShare {
    let context = FleetContext(RunPlan.twoHours().scenario)
    var share = RunShare(
      fleet: FleetAccount(context, phones: 0..<40), server: ServerAccount())
    var draw = Draw(seed: 7, phone: 0, .person)
    for n in 0..<500 {
      let at = SimInstant(microseconds: 1_772_433_060_000_000 + Int64(n / 9) * 60_000_000)
      let outcome = WakeOutcome.allCases[n % WakeOutcome.allCases.count]
      let later = at + .microseconds(Int64(draw.next() % 4_000_000_000))
      var ending = PushEnding(
        id: draw.next() >> 3, phone: PhoneID(rawValue: UInt32(n % 40)), requestedAt: at,
        outcome: outcome, causedAt: n % 3 == 0 ? later : .distantFuture)
      ending.counterfactualReport = [nil, .distantFuture, later][n % 3]
      share.fleet.pushEndings.append(ending)
      share.server.wake.occasions.append(
        WakeOccasion(
          pushID: ending.id, at: at, isWithheld: n % 5 == 0,
          answeredAfter: n % 2 == 0 ? later - at : nil, isPending: n % 7 == 0,
          manner: n % 4 == 0 ? .ofScenario : PushManner(.alert, priority: 10, asksToRun: n % 2 == 0)
        ))
      share.server.wake.requests.append(at)
    }
    return share
  }

  @Test("every push reads back unchanged")
  func roundTrip() throws {
    let share = share()
    let data = try JSONEncoder().encode(ShareEnd.measured(share))
    #expect(try JSONDecoder().decode(ShareEnd.self, from: data) == .measured(share))
    #expect(!String(decoding: data, as: UTF8.self).contains("causedAt"))
  }

  @Test("truncated pushes are an error")
  func damage() throws {
    let data = try JSONEncoder().encode(share())
    var fields = try #require(
      try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let text = try #require(fields["pushes"] as? String)
    let bytes = try #require(Data(base64Encoded: text))
    for length in [0, 1, bytes.count / 2, bytes.count - 1] {
      fields["pushes"] = bytes.prefix(length).base64EncodedString()
      let damaged = try JSONSerialization.data(withJSONObject: fields)
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(RunShare.self, from: damaged)
      }
    }
  }
}
