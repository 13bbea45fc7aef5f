internal import Core

/// The times outdoors during a stay, in whole seconds: one in the garden or at work, and the wait
/// for a bus, tram or train at the end of the stay. A garden is between houses, so it receives the
/// networks and cells of a street. The times are packed into 64 bits that a segment has anyway.
struct OutdoorTimes: Equatable, BitwiseCopyable {
  let bits: UInt64

  init(bits: UInt64 = 0) { self.bits = bits }

  init(from: Double, lasting seconds: Double, waiting: Double) {
    bits =
      UInt64(UInt32(from)) << 32 | UInt64(UInt16(min(seconds, 65_535))) << 16
      | UInt64(UInt16(min(waiting, 65_535)))
  }

  private var from: Double { Double(bits >> 32) }
  private var lasts: Double { Double(UInt16(truncatingIfNeeded: bits >> 16)) }
  private var waits: Double { Double(UInt16(truncatingIfNeeded: bits)) }

  /// - Parameter seconds: the time since the start of the stay.
  /// - Returns: the surroundings outdoors; nil if the person is indoors at this time.
  func surroundings(after seconds: Double, of stay: SimDuration) -> Surroundings? {
    guard bits != 0 else { return nil }
    let isOut = from <= seconds && seconds < from + lasts
    return isOut || seconds >= stay.seconds - waits && waits > 0 ? .street : nil
  }

  /// - Returns: when the surroundings next change; nil if they do not.
  func change(after seconds: Double, of stay: SimDuration) -> Double? {
    guard bits != 0 else { return nil }
    let edges = (from, from + lasts, stay.seconds - waits)
    var next = Double.infinity
    if edges.0 > seconds { next = min(next, edges.0) }
    if edges.1 > seconds { next = min(next, edges.1) }
    if edges.2 > seconds { next = min(next, edges.2) }
    return next < stay.seconds ? next : nil
  }

  func seconds(from begin: Double, to end: Double, of stay: SimDuration) -> Double {
    let bound = stay.seconds - waits
    let first = min(end, from + lasts) - max(begin, from)
    let last = end - max(begin, bound, from + lasts)
    return max(0, first) + (waits > 0 ? max(0, last) : 0)
  }
}

extension Life {
  /// Returns the times outdoors of a stay: in the garden, at work, and waiting for the next trip.
  func timeOutdoors(
    at place: UInt16, from: SimInstant, until next: DayPlan.Visit
  ) -> OutdoorTimes {
    let stay = (next.departure - from).seconds
    // A trip that takes longer than planned may end after the next departure.
    guard stay > 0 else { return OutdoorTimes() }
    let (begin, length): (Double, Double) =
      switch place {
      case Person.home: timeInGarden(from: from, to: next.departure)
      case Person.work: timeOutdoorsAtWork(from: from, stay)
      default: (0, 0)
      }
    return OutdoorTimes(
      from: begin, lasting: length, waiting: min(wait(before: next), stay / 2))
  }

  /// Returns the first time in the garden that begins during the stay: the seconds since the start
  /// of the stay, and the length; (0, 0) without one. The hours are those of free-day outings.
  private func timeInGarden(from: SimInstant, to: SimInstant) -> (Double, Double) {
    let (people, clock) = (town.people, town.clock)
    let first = clock.day(at: from)
    for day in first...max(first, clock.day(at: to)) {
      var draw = Draw(seed: person.seed, phone: person.phone, .garden, Int64(day))
      guard draw.chance(people.outside.garden) else { continue }
      let hour = people.outings.weekendStarts.hour(draw.uniform())
      let begin = clock.instant(of: day, at: SimDuration(seconds: hour * 3_600))
      guard from <= begin, begin < to else { continue }
      let length = people.outside.gardenStay.value(&draw)
      return ((begin - from).seconds, min(length, (to - begin).seconds))
    }
    return (0, 0)
  }

  private func timeOutdoorsAtWork(from: SimInstant, _ stay: Double) -> (Double, Double) {
    var trait = Draw(seed: person.seed, phone: person.phone, .outdoorWork)
    guard trait.chance(town.people.outside.work) else { return (0, 0) }
    let length = stay * (1 - trait.uniform().squareRoot())
    var draw = Draw(
      seed: person.seed, phone: person.phone, .outdoorWork, from.microseconds)
    return (draw.uniform() * (stay - length), length)
  }

  /// Returns the wait before a trip, in seconds. It is uniform up to twice the mean, as people come
  /// to the stop without regard to the timetable.
  private func wait(before next: DayPlan.Visit) -> Double {
    switch next.mode {
    case .walk, .bicycle, .car: return 0
    case .bus, .tram, .rail:
      var draw = Draw(
        seed: person.seed, phone: person.phone, .transitWait, next.departure.microseconds)
      return draw.uniform(0, 2 * town.people.outside.waitSeconds)
    }
  }
}
