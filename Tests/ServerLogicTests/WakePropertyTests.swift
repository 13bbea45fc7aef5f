import Core
import Scenarios
import TestSupport
import Testing

@testable import ServerLogic

/// A day of random reports, registrations and provider answers, compared at each sweep with a scan
/// of every phone.
@Suite("Wake scheduler, any day", .quick)
struct WakePropertyTests {
  static let phones: UInt32 = 40

  /// State of one phone in a direct reading of the settings.
  private struct Witness {
    var reportedAt: SimInstant?
    var pushedAt: SimInstant?
    var unanswered = 0
    var wasRefused = false
    var isReachable = false
  }

  @Test(
    "due phones are chosen at the first sweep that the rate allows, in order; no others are",
    arguments: PushTerms.Scheduler.allCases.filter { $0 != .none }.flatMap { scheduler in
      (UInt64(1)...12).map { (scheduler, $0) }
    })
  func likeAScan(_ scheduler: PushTerms.Scheduler, seed: UInt64) {
    var draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 499))
    let perSweep = Int(draw.uniform(1, 12))
    var line = Timeline(phones: Int(Self.phones), seed: seed) {
      $0.scheduler = scheduler
      $0.silentAfter = .minutes(Int64(draw.uniform(5, 90)))
      $0.within = .minutes(5)
      $0.spacing = .minutes(Int64(draw.uniform(5, 60)))
      $0.jitter = draw.chance(0.5) ? .minutes(7) : .zero
      $0.holdout = draw.chance(0.5) ? 0.3 : 0
      $0.retryAfter = .minutes(Int64(draw.uniform(1, 40)))
      $0.backoff = PushBackoff(
        after: Int(draw.uniform(0, 4)), factor: draw.uniform(1, 3), longest: .hours(5))
      $0.rate = Rate(perSecond: Double(perSweep) / 60)
    }
    let settings = line.backend.settings
    var witnesses = [Witness](repeating: Witness(), count: Int(Self.phones))
    var most = 0
    for minute in 0..<(24 * 60) {
      live(minute, &draw, &line, &witnesses)
      let now = Timeline.minute(Double(minute + 1))
      let due = (0..<Self.phones).map { PhoneID(rawValue: $0) }
        .filter { line.backend.lastSeen($0).isReachable && line.backend.dueInstant($0) <= now }
        .map { (WakeCalendar.firstSweep(from: line.backend.dueInstant($0), .minutes(1)), $0) }
        .sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.1)
      var chosen: [PhoneID] = []
      var pushes: [SilentPush] = []
      line.backend.sweep(
        at: now,
        emit: {
          chosen.append($0.phone)
          pushes.append($0)
        }, withhold: { chosen.append($0.phone) })
      #expect(chosen == Array(due.prefix(chosen.count)))
      #expect(pushes.count <= perSweep)
      #expect(chosen.count == due.count || pushes.count == perSweep, "minute \(minute)")
      most = max(most, pushes.count)
      for phone in chosen where scheduler == .fixed {
        isAllowed(witnesses[Int(phone.rawValue)], settings, at: now)
      }
      for phone in chosen {
        witnesses[Int(phone.rawValue)].pushedAt = now
        witnesses[Int(phone.rawValue)].wasRefused = false
      }
      for push in pushes { answer(push, &draw, &line, &witnesses, at: now) }
    }
    #expect(most > 0)
  }

  /// Silent for long enough, and not pushed for as long as the settings say.
  private func isAllowed(_ phone: Witness, _ settings: PushTerms, at now: SimInstant) {
    #expect(phone.isReachable)
    #expect(phone.reportedAt.map { now - $0 >= settings.silentAfter } ?? false)
    guard let pushedAt = phone.pushedAt else { return }
    var gap = settings.spacing
    let backoff = settings.backoff
    if phone.wasRefused {
      gap = settings.retryAfter
    } else if backoff.after > 0, phone.unanswered >= backoff.after {
      for _ in backoff.after...phone.unanswered where gap < .hours(24) {
        gap = SimDuration(seconds: gap.seconds * backoff.factor)
      }
      gap = max(settings.spacing, min(gap, backoff.longest)) - .milliseconds(1)
    }
    #expect(now - pushedAt >= gap)
  }

  /// A minute's registrations and reports, at its middle.
  private func live(
    _ minute: Int, _ draw: inout Draw, _ line: inout Timeline, _ witnesses: inout [Witness]
  ) {
    let middle = Double(minute) + 0.5
    for phone in 0..<Self.phones {
      let i = Int(phone)
      if witnesses[i].reportedAt == nil || draw.chance(0.004) {
        let isReachable = draw.chance(0.7)
        line.register(phone, isReachable ? .always : .whenInUse, at: middle)
        // Not pushed in between, or long ago: the first push after it is free.
        if isReachable, !witnesses[i].isReachable { witnesses[i].pushedAt = nil }
        witnesses[i].isReachable = isReachable
        witnesses[i].reportedAt = witnesses[i].reportedAt ?? Timeline.minute(middle)
      }
      // Some rarely report.
      if draw.chance(phone % 3 == 0 ? 0.001 : 0.02) {
        line.report(phone, at: middle)
        witnesses[i].reportedAt = Timeline.minute(middle)
        witnesses[i].unanswered = 0
      }
    }
  }

  private func answer(
    _ push: SilentPush, _ draw: inout Draw, _ line: inout Timeline, _ witnesses: inout [Witness],
    at now: SimInstant
  ) {
    let i = Int(push.phone.rawValue)
    witnesses[i].unanswered += 1
    let status = draw.chance(0.9) ? 200 : draw.chance(0.7) ? 503 : 410
    line.backend.pushResult(push.id, status: status, at: now)
    if status == 410 { witnesses[i].isReachable = false }
    if status == 503 {
      witnesses[i].unanswered -= 1
      witnesses[i].wasRefused = true
    }
  }
}
