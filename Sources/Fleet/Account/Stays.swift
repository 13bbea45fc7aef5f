package import Core
package import Phone
internal import Scenarios

package struct FoundStay: Sendable, Equatable, BitwiseCopyable {
  package var phone: UInt32
  /// The position of the stay, in metres on the plane of the phone's truth.
  package var place: PlanePoint
  package var start: SimInstant
  package var end: SimInstant

  /// The radius of a stay around its first fix, in metres. Published counts of real people's stays
  /// use the same definition: within 200 m for 20 min or more.
  package static let radius = 200.0
  package static let lengthMin = SimDuration.minutes(20)

  var length: SimDuration { end - start }

  func overlap(_ other: FoundStay) -> SimDuration {
    guard place.distance(to: other.place) <= Self.radius else { return .zero }
    return max(.zero, min(end, other.end) - max(start, other.start))
  }
}

/// Finds the stays that a server detects in its fixes. A stay lasts as long as the next fixes are
/// within 200 m of its first fix. The time between two fixes does not matter.
package final class StayFinder {
  private struct Open {
    var place = PlanePoint(x: 0, y: 0)
    var first = FixTime(centiseconds: .min)
    var newest = FixTime(centiseconds: .min)
  }

  private let context: FleetContext
  private var open: [Open]
  private var found: [FoundStay] = []

  package init(_ context: FleetContext) {
    self.context = context
    open = [Open](repeating: Open(), count: context.scenario.fleet.phones)
  }

  /// Adds a stored batch, and skips fixes not newer than the known ones, as in a repeated batch.
  package func take(_ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>) {
    let phone = Int(id.phone.rawValue)
    let projection = context.fixMaker(
      of: id.phone, cohort: context.cohort(of: phone)
    ).projection
    for fix in fixes where fix.time > open[phone].newest {
      let place = projection.point(of: fix.coordinate)
      let isNear = place.distance(to: open[phone].place) <= FoundStay.radius
      if open[phone].first.centiseconds == .min || !isNear {
        close(phone)
        open[phone].place = place
        open[phone].first = fix.time
      }
      open[phone].newest = fix.time
    }
  }

  private func close(_ phone: Int) {
    guard open[phone].first.centiseconds > .min else { return }
    let stay = FoundStay(
      phone: UInt32(phone), place: open[phone].place, start: open[phone].first.instant,
      end: open[phone].newest.instant)
    if stay.length >= FoundStay.lengthMin { found.append(stay) }
  }

  /// The maximum number of rows in a piece: about 2 MB before compression.
  private static let pieceMax = 40_000

  /// Returns the stays found so far and the open stays, as pieces of a state file.
  package func pieces() -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var tape = RecordWriter()
    var rows = 0
    func next() {
      rows += 1
      guard rows == Self.pieceMax else { return }
      pieces.append(tape.bytes)
      tape.removeAll()
      rows = 0
    }
    for (phone, stay) in open.enumerated() where stay.newest.centiseconds > .min {
      tape.append(UInt32(phone))
      tape.append(stay.place, from: stay.first.centiseconds, to: stay.newest.centiseconds)
      next()
    }
    for stay in found {
      tape.append(stay.phone | Self.isFound)
      tape.append(stay.place, from: stay.start.microseconds, to: stay.end.microseconds)
      next()
    }
    if rows > 0 { pieces.append(tape.bytes) }
    return pieces
  }

  /// The bit that marks a row of an ended stay; phone numbers are smaller.
  private static let isFound: UInt32 = 1 << 31

  package func read(_ tape: inout StateReader) throws(FleetStateError) {
    while !tape.isAtEnd {
      let word = try tape.next(UInt32.self)
      let phone = word & ~Self.isFound
      guard phone < open.count else { throw .impossible("a stay of phone \(phone)") }
      let place = PlanePoint(
        x: Double(bitPattern: try tape.next()), y: Double(bitPattern: try tape.next()))
      let (from, to) = (try tape.next(Int64.self), try tape.next(Int64.self))
      if word & Self.isFound != 0 {
        found.append(
          FoundStay(
            phone: phone, place: place, start: SimInstant(microseconds: from),
            end: SimInstant(microseconds: to)))
      } else {
        open[Int(phone)] = Open(
          place: place, first: FixTime(centiseconds: from), newest: FixTime(centiseconds: to))
      }
    }
  }

  /// Ends the open stays, and returns all stays by phone and then by time.
  package func stays() -> [[FoundStay]] {
    for phone in open.indices { close(phone) }
    var stays = [[FoundStay]](repeating: [], count: open.count)
    for stay in found { stays[Int(stay.phone)].append(stay) }
    return stays
  }
}

extension RecordWriter {
  fileprivate mutating func append(_ place: PlanePoint, from: Int64, to: Int64) {
    append(place.x.bitPattern)
    append(place.y.bitPattern)
    append(from)
    append(to)
  }
}

package struct StayAccount: Sendable, Equatable, BitwiseCopyable {
  package var lived = 0
  /// The number of true stays that found stays nearby cover for less than half the time.
  package var missed = 0
  /// The number of found stays during which the phone rested nearby for less than half the time.
  package var invented = 0

  package init() {}

  /// Judges the stays that ended within a window, because a server detects a stay at its end.
  package init(lived truth: [FoundStay], found: [FoundStay], endingWithin window: Window) {
    for stay in truth
    where stay.length >= FoundStay.lengthMin && window.contains(stay.end) {
      lived += 1
      let seen = found.reduce(SimDuration.zero) { $0 + $1.overlap(stay) }
      if seen.microseconds * 2 < stay.length.microseconds { missed += 1 }
    }
    for stay in found where window.contains(stay.end) {
      let rested = truth.reduce(SimDuration.zero) { $0 + $1.overlap(stay) }
      if rested.microseconds * 2 < stay.length.microseconds { invented += 1 }
    }
  }
}

extension FleetContext {
  /// Returns all rests of a phone's true position between two instants. `from` cuts earlier starts.
  package func rests(of phone: PhoneID, from: SimInstant, to: SimInstant) -> [FoundStay] {
    let cohort = cohort(of: Int(phone.rawValue))
    var rests: [FoundStay] = []
    var at = from
    while at < to {
      let segment = segment(of: phone, cohort: cohort, at: at)
      if !segment.isMoving {
        let middle = at + SimDuration(microseconds: (segment.end - at).microseconds / 2)
        rests.append(
          FoundStay(
            phone: phone.rawValue, place: segment.position(at: middle), start: at,
            end: segment.end))
      }
      at = segment.end
    }
    return rests
  }
}
