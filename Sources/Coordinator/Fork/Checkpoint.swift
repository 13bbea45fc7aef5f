internal import Figures
internal import Fleet
internal import Foundation
internal import Scenarios
package import SimulationCore

/// Keeps a simulated fleet and its server as they are at one instant, in a file with which other
/// simulations go on from there.
///
/// The file's form is that of the cache of warm starts; it holds its scenario as well.
package struct Checkpoint: Sendable {
  /// Says what became of the file.
  package enum Result: Equatable, Sendable {
    /// It was written: the sentence says where, when in the scenario and how long it is.
    case kept(String)
    /// It was not: the sentence says why.
    case failed(String)

    /// Says it for people.
    package var sentence: String {
      switch self {
      case .kept(let sentence), .failed(let sentence): sentence
      }
    }
  }

  /// Is the file's path.
  package let path: String
  /// Is the instant at which the fleet is kept.
  package let instant: SimInstant
  private let writer: LifeWriter
  private let clock: CivilClock

  /// Begins the file, so that a path at which nothing can be written is found out before a life is
  /// lived.
  ///
  /// - Parameters:
  ///   - instant: lies within the scenario's `duration`.
  ///   - program: identifies the build of the program; not empty.
  package init(
    _ path: String, at instant: SimInstant, of plan: RunPlan, program: String
  ) throws(LifeFileError) {
    if FileManager.default.fileExists(atPath: path), !LifeReader.isLife(path) {
      throw .unwritable("there is another file, which is no checkpoint")
    }
    self.path = path
    self.instant = instant
    clock = plan.scenario.clock
    let key = LifeKey(plan, .checkpoint, program: program, at: instant)
    writer = try LifeWriter(path, LifeHead(key: key, scenario: plan.scenario.text))
  }

  /// Writes the fleet and its server, which stand at the instant.
  func write(_ time: VirtualTime) -> Result {
    let writer = writer
    time.fleet.writeState(after: time.backend) { phones, content in writer.add(phones, content) }
    _ = writer.add(.server, first: 0, count: 0, time.serverState())
    _ = writer.add(.traffic, first: 0, count: 0, time.trafficState())
    do throws(LifeFileError) {
      let length = try writer.finish(events: time.fleet.metrics()[.events])
      return .kept(
        "checkpoint of \(ClockText.text(instant, clock)) kept in \(path), \(ByteText.text(length))")
    } catch {
      return .failed("The checkpoint is not kept: \(path) \(error).")
    }
  }
}
