internal import Core
internal import Fleet
internal import Phone

// Times without a position, and runs of work, while the owner does or does not use the phone.

extension LivedPhone {
  private var id: PhoneID { PhoneID(rawValue: UInt32(number)) }

  /// Returns whether the owner uses the phone at some time from `from` to `to`.
  func isUsed(from: SimInstant, to: SimInstant) -> Bool {
    let battery = fleet.fleet.context.battery(cohort)
    let last = battery.use.last(
      notAfter: to, phone: id, screenShare: battery.screenShare(of: id))
    return last.end > from
  }

  /// The times at which the tracker kept a position.
  private var keptAt: [SimInstant] {
    entries.compactMap { entry in
      if case .fix(_, _, _, isKept: true) = entry.what { entry.at } else { nil }
    }
  }

  private func seconds(between times: [SimInstant]) -> [Double] {
    zip(times, times.dropFirst()).map { ($1 - $0).seconds }
  }

  /// The seconds between two positions.
  var gaps: [Double] { seconds(between: keptAt) }

  /// Returns the seconds between two positions of one way, on which stays of a quarter of an hour
  /// at most are changes of vehicles.
  ///
  /// - Parameter mode: the vehicle of the whole way; nil for ways with any vehicles.
  func gapsOnTheWay(by mode: TravelMode? = nil) -> [Double] {
    var found: [Double] = []
    var truth = truth
    var last: (at: SimInstant, segment: Segment)?
    for at in keptAt {
      let segment = truth.at(at)
      guard segment.isMoving, mode.map({ $0 == segment.mode }) ?? true else {
        last = nil
        continue
      }
      if let last {
        let isOneWay =
          mode == nil
          ? segment.start - last.segment.end <= .minutes(15)
          : segment.start == last.segment.start
        if isOneWay { found.append((at - last.at).seconds) }
      }
      last = (at, segment)
    }
    return found
  }

  /// Returns the longest time without a position from `from` to `to`, in minutes.
  func longestGap(from: SimInstant, to: SimInstant) -> Double {
    let times = [from] + keptAt.filter { from < $0 && $0 < to } + [to]
    return (seconds(between: times).max() ?? 0) / 60
  }

  /// Returns the share of whole slots of time in which the tracker kept a position.
  func located(inSlotsOf slot: SimDuration) -> PhoneFigures {
    let count = Int((end - start).seconds / slot.seconds)
    let located = Set(keptAt.map { Int(($0 - start).seconds / slot.seconds) })
    return PhoneFigures(
      part: Double(located.count { $0 < count }), whole: Double(count))
  }

  /// The minutes from the start to the last position; none without a position.
  var minutesToLastFix: PhoneFigures {
    PhoneFigures(values: keptAt.last.map { [($0 - start).seconds / 60] } ?? [])
  }

  /// The minutes from the last position before the app is left to the first one after it.
  var gapsAtLeaving: [Double] {
    let kept = keptAt
    return entries.compactMap { entry in
      guard case .delivered(.enteredBackground) = entry.what,
        let before = kept.last(where: { $0 <= entry.at }),
        let after = kept.first(where: { $0 > entry.at })
      else { return nil }
      return (after - before).seconds / 60
    }
  }

  /// The positions, and the hours, of motion while nobody uses the phone, in steps of 10 s.
  var darkFixesOnTheWay: PhoneFigures {
    let step = SimDuration.seconds(10)
    let kept = keptAt
    var figures = PhoneFigures()
    for segment in segments where segment.isMoving {
      var from = max(segment.start, start)
      while from + step <= min(segment.end, end) {
        if !isUsed(from: from, to: from + step) {
          figures.part += Double(kept.count { from <= $0 && $0 < from + step })
          figures.whole += step.seconds / 3_600
        }
        from += step
      }
    }
    return figures
  }

  /// Returns the share of whole trips, of those that `isMeant` accepts, on which the server got no
  /// new position.
  func unseen(_ isMeant: (Segment) -> Bool) -> PhoneFigures {
    let stored = entries.compactMap { entry in
      if case .stored = entry.what { entry.at } else { nil }
    }
    var figures = PhoneFigures()
    for trip in segments where trip.isMoving && trip.start >= start && trip.end <= end {
      guard isMeant(trip) else { continue }
      figures.note(!stored.contains { trip.start <= $0 && $0 < trip.end })
    }
    return figures
  }

  /// Returns the share of kept positions between two hours of the day that have the place and the
  /// accuracy of the one before.
  func repeated(from first: Int, to last: Int) -> PhoneFigures {
    var before: Fix?
    return share { seen in
      guard seen.isKept else { return nil }
      defer { before = seen.fix }
      guard let before, first <= hour(seen.at), hour(seen.at) < last else { return nil }
      return before.coordinate == seen.fix.coordinate
        && before.accuracyMeters == seen.fix.accuracyMeters
    }
  }
}

// MARK: - Work

extension LivedPhone {
  private var workedAt: [SimInstant] {
    entries.compactMap { entry in
      if case .delivered(.refreshed) = entry.what { entry.at } else { nil }
    }
  }

  /// The minutes between two runs of work while nobody uses the phone.
  var darkWorkGaps: [Double] {
    let runs = workedAt
    return zip(runs, runs.dropFirst()).compactMap { before, after in
      isUsed(from: before, to: after) ? nil : (after - before).seconds / 60
    }
  }

  /// The ratios of one time between two runs of work to the time before, all three runs in one stay
  /// in which nobody uses the phone.
  var workGapRatios: [Double] {
    let runs = workedAt
    var truth = truth
    return runs.indices.dropFirst(2).compactMap { place in
      let (first, middle, last) = (runs[place - 2], runs[place - 1], runs[place])
      let stay = truth.at(last)
      guard !stay.isMoving, stay.start <= first, !isUsed(from: first, to: last) else { return nil }
      return (last - middle).seconds / (middle - first).seconds
    }
  }
}

// MARK: - Connection

extension LivedPhone {
  /// The share of time in which the phone has no connection for pushes.
  var unconnected: PhoneFigures {
    var figures = PhoneFigures(whole: hours)
    var outages: Set<TraceEvent.Edge> = []
    var since = start
    func close(at end: SimInstant) {
      if !outages.isEmpty { figures.part += max(0, (end - max(since, start)).seconds) / 3_600 }
      since = end
    }
    for (at, what) in fleet.traces[number].entries where at < end {
      guard case .edge(let edge, let begins) = what else { continue }
      switch edge {
      case .offline, .switchedOff, .airplane, .batteryEmpty:
        close(at: at)
        if begins { outages.insert(edge) } else { outages.remove(edge) }
      case .forceQuit, .lookedAt, .charger, .lowPower, .firstUnlock, .endedForMemory, .updated,
        .reinstalled:
        break
      }
    }
    close(at: end)
    return figures
  }

  /// Returns the share of pushes that woke the app in time, of those that had that time.
  func arrived(within limit: SimDuration) -> PhoneFigures {
    let asked = pushes.filter { $0.askedAt + limit <= end }
    return PhoneFigures(
      part: Double(asked.count { $0.isWoken(within: limit.seconds) }), whole: Double(asked.count))
  }
}
