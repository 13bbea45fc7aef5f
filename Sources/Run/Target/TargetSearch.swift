package import Core
package import Figures
internal import Fleet
internal import Foundation
internal import Scenarios
internal import Synchronization
internal import Transport
package import Uploads
internal import Targets

/// Searches for the sustained rate of a user's backend, in growing steps up to the first violated
/// level of service. Uploads start at even intervals (open loop), and phones take turns.
package final class TargetSearch {
  package struct Limits: Equatable, Sendable {
    package var perSecond: Double
    package var time: WallDuration
    package var step: WallDuration
    /// The limit of the p99 response time.
    package var latency: WallDuration
    /// The share of uploads that may fail, 0 ... 1.
    package var failedShare: Double

    package init(
      perSecond: Double, time: WallDuration, step: WallDuration, latency: WallDuration,
      failedShare: Double
    ) {
      self.perSecond = perSecond
      self.time = time
      self.step = step
      self.latency = latency
      self.failedShare = failedShare
    }
  }

  private let plan: RunPlan
  private let setup: TargetSetup
  private let limits: Limits
  private let fixes: Int
  private let loops = RunLoops()
  private let clock: PacedClock
  private let sender: TargetSender
  private let state: Mutex<State>
  private let phones: Int
  private var sequence: UInt32 = 0

  private struct State: Sendable {
    var step: SearchStep?
    var free = WaitingLine<UInt32>()
  }

  private static let growth = 1.25
  private static let firstShare = 1.0 / 16
  private static let againMax = 2
  private static let ahead = WallDuration.milliseconds(20)
  private static let step = WallDuration.milliseconds(5)

  /// - Parameter plan: the plan, whose fleet limits the number of phones that take turns.
  /// - Parameter fixes: the fixes per upload, unless the target's limit is lower.
  package init(_ plan: RunPlan, _ setup: TargetSetup, _ limits: Limits, fixes: Int) {
    self.setup = setup
    self.limits = limits
    let most =
      switch setup.target.upload.fixes {
      case .upTo(let most): most
      case .newest: 1
      }
    self.fixes = max(1, min(fixes, most))
    // There are twice as many phones as uploads in flight at the maximum rate and latency.
    let wanted = Int((2 * limits.perSecond * max(0.5, limits.latency.seconds)).rounded(.up))
    phones = max(1, min(plan.scenario.fleet.phones, max(16, wanted)))
    var plan = plan
    plan.scenario.fleet.phones = phones
    plan.scenario.warmStart = .zero
    plan.scenario.duration = .hours(24)
    self.plan = plan
    clock = PacedClock(scenarioStart: plan.scenario.start, wallStart: plan.wall(), speed: 1)
    let fleet = PhoneFleet(plan.scenario, threads: 1)
    var free = WaitingLine<UInt32>()
    for phone in 0..<UInt32(phones) { free.append(phone) }
    state = Mutex(State(free: free))
    let ends = Ends()
    sender = TargetSender(
      setup,
      SenderParts(
        plan, loop: loops.uploads, clock: clock, fleet: fleet,
        versions: SettingsVersions(plan.scenario),
        recorder: LiveRecorder(
          clock: clock, measureStart: plan.scenario.start,
          measureEnd: plan.scenario.start + .hours(24), deadline: setup.target.retry.deadline,
          epoch: 1),
        journal: nil,
        mailbox: FleetMailbox(fleet) { inputs in
          for case (let phone, .outcome) in inputs { ends.search?.free(phone.rawValue) }
        }), via: nil)
    ends.search = self
    sender.loop.sync { [sender] in
      sender.watch = { ends.search?.ended($0, $1) }
    }
  }

  /// Forwards ended uploads to `search`, which is set before any upload (`@unchecked Sendable`).
  private final class Ends: @unchecked Sendable {
    weak var search: TargetSearch?
  }

  private func free(_ phone: UInt32) {
    state.withLock { $0.free.append(phone) }
    if areAllFree { Waiter.shared.wake() }
  }

  private var areAllFree: Bool { state.withLock { $0.free.count } == phones }

  private func ended(_ completion: UploadCompletion, _ fate: RequestFate) {
    state.withLock { state in
      guard let begins = state.step?.begins, completion.intended >= begins else { return }
      state.step?.end(
        isStored: fate.meaning == "stored" || fate.meaning == "duplicate", status: fate.status,
        response: completion.response, lag: completion.generatorLag)
    }
  }

  // MARK: The search

  /// Searches, and blocks the calling thread. `progress` takes a line each second.
  package func run(
    progress: (String) -> Void, shouldStop: () -> Bool
  ) -> TargetCapacity {
    defer {
      sender.abort()
      loops.stop()
    }
    var found = TargetCapacity(name: setup.target.name, address: setup.origin)
    found.latencyLimitMicroseconds = limits.latency.microseconds
    (found.failedShareMax, found.rateLimit) = (limits.failedShare, limits.perSecond)
    (found.fixesPerUpload, found.phones) = (fixes, phones)
    let over = plan.wall() + limits.time
    if setup.target.register != nil { introduce(progress, shouldStop, until: over) }
    var again = 0
    var loads = Self.loads(upTo: limits.perSecond)[...]
    while let load = loads.first {
      guard !shouldStop() else {
        found.ended = "Stopped."
        return found
      }
      guard plan.wall() + limits.step <= over else {
        found.ended = "Time limit reached; raise --time-limit."
        return found
      }
      let step = offer(load, progress, shouldStop)
      found.steps.append(step)
      if let why = step.invalid {
        again += 1
        guard again > Self.againMax else { continue }
        found.ended = "At \(Figure.quantity(load)) uploads/s \(why): this machine is the limit."
        return found
      }
      again = 0
      if let why = step.broke {
        found.upperBound = load
        found.ended = "At \(Figure.quantity(load)) uploads/s \(why)."
        return found
      }
      if shouldStop() { continue }
      found.lowerBound = load
      loads.removeFirst()
    }
    found.ended = "Sustained up to run.rateLimit."
    return found
  }

  /// Returns the loads from about a sixteenth of the limit to the limit, in steps of +25 %.
  static func loads(upTo most: Double) -> [Double] {
    var loads = [most]
    while let last = loads.last, last / growth >= most * firstShare { loads.append(last / growth) }
    return loads.reversed()
  }

  /// Registers every phone with one upload, at half of the maximum rate, before the first step.
  private func introduce(
    _ progress: (String) -> Void, _ shouldStop: () -> Bool, until over: WallInstant
  ) {
    progress("\(Figure.grouped(phones)) phones register, one upload each")
    let begins = plan.wall()
    let pause = WallDuration(seconds: 2 / limits.perSecond)
    for number in 0..<phones where !shouldStop() && plan.wall() < over {
      submit(at: begins + WallDuration(microseconds: pause.microseconds * Int64(number)))
    }
    let patience = plan.wall() + setup.target.retry.deadline
    Waiter.shared.wait(until: min(patience, over)) { areAllFree || shouldStop() }
  }

  /// Offers one load until its time ends or a level is violated.
  private func offer(
    _ load: Double, _ progress: (String) -> Void, _ shouldStop: () -> Bool
  ) -> TargetCapacity.Step {
    let begins = plan.wall() + Self.ahead
    let levels = SearchStep.Levels(latency: limits.latency, failedShare: limits.failedShare)
    state.withLock { $0.step = SearchStep(load: load, begins: begins, levels) }
    let ends = begins + limits.step
    var count = 0
    var said = 0
    var broke: String?
    Waiter.shared.takeTurns {
      guard broke == nil, !shouldStop() else { return nil }
      let now = plan.wall()
      while broke == nil {
        let intended = begins + WallDuration(seconds: Double(count) / load)
        guard intended < ends, intended <= now + Self.ahead else { break }
        count += 1
        submit(at: intended)
      }
      broke = state.withLock { $0.step?.broken(at: now) }
      let second = Int((now - begins).seconds)
      if second > said || broke != nil {
        said = second
        progress(line(load, at: now))
      }
      // The step waits for its last uploads up to the latency limit.
      let isAnswered = state.withLock { $0.step?.isAnswered ?? true }
      if now >= ends + limits.latency || now >= ends && isAnswered { return nil }
      return now + Self.step
    }
    return state.withLock { state in
      defer { state.step = nil }
      let now = min(plan.wall(), ends)
      return state.step?.record(until: now, broke: broke)
        ?? TargetCapacity.Step(load: load, seconds: 0)
    }
  }

  private func line(_ load: Double, at now: WallInstant) -> String {
    let step = state.withLock { $0.step?.record(until: now, broke: nil) }
    func time(_ value: Int64?) -> String { value.map { Figure.time(Double($0)) } ?? "—" }
    return "\(Figure.quantity(load)) uploads/s, \(Figure.plain(max(0, step?.seconds ?? 0))) s: "
      + "\(Figure.grouped(step?.stored ?? 0)) stored, \(Figure.grouped(step?.failed ?? 0)) failed, "
      + "\(Figure.grouped(step?.open ?? 0)) open, p50 \(time(step?.p50Microseconds)), "
      + "p99 \(time(step?.p99Microseconds))"
  }

  private func submit(at intended: WallInstant) {
    let phone = state.withLock { state -> UInt32? in
      state.step?.offer(at: intended)
      let phone = state.free.popFirst()
      if phone == nil { state.step?.starve() }
      return phone
    }
    guard let phone else { return }
    sequence += 1
    sender.submit([
      TargetBatch(
        id: BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: sequence), attempt: 1,
        cohort: 0, intended: intended, isLaunched: false,
        fixes: madeFixes(phone, clock.scenario(at: intended)))
    ])
  }

  /// Returns the fixes of a walk through the city centre, one per minute up to `now`.
  private func madeFixes(_ phone: UInt32, _ now: SimInstant) -> [Fix] {
    let city = plan.scenario.city
    return (0..<fixes).map { number in
      let offset = Int32(truncatingIfNeeded: (sequence &* 7 &+ UInt32(number) &* 130) % 20_000)
      return Fix(
        coordinate: Coordinate(
          latitudeE6: Int32(city.centreLatitude * 1e6) + offset,
          longitudeE6: Int32(city.centreLongitude * 1e6) + Int32(phone % 20_000)),
        time: FixTime(
          centiseconds: now.microseconds / 10_000 - Int64(fixes - 1 - number) * 6_000),
        accuracyMeters: 12, speedDecimetersPerSecond: 14, courseDegrees: 45)
    }
  }
}
