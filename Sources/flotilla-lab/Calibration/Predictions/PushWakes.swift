internal import Core
internal import Fleet
internal import Phone

struct PushAttempt {
  let askedAt: SimInstant
  /// The time of the wake; nil if the app was not woken before the next request.
  var wokenAt: SimInstant?
  /// Whether the owner was using the app, so that the push woke nothing.
  var isInForeground = false

  var seconds: Double? { wokenAt.map { ($0 - askedAt).seconds } }
  func isWoken(within seconds: Double) -> Bool { self.seconds.map { $0 <= seconds } ?? false }
  var wokeInBackground: Bool { wokenAt != nil && !isInForeground }
}

extension LivedPhone {
  var pushes: [PushAttempt] {
    var found: [PushAttempt] = []
    var isInForeground = false
    for (at, what) in entries {
      switch what {
      case .pushRequested: found.append(PushAttempt(askedAt: at))
      case .process(let state): isInForeground = state == .foreground
      // The process state is recorded after the app's events when the app is opened.
      case .delivered(.becameActive): isInForeground = true
      case .delivered(.silentPush):
        // A stored push that is delivered after the next request counts for that request, since an
        // app has one slot.
        if !found.isEmpty, found[found.count - 1].wokenAt == nil {
          found[found.count - 1].wokenAt = at
          found[found.count - 1].isInForeground = isInForeground
        }
      case .truth, .edge, .authorized, .crashed, .delivered, .fix, .command, .outbox,
        .pushEnded, .stored, .cause, .live, .region, .consent:
        break
      }
    }
    return found
  }

  func woken(within seconds: Double) -> PhoneFigures {
    let pushes = pushes
    return PhoneFigures(
      part: Double(pushes.count { $0.isWoken(within: seconds) }), whole: Double(pushes.count))
  }

  func wokenInBackground(within seconds: Double) -> PhoneFigures {
    let pushes = pushes
    return PhoneFigures(
      part: Double(pushes.count { $0.wokeInBackground && $0.isWoken(within: seconds) }),
      whole: Double(pushes.count))
  }

  /// Returns background wakes per hour while the charge is below 20 %, or not below. Counts meter
  /// steps entirely on one side, but no steps with an empty battery.
  func wakes(below: Bool) -> PhoneFigures {
    guard let step = fleet.metersEvery else { return PhoneFigures() }
    var figures = PhoneFigures()
    let woken = pushes.filter(\.wokeInBackground).compactMap(\.wokenAt)
    for place in 1..<max(1, fleet.charges.count) {
      let ends = [fleet.charges[place - 1][number], fleet.charges[place][number]]
      guard ends.allSatisfy({ !$0.isEmpty && ($0.percent < 20) == below }) else { continue }
      let from = start + step * Int64(place - 1)
      figures.part += Double(woken.count { from <= $0 && $0 < from + step })
      figures.whole += step.seconds / 3_600
    }
    return figures
  }

  var wakeSeconds: PhoneFigures { PhoneFigures(values: pushes.compactMap(\.seconds)) }

  func wakes(perHours hours: Double = 1) -> PhoneFigures {
    PhoneFigures(part: Double(pushes.count { $0.wokenAt != nil }), whole: self.hours / hours)
  }

  func spells(every minute: SimDuration) -> (on: [Double], off: [Double]) {
    var on: [Double] = []
    var off: [Double] = []
    var run = 0
    var isInside = false
    var misses = 0
    for push in pushes {
      if push.isWoken(within: minute.seconds) {
        if misses > 0, isInside { off.append(Double(misses) * minute.seconds / 60) }
        misses = 0
        run += 1
        isInside = true
      } else {
        if run > 0 { on.append(Double(run) * minute.seconds / 60) }
        run = 0
        misses += 1
      }
    }
    return (on, off)
  }

  /// Returns the seconds from the end of each long outage to the wake by a push stored meanwhile.
  func returns(from wanted: TraceEvent.Edge, lasting least: SimDuration) -> [Double] {
    var found: [Double] = []
    var beganAt: SimInstant?
    var endedAt: SimInstant?
    var hasWaiting = false
    for (at, what) in entries {
      if case .edge(let edge, let begins) = what, edge == wanted {
        if begins {
          beganAt = at
          endedAt = nil
          hasWaiting = false
        } else {
          endedAt = beganAt.map { at - $0 >= least } == true && hasWaiting ? at : nil
          beganAt = nil
        }
      } else if case .pushRequested = what {
        if beganAt != nil { hasWaiting = true } else { endedAt = nil }
      } else if case .delivered(.silentPush) = what {
        if let ended = endedAt { found.append((at - ended).seconds) }
        endedAt = nil
      }
    }
    return found
  }

  /// The minutes per day for which the app ran in the background because of a push.
  var pushRunMinutes: PhoneFigures {
    var seconds = 0.0
    var since: SimInstant?
    var wokenAt = SimInstant.distantPast
    var isRunning = false
    for (at, what) in entries {
      if case .delivered(.silentPush) = what {
        wokenAt = at
        if isRunning { since = at }
      } else if case .process(let state) = what {
        let runs = state == .background
        if runs, wokenAt == at { since = at }
        if !runs, let began = since {
          seconds += (at - began).seconds
          since = nil
        }
        isRunning = runs
      }
    }
    return PhoneFigures(part: seconds / 60, whole: hours / 24)
  }
}
