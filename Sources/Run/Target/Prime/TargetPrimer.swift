internal import Core
internal import Figures
internal import Fleet
internal import Phone
internal import Foundation
internal import Scenarios
internal import Synchronization
internal import Transport
internal import Uploads
internal import Targets

struct PrimedTarget {
  var phones: [TargetSender.Phone]
  let figures: TargetFigures.Primed
  let isWhole: Bool
}

/// Sends a target the batches from before a run at a limited rate, outside the run's figures. Times
/// are shifted, so that the run begins after the last batch. Used from the run's own thread.
final class TargetPrimer {
  private let plan: RunPlan
  private let setup: TargetSetup
  private let uploads: EarlierUploads
  private let sender: TargetSender
  private let fleet: PhoneFleet
  private let results = Results()
  private var busy: [UInt32: (batch: EarlierUploads.Batch, tries: UInt32)] = [:]
  /// The waiting batches of phones with a batch in flight, oldest first.
  private var behind: [UInt32: [EarlierUploads.Batch]] = [:]
  private var behindCount = 0
  private var givenUp: Set<UInt32> = []
  private var givenUpInARow = 0
  private var left = 0
  private var sent = 0

  private final class Results: Sendable {
    let all = Mutex<[(phone: UInt32, result: TargetQueue.Result)]>([])
  }

  private static let ahead = 8_192
  /// The maximum number of attempts per batch; the app's backoff applies between two attempts.
  private static let triesMax: UInt32 = 3
  private static let givenUpMax = 64
  private static let noteEvery = WallDuration.milliseconds(200)

  init(
    _ plan: RunPlan, _ setup: TargetSetup, _ uploads: EarlierUploads, _ warm: WarmStart,
    loops: RunLoops
  ) {
    self.plan = plan
    self.setup = setup.priming()
    self.uploads = uploads
    fleet = warm.fleet
    let clock = PacedClock(
      scenarioStart: warm.liveFrom,
      wallStart: plan.wall() + Self.expected(uploads, setup, plan), speed: 1)
    sender = TargetSender(
      self.setup,
      SenderParts(
        plan, loop: loops.uploads, clock: clock, fleet: fleet,
        versions: SettingsVersions(plan.scenario),
        recorder: LiveRecorder(
          clock: clock, measureStart: plan.scenario.measureStart,
          measureEnd: plan.scenario.measureEnd, deadline: setup.target.retry.deadline,
          epoch: fleet.context.epoch),
        journal: nil, mailbox: FleetMailbox(fleet)), via: nil)
    sender.loop.sync { [sender, results] in
      sender.results = { phone, result in
        let isFirst = results.all.withLock { all in
          all.append((phone, result))
          return all.count == 1
        }
        if isFirst { Waiter.shared.wake() }
      }
    }
  }

  private static func requests(_ uploads: EarlierUploads, _ setup: TargetSetup) -> Int {
    uploads.requests + (setup.target.register == nil ? 0 : uploads.phones)
  }

  static func expected(
    _ uploads: EarlierUploads, _ setup: TargetSetup, _ plan: RunPlan
  ) -> WallDuration {
    let share = plan.phonesShare
    let registering = setup.target.register.map { rule in
      Double(uploads.phones) / ((rule.rate?.perSecond ?? .infinity) * share)
    }
    let uploading = Double(requests(uploads, setup)) / (setup.primeRate.perSecond * share)
    return WallDuration(seconds: max(uploading, registering ?? 0))
  }

  /// Sends all batches. Blocks until the end, a stop, or too many failures in a row. `progress`
  /// takes the newest batch's instant, the number of answered batches and the share of requests.
  func run(
    progress: (SimInstant, Int, Double) -> Void, shouldStop: () -> Bool
  ) -> PrimedTarget {
    let began = plan.wall()
    var last = began
    var at = uploads.from
    let requests = Double(max(1, Self.requests(uploads, setup)))
    var isOver = false
    Waiter.shared.takeTurns {
      takeResults()
      while !isOver, busy.count + behindCount < Self.ahead {
        guard let batch = uploads.next() else {
          isOver = true
          break
        }
        at = batch.order.reachesServer
        take(batch)
      }
      if isOver && busy.isEmpty || shouldStop() || givenUpInARow >= Self.givenUpMax { return nil }
      let now = plan.wall()
      if now >= last + Self.noteEvery {
        last = now
        progress(at, sent, min(1, Double(sender.counters()[.attempts]) / requests))
      }
      return last + Self.noteEvery
    }
    end()
    return primed(in: plan.wall() - began)
  }

  // MARK: Batches

  private func take(_ batch: EarlierUploads.Batch) {
    let phone = batch.order.id.phone.rawValue
    if givenUp.contains(phone) {
      left += batch.fixes.count
    } else if busy[phone] != nil {
      behind[phone, default: []].append(batch)
      behindCount += 1
    } else {
      hand(batch, of: phone, tries: 1)
    }
  }

  private func hand(_ batch: EarlierUploads.Batch, of phone: UInt32, tries: UInt32) {
    busy[phone] = (batch, tries)
    sender.submit([
      TargetBatch(batch.order, attempt: tries, intended: plan.wall(), fixes: batch.fixes)
    ])
  }

  private func takeResults() {
    let all = results.all.withLock { results in
      defer { results.removeAll(keepingCapacity: true) }
      return results
    }
    for (phone, result) in all {
      guard let (batch, tries) = busy[phone] else { continue }
      switch result {
      case .taken, .thrownAway:
        givenUpInARow = 0
        sent += 1
        goOn(phone)
      case .failed where tries < Self.triesMax: hand(batch, of: phone, tries: tries + 1)
      case .failed:
        givenUp.insert(phone)
        givenUpInARow += 1
        leave(phone)
      }
    }
  }

  private func goOn(_ phone: UInt32) {
    busy[phone] = nil
    guard var waiting = behind[phone] else { return }
    let next = waiting.removeFirst()
    behind[phone] = waiting.isEmpty ? nil : waiting
    behindCount -= 1
    hand(next, of: phone, tries: 1)
  }

  /// Drops a phone's waiting batches; the batch in flight stays in the account.
  private func leave(_ phone: UInt32) {
    busy[phone] = nil
    for batch in behind.removeValue(forKey: phone) ?? [] {
      left += batch.fixes.count
      behindCount -= 1
    }
  }

  // MARK: The end

  /// Waits for requests in flight, at most for the app's timeout and a second.
  private func end() {
    sender.drain()
    let limit = plan.wall() + setup.target.retry.deadline + .seconds(1)
    Waiter.shared.wait(until: limit) { sender.counters()[.inFlight] == 0 }
    sender.abort()
    for phone in Array(behind.keys) { leave(phone) }
    while let batch = uploads.next() { left += batch.fixes.count }
  }

  private func primed(in wall: WallDuration) -> PrimedTarget {
    let (account, _, _) = sender.accounts()
    var figures = TargetFigures.Primed()
    figures.scenarioSeconds = setup.target.prime.seconds
    figures.phones = uploads.phones
    figures.phonesGivenUp = givenUp.count
    figures.fixes = account.figures
    figures.left = left
    figures.requests = Int(sender.counters()[.attempts])
    figures.wallSeconds = wall.seconds
    figures.perSecondMax = setup.rateLimit?.perSecond ?? 0
    return PrimedTarget(
      phones: sender.loop.sync { [sender] in sender.phones }, figures: figures,
      isWhole: account[.stored] == uploads.fixes)
  }
}
