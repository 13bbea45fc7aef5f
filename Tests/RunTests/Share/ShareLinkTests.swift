import Core
import Scenarios
import TestSupport
import Testing

@testable import Run
@testable import ServerLogic
@testable import Uploads
@testable import RunSupport

@Suite("The link between the processes of a run", .quick)
struct ShareLinkTests {
  private static func plan(
    _ scenario: Scenario = .standard(phones: 90), version: String = "1", at: String = "2026"
  ) -> RunPlan {
    RunPlan.test(scenario, version: version, startedAt: at)
  }

  // MARK: Values

  @Test("every process gets the values of all, in the order of their phones, round after round")
  func exchange() {
    let shares = ThreadShares(3)
    let seen = shares.run { link in
      (0..<50).map { round in link.exchange([round, link.place.number]) }
    }
    let all = (0..<50).map { round in (0..<3).map { [round, $0] } }
    #expect(seen.allSatisfy { $0 == all })
  }

  @Test("the first process's value reaches all")
  func fromFirst() {
    let seen = ThreadShares(3).run { link in
      link.fromFirst(link.place.isFirst ? "127.0.0.1:7070" : nil)
    }
    #expect(seen == ["127.0.0.1:7070", "127.0.0.1:7070", "127.0.0.1:7070"])
  }

  @Test("an ended process releases those that wait, and is not part of their next rounds")
  func release() {
    let seen = ThreadShares(3).run { link -> [[Int?]] in
      let first = link.exchange(link.place.number)
      if link.place.number == 1 {
        _ = link.end(.unmeasured)
        return [first]
      }
      let rest = [link.exchange(link.place.number), link.exchange(link.place.number)]
      _ = link.end(.unmeasured)
      return [first] + rest
    }
    #expect(seen[1] == [[0, 1, 2]])
    for other in [0, 2] { #expect(seen[other] == [[0, 1, 2], [0, nil, 2], [0, nil, 2]]) }
  }

  @Test("the first process's value is nil once it has ended")
  func firstEnded() {
    let seen = ThreadShares(2).run { link -> String? in
      if !link.place.isFirst {
        let value: String? = link.fromFirst(nil)
        _ = link.end(.unmeasured)
        return value ?? "none"
      }
      return "\(link.end(.failed("no collector")))"
    }
    #expect(seen[1] == "none")
    #expect(seen[0]?.contains("no collector") == true && seen[0]?.contains("unmeasured") == true)
  }

  @Test("the cut of a sweep is that of all bids received")
  func agree() {
    let cuts = ThreadShares(3).run { link in
      let number = UInt64(link.place.number)
      return link.agree(on: SweepBids(sweep: 4, allowed: 4, keys: [10 + number, 20 + number]))
    }
    #expect(cuts == [.through(20), .through(20), .through(20)])
  }

  @Test("all start at one instant, a lead after the last is ready")
  func start() {
    let instants = ThreadShares(3).run { link in
      let ready = WallInstant(microseconds: Int64(1_000 * (link.place.number % 2)))
      return link.startInstant(in: .milliseconds(300)) { ready }
    }
    #expect(Set(instants.map(\.microseconds)) == [301_000])
  }

  // MARK: Seconds

  @Test("the first process gets the figures of all for a second; the others get none")
  func intervals() {
    let shares = ThreadShares(2)
    let (first, second) = (shares.link(0), shares.link(1))
    first.post(ShareIntervalTests.share(0..<30))
    #expect(first.takeInterval() == nil)
    second.post(ShareIntervalTests.share(30..<90))
    #expect(second.takeInterval() == nil)
    #expect(first.takeInterval()?.load.counters[.offeredBatches] == 90)
  }

  // MARK: Stopping

  @Test("an interruption of one process interrupts all")
  func stopping() {
    let shares = ThreadShares(2)
    var isInterrupted = false
    let (first, second) = (shares.link(0), shares.link(1))
    let (own, other) = (first.stopping { isInterrupted }, second.stopping { false })
    #expect(!own() && !other())
    isInterrupted = true
    #expect(own() && other())
    isInterrupted = false
    #expect(own())
  }

  // MARK: One run

  @Test("processes that join begin when the first does, each with its own phones")
  func join() throws {
    let plans = ThreadShares(3).run { link in
      var plan = Self.plan(at: "at \(link.place.number)")
      do throws(ShareLinkError) { try plan.join(link) } catch { Issue.record(error) }
      return plan
    }
    #expect(plans.map(\.startedAt) == ["at 0", "at 0", "at 0"])
    #expect(plans.map(\.phones) == [0..<30, 30..<60, 60..<90])
    let alone = Self.plan()
    #expect(alone.phones == 0..<90 && alone.startedAt == "2026" && alone.agree == nil)
  }

  @Test("a process with another scenario, or another program, is named in all of them")
  func otherRun() {
    func errors(_ other: @escaping @Sendable () -> RunPlan) -> [ShareLinkError?] {
      ThreadShares(3).run { link in
        var plan = link.place.number == 1 ? other() : Self.plan()
        do throws(ShareLinkError) { try plan.join(link) } catch { return error }
        return nil
      }
    }
    let scenario = ShareLinkError.otherScenario(process: "process 2 of 3")
    #expect(errors { Self.plan(.standard(phones: 91)) } == [scenario, scenario, scenario])
    #expect("\(scenario)".contains("--seed"))
    let program = ShareLinkError.otherProgram(process: "process 2 of 3", "2", "1")
    #expect(errors { Self.plan(version: "2") } == [program, program, program])
  }

  @Test("a process that has ended before the run is named")
  func endedBefore() {
    let errors = ThreadShares(2).run { link -> ShareLinkError? in
      if link.place.number == 1 {
        _ = link.end(.failed("no such scenario"))
        return nil
      }
      var plan = Self.plan()
      do throws(ShareLinkError) { try plan.join(link) } catch { return error }
      return nil
    }
    #expect(errors[0] == .ended(process: "process 2 of 2"))
  }
}
