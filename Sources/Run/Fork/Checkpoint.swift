package import Core
internal import Fleet
internal import Foundation
internal import Scenarios

/// A file with a simulated fleet and its server at one instant, from which runs can continue.
package struct Checkpoint: Sendable {
  package enum Result: Equatable, Sendable {
    case kept(String)
    case failed(String)

    package var sentence: String {
      switch self {
      case .kept(let sentence), .failed(let sentence): sentence
      }
    }
  }

  package let path: String
  package let instant: SimInstant
  private let writer: LifeWriter
  private let clock: CivilClock

  /// Creates the file, so that an unwritable path is reported before the simulation starts.
  package init(
    _ path: String, at instant: SimInstant, of plan: RunPlan, program: String
  ) throws(LifeFileError) {
    if FileManager.default.fileExists(atPath: path), !LifeReader.isLife(path) {
      throw .unwritable("the file exists and is not a checkpoint")
    }
    self.path = path
    self.instant = instant
    clock = plan.scenario.clock
    let key = LifeKey(plan, .checkpoint, program: program, at: instant)
    writer = try LifeWriter(path, LifeHead(key: key, scenario: plan.scenarioText))
  }

  func write(_ time: VirtualTime) -> Result {
    let writer = writer
    time.fleet.writeState(after: time.backend) { phones, content in writer.add(phones, content) }
    _ = writer.add(.server, first: 0, count: 0, time.serverState())
    _ = writer.add(.traffic, first: 0, count: 0, time.trafficState())
    do throws(LifeFileError) {
      let length = try writer.finish(events: time.fleet.metrics()[.events])
      return .kept(
        "checkpoint of \(ClockText.text(instant, clock)) saved: \(path), \(Figure.bytes(length))")
    } catch {
      return .failed("The checkpoint was not written: \(path) \(error).")
    }
  }
}
