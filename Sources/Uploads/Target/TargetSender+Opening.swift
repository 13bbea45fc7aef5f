internal import Fleet
internal import Scenarios
package import SimulationCore
internal import Targets
internal import Telemetry
internal import Transport

/// Apps that register before they have anything to send.
extension TargetSender {
  /// Registers the app of each phone, one after the other from `start` on: a server that pushes
  /// cannot push whom it does not know, and a silent phone has nothing to send.
  package func openAll(from start: WallInstant) {
    guard setup.target.register != nil, !phones.isEmpty else { return }
    loop.post { [self] in
      due.push(.opening(phone: 0), at: max(start, loop.now))
      arm()
    }
  }

  /// Opens the app of a phone, and has the next one's opened a part of the ramp later.
  func open(_ place: Int, at instant: WallInstant) {
    let id = PhoneID(rawValue: first + UInt32(place))
    let none = BatchID(phone: id, epoch: parts.fleet.context.epoch, sequence: 0)
    apply(.opened(none), place, intended: instant)
    guard place + 1 < phones.count, !isDraining else { return }
    let scenario = parts.scenario
    let ramp = max(.zero, parts.clock.wall(of: scenario.measureStart) - parts.clock.wallStart)
    let step = WallDuration.microseconds(ramp.microseconds / Int64(phones.count))
    due.push(.opening(phone: Int32(place + 1)), at: instant + step)
  }
}
