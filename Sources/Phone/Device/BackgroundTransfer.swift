package import Core
internal import Scenarios

/// The one upload that an app has handed to a background URLSession, and the delay that the system
/// adds after resuming the app for answers (NW1–NW3).
///
/// none ──queue──▶ queued ──begins──▶ sending ──answer──▶ answered ──app runs──▶ none
/// └────────────────┴──swiped away──▶ cancelled ──app runs──┘
///
/// The remaining wait shrinks at a pace that only the phone's events change, without a timer.
package struct BackgroundTransfer: Sendable, BitwiseCopyable {
  package enum Stage: UInt8, Sendable, BitwiseCopyable {
    case none
    case queued
    case sending
    case answered
    case cancelled
  }

  // Instants are stored as 4-byte seconds of scenario time, to keep phones small.

  /// The instant at which `left` is valid, in the future while the limiter delays the upload.
  private var settledAt: UInt32 = 0
  /// The remaining wait, in seconds; for a discretionary upload as a multiple of the mean wait.
  private var left: Float = 0
  private var pace: Float = 0
  private var resumedAt: UInt32 = 0
  private var expires: UInt32 = 0
  package internal(set) var stage = Stage.none
  /// NW3: Whether the system chooses the time of sending.
  package private(set) var isDiscretionary = false
  /// NW2: The number of resumes, each of which doubles the delay.
  private var resumes: UInt8 = 0

  private static func seconds(_ t: SimInstant) -> UInt32 {
    UInt32(clamping: t.microseconds / 1_000_000)
  }

  private static func instant(_ seconds: UInt32) -> SimInstant {
    SimInstant(microseconds: Int64(seconds) * 1_000_000)
  }

  var expiresAt: SimInstant { Self.instant(expires) }

  // MARK: The limiter (NW2)

  mutating func noteResume(at now: SimInstant) {
    if resumes < .max { resumes += 1 }
    resumedAt = Self.seconds(now)
  }

  /// Clears the delay and releases a delayed upload, because the app is in the foreground.
  mutating func forgetDelay(at now: SimInstant, keepsDiscretion: Bool) {
    resumes = 0
    guard stage == .queued else { return }
    settledAt = min(settledAt, Self.seconds(now))
    if isDiscretionary, !keepsDiscretion {
      isDiscretionary = false
      left = 0
    }
  }

  private mutating func delayEnd(_ now: SimInstant, _ profile: BackgroundSessionProfile) -> UInt32 {
    let second = Self.seconds(now)
    guard resumes > 0 else { return second }
    let doubled = Double(
      sign: .plus, exponent: Int(resumes) - 1, significand: profile.firstDelay.seconds)
    let end = resumedAt + UInt32(min(profile.delayMax.seconds, doubled))
    if end <= second { resumes = 0 }
    return max(end, second)
  }

  // MARK: The wait

  mutating func queue(
    _ now: SimInstant, isInFront: Bool, wantsDiscretion: Bool, _ draw: inout Draw,
    _ profile: BackgroundSessionProfile
  ) {
    stage = .queued
    isDiscretionary = wantsDiscretion || !isInFront && profile.discretionaryInBackground
    settledAt = isInFront ? Self.seconds(now) : delayEnd(now, profile)
    left =
      isDiscretionary
      ? Float(draw.exponential(mean: 1))
      : Float(draw.logNormal(median: profile.startMedian.seconds, sigma: profile.startSigma))
    pace = 0
    expires = Self.seconds(now + profile.timeout)
  }

  mutating func settle(at now: SimInstant, pace new: Float) {
    let second = Self.seconds(now)
    if second > settledAt {
      left -= Float(second - settledAt) * pace
      settledAt = second
    }
    pace = new
  }

  func isDue(at now: SimInstant) -> Bool { settledAt <= Self.seconds(now) && left <= pace }

  /// The end of the wait at the current pace; `distantFuture` if the pace is zero.
  var dueAt: SimInstant {
    guard left > 0 else { return Self.instant(settledAt) }
    guard pace > 0 else { return .distantFuture }
    return Self.instant(settledAt) + SimDuration(seconds: Double(left / pace))
  }
}

// MARK: - On the phone

extension Device {
  /// Returns whether the phone has no network: offline, in airplane mode, or without SIM and Wi-Fi.
  @inline(__always) package func isCutOff(at t: SimInstant) -> Bool {
    offline.contains(t) || airplane.contains(t) || traits.contains(.withoutSIM) && !isOnWifi
  }

  @inline(__always) package func isKeptFromSending(_ context: borrowing Context) -> Bool {
    !isOnWifi && (!context.policy.settings.send.allowsCellular || savesData)
  }

  /// Returns whether uploads wait for Wi-Fi, by the policy or by the system (NW3, NW4).
  package func waitsForWifi(_ context: borrowing Context) -> Bool {
    isKeptFromSending(context)
      || transfer.stage == .queued && transfer.isDiscretionary && !isOnWifi
  }

