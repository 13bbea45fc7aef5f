internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

enum PlaceMeasures {
  static var all: [ClaimMeasure] { entries + [boots, cost, copies] }

  /// A policy with only regions of 100 m around home, work and 18 favourites. The app is sometimes
  /// opened, since an app sets its regions while it runs.
  private static let watching = "{ base: places, places: { radius: 100m } }"
  private static let wide = 200.0

  private static var entries: [ClaimMeasure] {
    let locked = FleetPlan(policy: watching, system: "ios8").with {
      $0.phones = 60
      $0.duration = "48h"
      $0.phone = ["wifiAtStays=100%"]
    }
    let moving = FleetPlan(.city, policy: watching, system: "ios8").with { $0.phones = 40 }
    return [
      ClaimMeasure(
        "L-entry-within-30s",
        .phones(locked) { phone in
          var figures = PhoneFigures()
          for entry in phone.placeEntries() {
            if let delay = entry.delay { figures.note(delay <= .seconds(30)) }
          }
          return figures
        }, .share),
      ClaimMeasure(
        "L-entry-home-1-to-3min",
        .phones(
          locked.with {
            $0.policy = "{ base: places, places: { radius: \(Int(wide))m } }"
            $0.system = "ios12"
          }
        ) { phone in
          let delays = phone.placeEntries(radius: wide).compactMap(\.delay)
          return PhoneFigures(values: delays.map { $0.seconds / 60 })
        }, .median),
      ClaimMeasure(
        "L-entry-told-far-off",
        .phones(moving) { phone in PhoneFigures(values: phone.placeEntries().map(\.distance)) },
        .quantile(1)),
    ]
  }

  private static var boots: ClaimMeasure {
    let plan = FleetPlan(.city, policy: watching, system: "ios7").with {
      $0.phones = 100
      $0.duration = "96h"
      $0.phone = ["switchedOff=20%"]
    }
    return ClaimMeasure(
      "L-boot-regions-3min", .phones(plan) { PhoneFigures(values: $0.minutesFromBootToPlace) },
      .median)
  }

  private static var copies: ClaimMeasure {
    let policy = "{ base: places, places: { interface: monitor } }"
    let plan = FleetPlan(policy: policy, system: "ios26").with {
      $0.phones = 60
      $0.duration = "48h"
    }
    return ClaimMeasure(
      "L-monitor-copies", .phones(plan) { PhoneFigures(values: $0.eventsPerCrossing) }, .mean)
  }

  private static var cost: ClaimMeasure {
    let unsent = "{ base: places, send: { interval: 1d, maxFixes: 1000 } }"
    return ClaimMeasure(
      "E-geofences-vendor",
      EnergyMeasures.profiles.map { energy in
        let plan = FleetPlan(policy: unsent, system: "ios17").with {
          $0.energy = energy
          $0.phones = 60
          $0.traced = nil
        }
        return ClaimCase(energy, .phones(plan) { $0.trackingPercentADay }, .median)
      })
  }
}

struct PlaceEntry {
  let distance: Double
  /// The time from the end of the system's dwell after an arrival to the event; nil if the phone was
  /// outside, or had been reported to leave since it arrived.
  let delay: SimDuration?
}

extension LivedPhone {
  /// - Parameter radius: The radius of the regions in metres; nil for the system's minimum.
  func placeEntries(radius: Double? = nil) -> [PlaceEntry] {
    let cohort = fleet.scenario.fleet.cohorts[fleet.fleet.context.cohort(of: number)]
    let profile = cohort.os.value.regions
    var left: [UInt8: SimInstant] = [:]
    return entries.compactMap { at, what in
      if case .delivered(.placeExited(let place, _)) = what { left[place] = at }
      guard case .delivered(.placeEntered(let place, _)) = what else { return nil }
      let centre = life.place(number: Int(place))
      let distance = life.segment(at: at).position(at: at).distance(to: centre)
      let inside = timeInside(centre, radius ?? profile.radiusMin.meters, before: at)
      let arrival = inside.map { at - $0 }.flatMap {
        left[place, default: .distantPast] > $0 ? nil : $0
      }
      return PlaceEntry(
        distance: distance, delay: arrival.map { max(.zero, at - $0 - profile.dwell) })
    }
  }

  /// Returns how long the phone was in the circle before `arrival`, up to 3 h; nil if outside.
  private func timeInside(
    _ centre: PlanePoint, _ radius: Double, before arrival: SimInstant
  ) -> SimDuration? {
    var inside: SimDuration?
    var back = SimDuration.zero
    var segment = life.segment(at: arrival)
    while back <= .hours(3) {
      let t = arrival - back
      if t < segment.start { segment = life.segment(at: t) }
      guard segment.position(at: t).distance(to: centre) <= radius else { return inside }
      inside = back
      back += .seconds(2)
    }
    return inside
  }

  /// The number of events of each crossing of a place. Copies of an event have the same instant.
  var eventsPerCrossing: [Double] {
    var found: [Double] = []
    var last: (at: SimInstant, place: UInt8)?
    for (at, what) in entries {
      let place: UInt8
      switch what {
      case .delivered(.placeEntered(let number, _)), .delivered(.placeExited(let number, _)):
        place = number
      case _: continue
      }
      if let last, last == (at, place) {
        found[found.count - 1] += 1
      } else {
        found.append(1)
      }
      last = (at, place)
    }
    return found
  }

  /// The minutes to a region event from a boot at rest, far from where the phone was switched off.
  var minutesFromBootToPlace: [Double] {
    var found: [Double] = []
    var offAt: PlanePoint?
    var boot: SimInstant?
    for (at, what) in entries {
      switch what {
      case .edge(.switchedOff, begins: true):
        offAt = life.segment(at: at).position(at: at)
        boot = nil
      case .edge(.switchedOff, begins: false):
        let segment = life.segment(at: at)
        let isElsewhere = offAt.map { segment.position(at: at).distance(to: $0) > 500 } ?? false
        boot = isElsewhere && !segment.isMoving ? at : nil
      case .truth(let segment, wifi: _): if segment.isMoving { boot = nil }
      case .delivered(.placeEntered), .delivered(.placeExited):
        if let boot, at - boot <= .hours(1) { found.append((at - boot).seconds / 60) }
        boot = nil
      case .edge, .process, .authorized, .crashed, .delivered, .fix, .command, .outbox,
        .pushRequested, .pushEnded, .stored, .cause, .live, .region, .consent:
        break
      }
    }
    return found
  }
}
