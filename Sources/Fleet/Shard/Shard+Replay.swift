internal import Core
internal import Phone
internal import Scenarios

/// Lets phones send the uploads of recordings at the recorded times.
extension Shard {
  /// Returns false for a phone that is simulated.
  mutating func beginsReplay(_ phone: inout Device, at start: SimInstant) -> Bool {
    guard let track = track(of: phone), !track.uploads.isEmpty else { return false }
    if replayed.isEmpty { replayed = [Int32](repeating: 0, count: count) }
    phone.beginReplay()
    enterSegment(&phone, phone.segment, now: start)
    replayed[index(phone.id)] = Int32(track.uploads.count(before: start - delay(of: phone)))
    armReplay(&phone)
    reschedule(phone)
    return true
  }

  /// Sends the recorded upload that is due, or passes the timer to a simulated phone.
  mutating func replayDue(_ phone: inout Device, now: SimInstant) {
    guard let track = track(of: phone), !track.uploads.isEmpty else {
      return system(&phone, .due(.sendTimer), now: now)
    }
    let delay = delay(of: phone)
    let upload = Int(replayed[index(phone.id)])
    replayed[index(phone.id)] += 1
    armReplay(&phone)
    if effects.isDraining { return }
    let fixes = track.uploads.fixes(of: upload)
    metrics[.fixesGenerated] += fixes.count
    metrics[.fixesPersisted] += fixes.count
    effects.now = now
    phone.replay(
      fixes, later: delay, battery: track.uploads.batteryPercent(of: upload),
      context.systems[context.system(of: phone)], &effects)
    settle(&phone)
  }

  /// Handles the answer to a recorded upload. Returns false for a phone that is simulated.
  mutating func replayAnswered(_ phone: inout Device, now: SimInstant) -> Bool {
    guard !replayed.isEmpty, let track = track(of: phone), !track.uploads.isEmpty else {
      return false
    }
    effects.now = now
    phone.replayAnswered(context.systems[context.system(of: phone)], &effects)
    settle(&phone)
    return true
  }

  private mutating func armReplay(_ phone: inout Device) {
    let next = Int(replayed[index(phone.id)])
    guard let uploads = track(of: phone)?.uploads, next < uploads.count else { return }
    phone.due[.sendTimer] = uploads.at(next) + delay(of: phone)
  }

  private func track(of phone: borrowing Device) -> RecordedTrack? {
    context.track(of: phone.id, cohort: Int(phone.cohort))
  }

  private func delay(of phone: borrowing Device) -> SimDuration {
    context.replayDelay(of: phone.id, cohort: Int(phone.cohort))
  }
}
