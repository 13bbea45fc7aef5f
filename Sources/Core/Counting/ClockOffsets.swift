package struct ClockSteps: Codable, Equatable, Sendable {
  package var second = 0
  package var minute = 0
  package var halfHour = 0
  package var halfDay = 0

  package init() {}

  package mutating func add(_ off: SimDuration) {
    if off >= .seconds(1) { second += 1 }
    if off >= .minutes(1) { minute += 1 }
    if off >= .minutes(30) { halfHour += 1 }
    if off >= .hours(12) { halfDay += 1 }
  }

  package mutating func merge(_ other: ClockSteps) {
    second += other.second
    minute += other.minute
    halfHour += other.halfHour
    halfDay += other.halfDay
  }
}

/// Counts of phones by clock offset, estimated from the least delay of each phone's batches.
package struct ClockOffsets: Codable, Equatable, Sendable {
  package var phones = 0
  /// Phones with a batch stamped at least a second, minute, half hour or half day after receipt.
  package var ahead = ClockSteps()
  /// Phones whose batches were all at least a second, minute, half hour or half day old on receipt.
  package var late = ClockSteps()
  /// The batches whose newest fix had a negative age on receipt.
  package var stampedAhead = 0

  package init() {}

  package mutating func add(_ offset: SimDuration) {
    phones += 1
    ahead.add(offset)
    late.add(.zero - offset)
  }

  package mutating func merge(_ other: ClockOffsets) {
    phones += other.phones
    ahead.merge(other.ahead)
    late.merge(other.late)
    stampedAhead += other.stampedAhead
  }
}

extension ClockOffsets {
  private typealias Line = (count: Count, value: any WritableKeyPath<Self, Int> & Sendable)

  private static let lines: [Line] = [
    (.clocksSeen, \.phones), (.stampedAhead, \.stampedAhead),
    (.aheadSecond, \.ahead.second), (.aheadMinute, \.ahead.minute),
    (.aheadHalfHour, \.ahead.halfHour), (.aheadHalfDay, \.ahead.halfDay),
    (.lateSecond, \.late.second), (.lateMinute, \.late.minute),
    (.lateHalfHour, \.late.halfHour), (.lateHalfDay, \.late.halfDay),
  ]

  package init(_ sheet: Sheet) {
    for line in Self.lines { self[keyPath: line.value] = sheet[line.count] }
  }

  package var sheet: Sheet {
    Self.lines.reduce(into: Sheet()) { $0[$1.count] = self[keyPath: $1.value] }
  }
}
