internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

/// An entry into the fence of a place for a stay of ten minutes or more, or the exit after it.
struct FenceCrossing {
  let at: SimInstant
  let place: UInt8
  let isEntry: Bool
  /// When the app was told; nil if it was not before the phone crossed the fence again.
  var toldAt: SimInstant?

  /// The minutes from the crossing to the event.
  var delay: Double? { toldAt.map { max(0, ($0 - at).seconds / 60) } }

  func isTold(within minutes: Double) -> Bool { delay.map { $0 <= minutes } ?? false }
}

extension LivedPhone {
  /// An event may come a little before the crossing, for an error of the position.
  private static let early = SimDuration.minutes(5)

  /// The crossings of the measured part, in order. A place that is only passed has none.
  var crossings: [FenceCrossing] {
    let cohort = fleet.scenario.fleet.cohorts[cohort]
    guard let rule = fleet.scenario.policies[cohort.policy].settings.places else { return [] }
    let centres = (0..<rule.count).map { life.place(number: $0) }
    let radius = rule.radius.meters
    var found: [FenceCrossing] = []
    var inside: Set<Int>?
    for stay in segments where !stay.isMoving && stay.duration >= .minutes(10) {
      let here = stay.position(at: stay.start)
      let now = Set(centres.indices.filter { centres[$0].distance(to: here) <= radius })
      for place in (inside ?? now).symmetricDifference(now).sorted() {
        let isEntry = now.contains(place)
        // A crossing is looked for before the stay, where the phone was last on the other side.
        guard
          let since = time(sinceInside: !isEntry, of: centres[place], radius, before: stay.start)
        else { continue }
        found.append(
          FenceCrossing(at: stay.start - since, place: UInt8(place), isEntry: isEntry))
      }
      inside = now
    }
    return told(found.filter { $0.at >= start }.sorted { $0.at < $1.at })
  }

  /// Returns the crossings with the first event for each of them.
  private func told(_ crossings: [FenceCrossing]) -> [FenceCrossing] {
    let events = entries.compactMap { entry -> (at: SimInstant, place: UInt8, isEntry: Bool)? in
      switch entry.what {
      case .delivered(.placeEntered(let place, _)): (entry.at, place, true)
      case .delivered(.placeExited(let place, _)): (entry.at, place, false)
      case .truth, .edge, .process, .authorized, .crashed, .delivered, .fix, .command, .outbox,
        .pushRequested, .pushEnded, .stored, .cause, .live, .region, .consent:
        nil
      }
    }
    return crossings.indices.map { number in
      var crossing = crossings[number]
      let next = crossings[(number + 1)...].first { $0.place == crossing.place }?.at ?? end
      crossing.toldAt =
        events.first {
          $0.place == crossing.place && $0.isEntry == crossing.isEntry
            && $0.at >= crossing.at - Self.early && $0.at < next
        }?.at
      return crossing
    }
  }
}