  private func maySend(_ now: SimInstant, _ context: borrowing Context) -> Bool {
    !isOff(at: now) && battery.letsAppsRun && !isCutOff(at: now) && !isKeptFromSending(context)
  }

  mutating func queueTransfer(_ now: SimInstant, _ context: borrowing Context) {
    var draw = Draw(seed: context.seed, phone: id.rawValue, .transferStart, now.microseconds)
    transfer.queue(
      now, isInFront: process.state == .foreground,
      wantsDiscretion: context.policy.settings.send.isDiscretionary,
      &draw, context.profile.backgroundSession)
    armTransfer(now, context)
  }

  /// Schedules the start of a queued upload anew, in the calendar slot that later holds the
  /// upload's outcome. Called after each change that affects the start.
  @inline(__always) mutating func armTransfer(_ now: SimInstant, _ context: borrowing Context) {
    if transfer.stage == .queued { scheduleTransfer(now, context) }
  }

  private mutating func scheduleTransfer(_ now: SimInstant, _ context: borrowing Context) {
    transfer.settle(at: now, pace: transferPace(now, context))
    var next = transfer.dueAt
    // Without a path to the server, the event that restores a path checks again.
    if next <= now, !maySend(now, context) { next = .distantFuture }
    due[.uploadOutcome] = max(now, min(next, transfer.expiresAt))
  }

  /// NW3: Returns 1, or for a discretionary upload the pace in mean waits per second.
  private func transferPace(_ now: SimInstant, _ context: borrowing Context) -> Float {
    guard transfer.isDiscretionary else { return 1 }
    guard maySend(now, context) else { return 0 }
    let profile = context.profile.backgroundSession
    let mean =
      if !isOnWifi {
        profile.discretionOnCellular
      } else {
        battery.isPlugged ? profile.discretionOnCharger : profile.discretionOnWifi
      }
    return Float(1 / max(1, mean.seconds))
  }

  mutating func lookAtTransfer(_ context: borrowing Context, _ out: inout Effects) {
    guard transfer.stage == .queued else { return }
    transfer.settle(at: out.now, pace: transferPace(out.now, context))
    if out.now >= transfer.expiresAt {
      account(context, &out)
      upload.result = .failed
      return finishTransfer(context, &out)
    }
    guard transfer.isDue(at: out.now), maySend(out.now, context) else {
      return armTransfer(out.now, context)
    }
    account(context, &out)
    sendBatch(tracker.lastSequence, tracker.cutCount, context, &out)
    if transfer.stage == .queued { transfer.stage = .sending }
  }

  mutating func resumeTransfer(_ now: SimInstant, _ context: borrowing Context) {
    guard transfer.stage == .sending else { return }
    transfer.stage = .queued
    armTransfer(now, context)
  }

  /// NW1, NW2: Passes the answer to the app. If the system must resume or relaunch the app for
  /// that, the delay of the next upload doubles.
  mutating func finishTransfer(_ context: borrowing Context, _ out: inout Effects) {
    transfer.stage = .answered
    if process.mayRunCode { return collectTransfer(context, &out) }
    // The next launch of the app collects an answer that no wake may deliver.
    let isStopped = process.isForceQuit && process.state == .notRunning
    guard !switchedOff.contains(out.now), battery.letsAppsRun, !isStopped else { return }
    transfer.noteResume(at: out.now)
    _ = wake(.upload, context, &out)
  }

  mutating func collectTransfer(_ context: borrowing Context, _ out: inout Effects) {
    let isCancelled = transfer.stage == .cancelled
    guard process.mayRunCode, isCancelled || transfer.stage == .answered else { return }
    transfer.stage = .none
    notify(.uploadFinished(isCancelled ? .connectionLost : upload.result), context, &out)
    if upload.newRollout > 0 { out.emit(.settingsCame) }
  }

  /// Cancels the uploads of an app that its owner force-quits (Apple, background(withIdentifier:)).
  mutating func cancelTransfer(_ out: inout Effects) {
    switch transfer.stage {
    case .queued, .sending:
      transfer.stage = .cancelled
      due[.uploadOutcome] = .distantFuture
      if upload.isInFlight { loseUpload(&out) }
    case .none, .answered, .cancelled: break
    }
  }

  /// LC3: Drops the connections of an app that stops, which loses the answer to its upload. NW1: An
  /// upload that the system's process has taken continues.
  mutating func loseAnswer(_ out: inout Effects) {
    guard transfer.stage == .none, tracker.isSending, !upload.answerIsLost else { return }
    upload.answerIsLost = true
    loseUpload(&out)
  }

  private mutating func loseUpload(_ out: inout Effects) {
    upload.isInFlight = false
    due[.uploadOutcome] = .distantFuture
    out.emit(upload.isEvent ? .event(.unanswered) : .uploadLost)
  }

  /// Ends the upload during the drain, in which no app is woken.
  package mutating func dropTransfer() {
    transfer.stage = .none
    due[.uploadOutcome] = .distantFuture
  }
}
