import Figures
import Fleet
import Phone
import TestSupport
import Testing

@testable import Core
@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("Trace of one phone", .quick)
struct PhoneStoryTests {
  private static let plan: RunPlan = {
    var scenario = Scenario.standard(phones: 40)
    scenario.warmStart = .hours(12)
    scenario.duration = .hours(6)
    return RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: 2, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
  }()

  /// A phone whose app has every permission.
  private static let story: PhoneStory = {
    let habits = FleetContext(plan.scenario).habits(0)
    let number = (0..<40 as Range<UInt32>).first { number in
      let phone = PhoneID(rawValue: number)
      return habits.authorization(of: phone) == .always && habits.tokenIsValid(phone)
    }
    return notify(PhoneID(rawValue: number!))
  }()

  private static func notify(_ phone: PhoneID) -> PhoneStory {
    PhoneStory(plan, phone: phone, progress: { _ in }, shouldStop: { false })
  }

  @Test("tracing a phone changes nothing")
  func changesNothing() {
    var traced = Self.plan
    traced.trace = PhoneTrace(phone: PhoneID(rawValue: 5))
    func digest(_ plan: RunPlan) -> RunRecord.Digest {
      Simulation(plan).run(progress: { _ in }, shouldStop: { false }).record.digest
    }
    #expect(digest(traced) == digest(Self.plan))
    #expect(traced.trace?.entries.isEmpty == false)
  }

  @Test("has one line per event, in order, from the phone's description to the server's content")
  func lines() {
    let story = Self.story
    let instants = story.entries.map(\.at)
    #expect(instants == instants.sorted())
    let lines = story.lines
    #expect(lines[0].hasPrefix("Phone \(story.phone.rawValue) of standard, seed 1: cohort"))
    #expect(lines[1] == "2026-03-01")
    for who in ["truth", "phone", "tracker", "fix", "outbox", "upload", "server"] {
      #expect(lines.contains { $0.dropFirst(10).hasPrefix(who) }, "\(who)")
    }
    #expect(
      lines.allSatisfy {
        $0.hasPrefix("Phone") || $0.count == 10 || $0.dropFirst(8).hasPrefix("  ")
      })
    let uploads = lines.filter { $0.contains("upload  batch") }.count
    let answers = lines.filter { $0.contains("upload  ") }.count - uploads
    #expect(uploads > 0 && abs(uploads - answers) <= 2)
  }

  @Test("LC11: an app starts whenever its owner opens it, even if swiped away before")
  func opened() {
    var plan = Self.plan
    plan.scenario.fleet.phone.forceQuit = 1
    plan.scenario.fleet.phone.sessionsPerDay = 24
    plan.scenario.fleet.phone.switchedOff = 0.2
    var afterForceQuit = 0
    for number: UInt32 in 0..<6 {
      let story = PhoneStory(
        plan, phone: PhoneID(rawValue: number), progress: { _ in }, shouldStop: { false })
      var isForceQuit = false
      for (at, what) in story.entries {
        switch what {
        case .edge(.forceQuit, let begins): isForceQuit = begins
        case .edge(.lookedAt, begins: true):
          afterForceQuit += isForceQuit ? 1 : 0
          let starts = story.entries.contains { later in
            guard case .delivered(.becameActive) = later.what else { return false }
            return later.at == at
          }
          #expect(starts, "phone \(number) at \(story.time(at))")
        case .edge, .truth, .process, .authorized, .crashed, .delivered, .fix, .command, .outbox,
          .pushRequested, .pushEnded, .stored, .cause, .live, .region, .consent:
          break
        }
      }
    }
    #expect(afterForceQuit > 10)
  }

  @Test("LC11: an app that was swiped away and opened again was launched by its owner")
  func launchedAgain() throws {
    var plan = Self.plan
    plan.scenario.fleet.phone.forceQuit = 1
    plan.scenario.fleet.phone.sessionsPerDay = 24
    let lines = PhoneStory(
      plan, phone: PhoneID(rawValue: 1), progress: { _ in }, shouldStop: { false }
    ).lines.map { $0.dropFirst(10) }
    let swipe = try #require(lines.firstIndex { $0.hasSuffix("owner force-quits the app") })
    let opening = try #require(
      lines[swipe...].firstIndex { $0.hasSuffix("owner opens the app") })
    // The owner may answer a prompt before the app runs.
    let next = lines[(opening + 1)...].filter { !$0.contains("prompt") }.prefix(2)
    #expect(next.contains { $0.hasSuffix("app launched by its owner") }, "\(next)")
  }

  @Test("silences tile the time, and the causes of each sum to its length")
  func silences() {
    for number: UInt32 in [0, 7, Self.story.phone.rawValue] {
      let story = Self.notify(PhoneID(rawValue: number))
      let silences = story.silences
      #expect(silences.reduce(.zero) { $0 + $1.length } == story.end - story.begin)
      for silence in silences {
        #expect(silence.causes.sum == silence.length)
        #expect(silence.moved <= silence.length)
      }
      let lines = story.silenceLines(count: 3)
      #expect(lines.count == 1 + 2 * min(3, silences.count))
    }
  }
}
