internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

extension LivedPhone {
  var betweenChanges: [Double] {
    var found: [Double] = []
    var truth = truth
    var last: SimInstant?
    for (at, what) in entries {
      if case .truth(let segment, _) = what {
        // A stay of minutes between two legs is a change of vehicles, not the end of a trip.
        if !segment.isMoving, segment.duration > .minutes(15) { last = nil }
      } else if case .fix(_, .imprecise?, _, _) = what {
        guard truth.at(at).isMoving else { continue }
        if let last, at - last < .hours(2) { found.append(travelled(from: last, to: at)) }
        last = at
      }
    }
    return found
  }

  private func travelled(from: SimInstant, to: SimInstant) -> Double {
    var truth = truth
    var here = truth.at(from).position(at: from)
    var sum = 0.0
    var t = from
    while t < to {
      t = min(t + .seconds(10), to)
      let next = truth.at(t).position(at: t)
      sum += next.distance(to: here)
      here = next
    }
    return sum
  }

  func visitDelays(stays least: SimDuration) -> (arrivals: [Double], departures: [Double]) {
    var arrivals: [Double] = []
    var departures: [Double] = []
    var stay: Segment?
    var left: SimInstant?
    for (at, what) in entries {
      if case .truth(let segment, _) = what {
        if segment.isMoving {
          if let stay, stay.duration >= least { left = stay.end }
          stay = nil
        } else {
          stay = segment
        }
      } else if case .delivered(.visit(let visit)) = what {
        if visit.hasEnded {
          if let left { departures.append((at - left).seconds / 60) }
          left = nil
        } else if let stay, stay.duration >= least {
          arrivals.append((at - stay.start).seconds / 60)
        }
      }
    }
    return (arrivals, departures)
  }

  /// The age of each wake's fix, in seconds: the cached fix of a region, else the delivered fix.
  var wakeFixAges: [Double] {
    var found: [Double] = []
    var state = AppProcess.State.notRunning
    var countedAt: SimInstant?
    func count(_ fix: Fix, at now: SimInstant) {
      guard state == .notRunning || state == .suspended, countedAt != now else { return }
      countedAt = now
      found.append((now - fix.time.instant).seconds)
    }
    for (at, what) in entries {
      switch what {
      // Reads the state, since the process of a wake is recorded after the delivered event.
      case .process(let next): state = next
      case .delivered(.regionExited(.imprecise, let cached?)): count(cached, at: at)
      case .fix(let fix, .imprecise?, _, _): count(fix, at: at)
      case .truth, .edge, .authorized, .crashed, .delivered, .fix, .command, .outbox,
        .pushRequested, .pushEnded, .stored, .cause, .live, .region, .consent:
        break
      }
    }
    return found
  }

  var answerSeconds: [Double] {
    var found: [Double] = []
    var truth = truth
    var askedAt: SimInstant?
    for (at, what) in entries {
      if case .delivered(.silentPush) = what {
        askedAt = truth.at(at).isMoving ? nil : at
      } else if case .fix(_, .standard?, _, let isKept) = what {
        guard isKept, let asked = askedAt else { continue }
        found.append((at - asked).seconds)
        askedAt = nil
      }
    }
    return found
  }

  /// Returns the seconds from starts of the standard service, within an hour of a fix, to the next
  /// fix; if `fresh`, from all starts to a new fix, a stop or the next start.
  func startSeconds(fresh: Bool) -> [Double] {
    var found: [Double] = []
    var startedAt: SimInstant?
    var last = SimInstant.distantPast
    func close(at end: SimInstant) {
      if fresh, let started = startedAt { found.append((end - started).seconds) }
      startedAt = nil
    }
    for (at, what) in entries {
      if case .command(.startStandard) = what {
        close(at: at)
        if fresh || at - last < .hours(1) { startedAt = at }
      } else if case .command(.stopStandard) = what {
        close(at: at)
      } else if case .fix(let fix, let manager, _, _) = what {
        last = at
        guard manager == .standard, let started = startedAt,
          !fresh || fix.time.instant >= started
        else { continue }
        found.append((at - started).seconds)
        startedAt = nil
      }
    }
    return found
  }

  /// The minutes from coming to rest, for an hour or more, to the standard service's last fix
  /// before the first five minutes without a fix.
  var restFixMinutes: [Double] {
    var found: [Double] = []
    var truth = truth
    var last = SimInstant.distantPast
    var rest: SimInstant?
    for (at, what) in entries {
      guard case .fix(_, .standard?, _, _) = what else { continue }
      let segment = truth.at(at)
      if let began = rest, segment.start != began || at - last > .minutes(5) {
        found.append((last - began).seconds / 60)
        rest = nil
      }
      if !segment.isMoving, segment.duration >= .hours(1), last < segment.start,
        segment.start - last <= .minutes(2)
      {
        rest = segment.start
      }
      last = at
    }
    return found
  }

  /// The minutes from the start and from the end of a walk or ride to its recognition.
  var motionLags: (starts: [Double], stops: [Double]) {
    var starts: [Double] = []
    var stops: [Double] = []
    var began: SimInstant?
    var ended: SimInstant?
    var going: TravelMode?
    for (at, what) in entries {
      if case .truth(let segment, _) = what {
        if segment.isMoving {
          if going == nil, segment.mode.isByForce { began = at }
          going = segment.mode
          ended = nil
        } else if segment.duration > .minutes(15) {
          if let going, going.isByForce { ended = at }
          going = nil
          began = nil
        }
      } else if case .delivered(.motionActivity(.stationary?)) = what {
        if let end = ended { stops.append((at - end).seconds / 60) }
        ended = nil
      } else if case .delivered(.motionActivity(_?)) = what {
        if let begin = began { starts.append((at - begin).seconds / 60) }
        began = nil
      }
    }
    return (starts, stops)
  }
}

extension TravelMode {
  /// Whether people travel by muscle power.
  var isByForce: Bool {
    switch self {
    case .walk, .bicycle: true
    case .bus, .tram, .car, .rail: false
    }
  }
}
