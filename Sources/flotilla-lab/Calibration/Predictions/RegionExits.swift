internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

struct RegionExit {
  let at: SimInstant
  let segment: Segment
  /// The metres from the region's centre at the report; nil if its start was not observed.
  let distance: Double?
  let radius: Double
  /// The time since the phone was last within the region's circle; nil if over three hours.
  let delay: SimDuration?
  let reported: Double?
  let process: AppProcess.State
}

extension LivedPhone {
  var exits: [RegionExit] {
    var found: [RegionExit] = []
    var truth = truth
    var region: (centre: PlanePoint, radius: Double)?
    var process = (before: AppProcess.State.notRunning, since: SimInstant.distantPast)
    var state = AppProcess.State.notRunning
    for (at, what) in entries {
      if case .process(let next) = what {
        process = (state, at)
        state = next
      } else if case .command(.monitorRegion(let centre, let radius)) = what {
        // RG1: a region with a smaller radius behaves like one of 100 m.
        region = (fleet.scenario.projection.point(of: centre), max(100, radius.meters))
      } else if case .delivered(.regionExited(.imprecise, let cached)) = what {
        let segment = truth.at(at)
        found.append(
          RegionExit(
            at: at, segment: segment,
            distance: region.map { segment.position(at: at).distance(to: $0.centre) },
            radius: region?.radius ?? 100,
            delay: region.flatMap { time(sinceInside: true, of: $0.centre, $0.radius, before: at) },
            reported: cached.map { Double($0.accuracyMeters) },
            // The wake has the timestamp of the delivery, but may be recorded before or after it.
            process: process.since == at ? process.before : state))
      }
    }
    return found
  }

  /// Returns the time from the phone's last position inside (`wasInside`) or outside of a circle to
  /// `t`, in steps of 5 s; nil if over three hours.
  func time(
    sinceInside wasInside: Bool, of centre: PlanePoint, _ radius: Double, before t: SimInstant
  ) -> SimDuration? {
    var delay = SimDuration.zero
    var segment = life.segment(at: t)
    while delay <= .hours(3) {
      let then = t - delay
      if then < segment.start { segment = life.segment(at: then) }
      if (segment.position(at: then).distance(to: centre) <= radius) == wasInside { return delay }
      delay += .seconds(5)
    }
    return nil
  }
}
