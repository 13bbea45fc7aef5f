internal import Capacity
internal import Core
import Figures

@testable import RunSupport
internal import Foundation
internal import Synchronization
internal import TestSupport
internal import Testing

@testable internal import Run
@testable internal import Scenarios

@Suite("A sensitivity study", .quick)
struct SensitivityStudyTests {
  /// Two prices of energy and a share of phones, in a small city.
  static let prefixes = [
    "profiles.energy[modern2022].satelliteMilliwatts",
    "profiles.energy[modern2022].wakeMillijoules", "fleet.phone.always",
  ]

  static func study(
    threads: Int = 2, figures: [StudyFigure] = StudyFigure.headlines, stars: Int = 2,
    points: Int = 20
  ) throws -> SensitivityStudy {
    let scenario = try VariedScenarioTests.city([
      "fleet.phones=40", "warmStart=2h", "duration=2h", "push.silentAfter=30min",
      // No battery gets low, so energy prices do not change what phones do.
      "fleet.phone.battery.chargeLeast=1",
    ])
    let varied = try VariedScenario(
      scenario, library: ComparisonTests.library, only: prefixes)
    let plan = RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: threads, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
    return SensitivityStudy(plan, varied, figures: figures, stars: stars, points: points)
  }

  static func record(_ study: SensitivityStudy) throws -> SensitivityRecord {
    let record = study.run(progress: { _ in }, shouldStop: { false })
    return try #require(record)
  }

  static func effect(
    _ path: String, on figure: StudyFigure, in record: SensitivityRecord
  ) throws -> SensitivityRecord.Effect {
    let found = try #require(record.figures.first { $0.name == figure })
    return try #require(
      found.effects.first { record.parameters[$0.parameter].path == path }, "\(path)")
  }

  @Test("counts its runs: one as written, the points, and stars of steps and another seed")
  func runs() throws {
    let study = try Self.study()
    #expect(study.varied.parameters.count == 3)
    #expect(study.runs == 1 + 20 + 2 * (2 + 3))
    let record = try Self.record(study)
    #expect(record.runs.done == study.runs && !record.isInterrupted)
    #expect(record.figures.map(\.name) == StudyFigure.headlines)
    for figure in record.figures { #expect(figure.effects.map(\.steps).allSatisfy { $0 <= 2 }) }
  }

  @Test("a price of energy increases battery use in proportion, and changes nothing else")
  func prices() throws {
    let record = try Self.record(try Self.study())
    for path in Self.prefixes.dropLast() {
      for figure in [StudyFigure.freshness, .batches] {
        let effect = try Self.effect(path, on: figure, in: record)
        // Common random numbers: every fix is the same.
        #expect(effect.meanAbsolute == 0 && effect.least == 0 && effect.most == 0)
      }
      let battery = try Self.effect(path, on: .battery, in: record)
      #expect(battery.mean > 0 && battery.direction == .up)
    }
    let permission = try Self.effect("fleet.phone.always", on: .batches, in: record)
    #expect(permission.mean > 0, "who may be tracked in the background sends more")
  }

  @Test("the figures of the scenario as written equal those of a separate run")
  func asWritten() throws {
    let study = try Self.study(points: 0)
    let record = try Self.record(study)
    let scenario = try VariedScenarioTests.city([
      "fleet.phones=40", "warmStart=2h", "duration=2h", "push.silentAfter=30min",
      // No battery gets low, so energy prices do not change what phones do.
      "fleet.phone.battery.chargeLeast=1",
    ])
    let plan = RunPlan(
      scenario: scenario, scenarioText: "", scenarioHash: 0, command: [], version: "t",
      threads: 1, startedAt: "", wall: { WallInstant(microseconds: 0) })
    let alone = Simulation(plan).run(progress: { _ in }, shouldStop: { false }).record
    for figure in record.figures {
      #expect(figure.value == figure.name.value(in: alone), "\(figure.name)")
      guard let sampled = figure.sampled, let value = figure.value else { continue }
      #expect(sampled.low <= value && value <= sampled.high)
    }
    #expect(record.figures[0].sampled != nil && record.figures[2].sampled != nil)
    #expect(record.figures.allSatisfy { $0.model == nil })
  }

  @Test("the model's interval is computed from the points, and needs no star")
  func interval() throws {
    let record = try Self.record(try Self.study(figures: [.battery], stars: 0, points: 24))
    let figure = try #require(record.figures.first)
    #expect(figure.effects.isEmpty && figure.otherSeed == nil)
    let values = figure.points.compactMap { $0 }
    let model = try #require(figure.model)
    #expect(values.count == 24 && model.points == 24)
    #expect(model.low < model.median && model.median < model.high)
    #expect((values.min() ?? 1) <= model.low && model.high <= (values.max() ?? 0))
  }

  @Test("is the same with other threads, byte for byte, except command, machine and timing")
  func deterministic() throws {
    var records = try [1, 3].map { try Self.record(try Self.study(threads: $0, points: 4)) }
    for i in records.indices { records[i].machine = RunRecord.Machine() }
    #expect(try records[0].json() == records[1].json())
    let again = try JSONDecoder().decode(SensitivityRecord.self, from: records[0].json())
    #expect(again == records[0] && again.damage == nil)
  }

  @Test("stopped early it reports the finished runs, and nothing before the first")
  func stopped() throws {
    let study = try Self.study(threads: 1)
    let done = Mutex(0)
    let stopped = study.run(
      progress: { progress in
        guard case .virtual(let snapshot) = progress else { return }
        let words = snapshot.progress.phase.split(separator: " ")
        done.withLock { $0 = Int(words[1]) ?? 0 }
      },
      shouldStop: { done.withLock { $0 >= 23 } })
    let record = try #require(stopped)
    #expect(record.isInterrupted && record.runs.done >= 23 && record.runs.done < study.runs)
    #expect(record.runs.pointsDone == 20)
    #expect(record.figures.allSatisfy { $0.points.count == 20 })
    let none = study.run(progress: { _ in }, shouldStop: { true })
    #expect(none == nil)
  }

  @Test("progress rises to all runs, with the number left")
  func progress() throws {
    let study = try Self.study(stars: 0, points: 5)
    let seen = Mutex<[Snapshot.Progress]>([])
    _ = study.run(
      progress: { progress in
        if case .virtual(let snapshot) = progress {
          seen.withLock { $0.append(snapshot.progress) }
        }
      }, shouldStop: { false })
    let all = seen.withLock { $0 }
    #expect(
      all.last?.phase == "run 6 of 6" && all.last?.share == 1 && all.last?.leftSeconds == 0)
    let shares = all.compactMap(\.share)
    #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 })
  }
}
