import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Tracker: invariants after any sequence of events", .quick)
struct TrackerPropertyTests {
  /// Every shipped policy and some test policies, each unchanged, with a small outbox, and with a
  /// smaller one that answers pushes from the cache.
  static let policies: [PolicySettings] = bases.flatMap { base in
    var small = base
    small.outbox.capacity = 12
    small.send.maxFixes = min(5, small.send.maxFixes)
    small.send.interval = .zero
    small.app.mistakes = AppManifest.standard.mistakes
    var cached = small
    cached.onPush = .cached
    cached.outbox.capacity = 3
    cached.send.maxFixes = min(3, small.send.maxFixes)
    return [base, small, cached]
  }

  private static var bases: [PolicySettings] {
    [.standard, .significantOnly, .continuous]
      + Shipped.names.compactMap { try? Shipped.policy($0) }
  }

  @Test("counts agree, tasks balance, batches are numbered one by one", arguments: 0..<45)
  func randomEvents(policy index: Int) {
    for seed in 0..<6 as Range<UInt64> {
      var life = RandomLife(Self.policies[index], seed: seed)
      for _ in 0..<400 {
        life.step()
        let app = life.app
        let tracker = app.tracker
        #expect(tracker.outboxCount == app.outbox.count)
        #expect(tracker.cutCount <= tracker.outboxCount)
        #expect((0...(life.hasCycle ? 2 : 1)).contains(app.openTasks), "DC5")
        if !life.isForeground && !app.standardIsOn && !tracker.isSending && !life.hasCycle {
          #expect(app.openTasks == 0, "HY6: nothing is pending")
        }
        if app.standardIsOn && !life.isForeground && life.hasBursts {
          #expect(app.timer(.stopStandard) != nil, "HY1: every burst has an end")
        }
        #expect(Int(app.outbox.count) <= life.capacity)
      }
      #expect(
        2 * life.app.mostCommands <= CommandList.capacity,
        "the list of commands has room for twice what any event asks for")
      #expect(life.app.uploads.count > 2)
      life.checkBatches()
    }
  }
}

/// Draws events at random, in an order in which an operating system could deliver them.
private struct RandomLife {
  var app: Timeline
  var draw: Draw
  var now = 0.0
  var x = 0.0
  var isForeground = false
  var isRunning = false
  let policy: PolicySettings

  init(_ policy: PolicySettings, seed: UInt64) {
    self.policy = policy
    app = Timeline(policy, seed: seed)
    draw = Draw(seed: seed, phone: 0, .appSample)
  }

  var capacity: Int { policy.outbox.capacity }
  var hasBursts: Bool {
    switch policy.background.service.pattern {
    case .off, .burst: true
    case .continuous, .dutyCycle, .polled: false
    }
  }
  var hasCycle: Bool {
    switch policy.background.service.pattern {
    case .dutyCycle: true
    case .off, .burst, .continuous, .polled: false
    }
  }

  mutating func step() {
    now += draw.exponential(mean: draw.chance(0.3) ? 200 : 3)
    x += draw.chance(0.3) ? 300 * draw.normal() : 0
    guard isRunning else {
      isRunning = true
      app.notify(.launched(.location), at: now)
      return
    }
    if let due = dueTimer() {
      app.notify(.timer(due), at: now)
      return
    }
    app.notify(event(), at: now)
    if draw.chance(0.01) {
      app.die()
      isRunning = false
      isForeground = false
    }
  }

  private func dueTimer() -> AppTimer? {
    AppTimer.allCases.first { app.timer($0).map { $0 <= now } ?? false }
  }

  private mutating func event() -> OSEvent {
    let fix = Fix.at(now, x: x, accuracy: UInt16(draw.uniform(5, 60)))
    if app.tracker.isSending && draw.chance(0.4) {
      let results = UploadResult.allCases
      return .uploadFinished(results[Int(draw.uniform() * Double(results.count))])
    }
    switch draw.uniform() {
    case ..<0.35 where app.standardIsOn: return .location(fix, .standard)
    case ..<0.5: return .location(fix, .imprecise)
    case ..<0.65: return .regionExited(.imprecise, cached: draw.chance(0.5) ? fix : nil)
    case ..<0.68: return .visit(.ended(fix))
    case ..<0.69:
      return .visit(Visit(fix: fix, arrival: Timeline.second(now), departure: .distantFuture))
    case ..<0.72:
      let activities = MotionActivity.allCases
      let n = Int(draw.uniform() * Double(activities.count + 1))
      return .motionActivity(n < activities.count ? activities[n] : nil)
    case ..<0.725: return .standardPaused
    case ..<0.73: return .settingsChanged
    case ..<0.735: return .authorizationChanged(draw.chance(0.7) ? .always : .denied)
    case ..<0.8: return .silentPush(cached: draw.chance(0.8) ? fix : nil)
    case ..<0.85 where !isForeground && app.openTasks > 0: return .backgroundTimeExpiring
    default:
      isForeground.toggle()
      return isForeground ? .becameActive : .enteredBackground
    }
  }

  /// Checks that no number comes back with other fixes, and that none is missing.
  func checkBatches() {
    var last = Timeline.Upload(sequence: 0, fixes: [])
    for upload in app.uploads {
      #expect(!upload.fixes.isEmpty && upload.fixes.count <= policy.send.maxFixes)
      if upload.sequence == last.sequence {
        #expect(upload == last)
      } else {
        #expect(upload.sequence == last.sequence + 1)
      }
      last = upload
    }
  }
}
