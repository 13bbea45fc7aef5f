internal import Core
internal import Foundation
internal import Scenarios

struct FaultScript {
  private enum Action { case stall, resume, kill, stallUploads(WallDuration), announce(String) }
  private var steps: [(at: WallInstant, action: Action)] = []
  private let handle: any LiveServer
  private let stallUploads: (WallDuration) -> Void
  private let say: (String) -> Void

  init(
    _ scenario: Scenario, clock: PacedClock, handle: any LiveServer,
    stallUploads: @escaping (WallDuration) -> Void, say: @escaping (String) -> Void
  ) {
    self.handle = handle
    self.stallUploads = stallUploads
    self.say = say
    for fault in scenario.faults {
      // Faults before the resume point were injected before the fleet was killed.
      if fault.at < clock.scenarioStart { continue }
      let at = clock.wall(of: fault.at)
      switch fault.kind {
      case .networkOutage, .serverOutage, .providerOutage: break
      case .wireDelay, .wireStall, .wireCut, .wireHalfOpen, .wireThrottle, .wireFlip:
        // The proxy injects these faults; the script only announces them.
        steps.append((at, .announce("\(fault.name) begins")))
        steps.append((at + fault.lastsWall, .announce("\(fault.name) ends")))
      case .collectorStall:
        steps.append((at, .stall))
        steps.append((at + fault.lastsWall, .resume))
      case .collectorKill: steps.append((at, .kill))
      case .generatorStall: steps.append((at, .stallUploads(fault.lastsWall)))
      }
    }
    steps.sort { $0.at < $1.at }
  }

  var next: WallInstant { steps.first?.at ?? .distantFuture }

  mutating func act(now: WallInstant) {
    while let step = steps.first, step.at <= now {
      steps.removeFirst()
      perform(step.action)
    }
  }

  func end() { handle.resume() }

  private func perform(_ action: Action) {
    switch action {
    case .stall where !handle.isOurs, .kill where !handle.isOurs:
      say("a fault of the collector was skipped: this run did not start the collector")
    case .stall:
      say("fault: \(handle.stall()) stalls")
    case .resume:
      if handle.isOurs { say("fault: the collector resumes") }
      handle.resume()
    case .kill:
      say("fault: \(handle.kill()) is killed")
    case .announce(let text): say("fault: \(text)")
    case .stallUploads(let duration):
      say("fault: the generator's event loop stalls")
      stallUploads(duration)
    }
  }
}
