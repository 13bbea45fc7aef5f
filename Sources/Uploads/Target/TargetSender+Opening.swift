package import Core
internal import Fleet
internal import Scenarios
internal import Targets
internal import Transport

extension TargetSender {
  /// Registers each phone's app in turn from `start` on, because a server cannot push an unknown
  /// phone, and a silent phone has nothing to send.
  package func openAll(from start: WallInstant) {
    guard setup.target.register != nil, !phones.isEmpty else { return }
    loop.post { [self] in
      due.push(.opening(phone: 0), at: max(start, loop.now))
      arm()
    }
  }

  /// Opens a phone's app, and schedules the next phone so that all phones open within the ramp.
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
