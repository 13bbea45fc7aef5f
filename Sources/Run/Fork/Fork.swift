package import Core
internal import Fleet
internal import Foundation
package import Scenarios
internal import ServerLogic

/// An opened checkpoint, from which several runs can continue.
package struct Fork: Sendable {
  package let path: String
  package let instant: SimInstant
  package let before: Scenario
  private let reader: LifeReader
  private let text: String

  /// Opens a checkpoint and checks its checksums and its key. The phones are read later.
  package init(
    _ path: String, program: String, from library: ScenarioLibrary
  ) throws(LifeFileError) {
    self.path = path
    reader = try LifeReader(path)
    let key = reader.head.key
    guard key.kind == .checkpoint, let text = reader.head.scenario else {
      throw .foreign("it is a cached warm start; give --from a file that --checkpoint wrote")
    }
    guard !program.isEmpty, key.program == program else {
      throw .foreign("another build of the program wrote it; write it again with this build")
    }
    self.text = text
    instant = SimInstant(microseconds: key.instant)
    do throws(ScenarioError) {
      before = try library.load(text: text, from: path)
    } catch {
      throw .foreign("its scenario cannot be read here: \(error.diagnostics[0])")
    }
    guard key.scenario == LifeKey.hash(before), key.firstPhone == 0,
      key.endPhone == before.fleet.phones, before.start < instant, instant < before.measureEnd
    else { throw .foreign("its scenario or the files it names have changed") }
  }

  /// Returns the scenario with changes from `instant` on; throws for an invalid or late change.
  package func scenario(
    with changes: [ScenarioChange], from library: ScenarioLibrary
  ) throws(ForkError) -> Scenario {
    for change in changes {
      // A setting that is invalid on its own is reported below, with all other settings.
      guard let alone = try? library.load(text: text, from: path, settings: [change]) else {
        continue
      }
      guard alone.canFollow(before) else { throw .tooLate(change.words) }
    }
    var scenario: Scenario
    do throws(ScenarioError) {
      scenario = try library.load(text: text, from: path, settings: changes)
    } catch {
      throw .scenario(error)
    }
    guard scenario.canFollow(before) else {
      throw .tooLate(changes.map(\.words).joined(separator: " "))
    }
    // The figures begin at `instant`, or at the end of the ramp if that is later.
    scenario.phases.ramp = max(scenario.phases.ramp, instant - scenario.start)
    return scenario
  }

  /// Restores the fleet and its server for a plan with a scenario from `scenario(with:from:)`.
  package func life(_ plan: RunPlan) throws(LifeFileError) -> ForkedLife {
    let scenario = plan.scenario
    do throws(FleetStateError) {
      let (fleet, _) = try PhoneFleet.restored(
        scenario, phones: 0..<scenario.fleet.phones, threads: plan.threads * 8, at: instant,
        from: reader, writtenIn: before)
      var time = VirtualTime(
        fleet: fleet,
        backend: Backend(
          phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
          hashKey: fleet.context.hashKey))
      try time.takeUpServer(try piece(.server), terms: before.push.terms, at: instant)
      try time.takeUpTraffic(try piece(.traffic))
      var backend = time.backend
      var held: [(hash: UInt64, fixes: Int)] = []
      let base = fleet.goOnCounting(
        after: before, holds: { backend.holds($0) }, carry: { held.append(($0, $1)) })
      for batch in held { time.backend.carry(hash: batch.hash, fixes: batch.fixes) }
      return ForkedLife(
        life: BegunLife(time: time, base: base, finder: nil),
        origin: "continues from \(path), a checkpoint of "
          + "\(ClockText.text(instant, scenario.clock)); figures cover the time after it")
    } catch {
      throw .damaged(error.description)
    }
  }

  private func piece(_ kind: LifePart) throws(FleetStateError) -> [UInt8] {
    do throws(LifeFileError) {
      let contents = try reader.contents(kind)
      guard contents.count == 1 else { throw .damaged("it is incomplete") }
      return contents[0]
    } catch {
      throw .unreadable(error.description)
    }
  }
}

package struct ForkedLife {
  let life: BegunLife
  package let origin: String
}

package enum ForkError: Error, Equatable, Sendable, CustomStringConvertible {
  case scenario(ScenarioError)
  /// The setting affects what was already simulated.
  case tooLate(String)

  package var description: String {
    switch self {
    case .scenario(let error): "\(error)"
    case .tooLate(let words):
      """
      \(words): cannot change after a checkpoint; only a cohort's policy, 'policies', 'push' \
      (except push.phone and push.request.type), 'collector' and 'slo' can.
      """
    }
  }
}

extension ScenarioChange {
  fileprivate var words: String { option ?? "--set \(text)" }
}

extension Scenario {
  /// Returns whether a simulation of `before` can continue with this scenario. Only server settings
  /// and settings that a new version of an app changes may differ.
  fileprivate func canFollow(_ before: Scenario) -> Bool {
    var same = self
    (same.question, same.answers, same.run) = (before.question, before.answers, before.run)
    (same.collector, same.slo) = (before.collector, before.slo)
    same.push.terms = before.push.terms
    same.push.provider = before.push.provider
    // Phones keep a budget for the kind of push, so only requests of an equal kind may differ.
    if push.request.kind == before.push.request.kind { same.push.request = before.push.request }
    guard same.fleet.cohorts.count == before.fleet.cohorts.count else { return false }
    for n in fleet.cohorts.indices {
      same.fleet.cohorts[n].policy = before.fleet.cohorts[n].policy
    }
    guard
      rollouts.map({ policies[$0.policy].name })
        == before.rollouts.map({ before.policies[$0.policy].name })
    else { return false }
    for n in rollouts.indices { same.rollouts[n].policy = before.rollouts[n].policy }
    same.policies = before.policies
    return same == before
  }
}
