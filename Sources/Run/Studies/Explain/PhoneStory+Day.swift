internal import Core
package import Figures
internal import Fleet
internal import Phone
internal import Scenarios

extension PhoneStory {
  /// A sample that contains only this phone's day, for a page.
  package var sample: PhoneSample {
    var sample = PhoneSample()
    let centre = context.fixMaker(of: phone, cohort: cohort).projection
      .coordinate(of: PlanePoint(x: 0, y: 0))
    sample.base = [Int(centre.latitudeE6), Int(centre.longitudeE6)]
    sample.cohorts = [scenario.fleet.cohorts[cohort].name]
    sample.instants = [Int(begin.microseconds / 1_000_000)]
    sample.days = [day(base: sample.base, pointsMax: 400)]
    return sample
  }

  /// The city's last midnight before the scenario's start, in scenario seconds since 1970.
  package var midnight: Int {
    let clock = scenario.clock
    return Int(clock.midnight(of: clock.day(at: scenario.start)).microseconds / 1_000_000)
  }

  /// - Parameter pointsMax: the maximum number of steps that show one movement.
  func day(base: [Int], pointsMax: Int = 40) -> PhoneSample.Day {
    var day = PhoneSample.Day(phone: Int(phone.rawValue), introduction: introduction)
    day.isCut = trace.isCut
    let lines = told
    day.lines = lines.map(\.text)
    day.times = Growth.of(lines.map { [seconds($0.at)] }, 1)
    day.way = Growth.of(
      way(pointsMax).map { at, place in [seconds(at)] + row(place, base) }, 3)
    var fixes: [[Int]] = []
    var marks: [[Int]] = []
    for (number, line) in lines.enumerated() {
      for entry in line.entries {
        let (at, what) = entries[entry]
        if case .fix(let fix, _, _, isKept: let isKept) = what {
          let source = trace.sources[entry].flatMap(FixSource.allCases.firstIndex) ?? 0
          fixes.append(
            [seconds(fix.time.instant)] + row(fix.coordinate, base)
              + [Int(fix.accuracyMeters), source, isKept ? 1 : 0, number])
        } else if let mark = Self.mark(what) {
          marks.append([seconds(at), mark.rawValue, number])
        }
      }
    }
    day.fixes = Growth.of(fixes, 3)
    day.marks = Growth.of(marks, 1)
    return day
  }

  private func seconds(_ at: SimInstant) -> Int {
    Int(at.microseconds / 1_000_000 - begin.microseconds / 1_000_000)
  }

  private func row(_ place: Coordinate, _ base: [Int]) -> [Int] {
    [Int(place.latitudeE6) - base[0], Int(place.longitudeE6) - base[1]]
  }

  private static func mark(_ what: TraceEvent) -> PhoneSample.Day.Mark? {
    switch what {
    case .process(.background): .wake
    case .command(.upload): .upload
    case .delivered(.uploadFinished(.acknowledged)): .acknowledged
    case .delivered(.uploadFinished): .failed
    case .pushRequested: .push
    case .pushEnded(.caused), .pushEnded(.late), .pushEnded(.raced): .answered
    case .pushEnded: .unanswered
    case .truth, .edge, .process, .authorized, .crashed, .delivered, .fix, .command, .outbox,
      .stored, .cause, .live, .region, .consent:
      nil
    }
  }

  private func way(_ pointsMax: Int) -> [(SimInstant, Coordinate)] {
    let projection = context.fixMaker(of: phone, cohort: cohort).projection
    var segments = entries.compactMap { _, what in
      if case .truth(let segment, wifi: _) = what { segment } else { nil }
    }
    // The trace may begin in the middle of a stay.
    if segments.first.map({ $0.start > begin }) ?? true {
      segments.insert(context.segment(of: phone, cohort: cohort, at: begin), at: 0)
    }
    return segments.flatMap { segment -> [(SimInstant, Coordinate)] in
      let (from, to) = (max(segment.start, begin), min(segment.end, end))
      guard from < to else { return [] }
      let count =
        segment.isMoving ? min(pointsMax, max(2, Int((to - from).seconds / 5))) : 1
      let step = (to - from).microseconds / Int64(count)
      return (0...count).map { i in
        let at = from + .microseconds(step * Int64(i))
        return (at, projection.coordinate(of: segment.position(at: at)))
      }
    }
  }
}

private enum Growth {
  /// Returns the rows as one list, the first `count` values as differences from the previous row.
  static func of(_ rows: [[Int]], _ count: Int) -> [Int] {
    var last: [Int] = []
    return rows.flatMap { row in
      defer { last = row }
      return row.enumerated().map { k, value in
        last.isEmpty || k >= count ? value : value - last[k]
      }
    }
  }
}
