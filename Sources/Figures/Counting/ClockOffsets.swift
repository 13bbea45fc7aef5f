package import SimulationCore

/// Counts phones by how far their clocks are off, each in every step that it reaches.
package struct ClockSteps: Codable, Equatable, Sendable {
  /// Counts the phones that are off by a second or more.
  package var second = 0
  /// Counts the phones that are off by a minute or more.
  package var minute = 0
  /// Counts the phones that are off by half an hour or more.
  package var halfHour = 0
  /// Counts the phones that are off by half a day or more.
  package var halfDay = 0

  /// Makes the counts of no phones.
  package init() {}

  /// Counts a phone whose clock is off by so much; less than nothing is in no step.
  package mutating func add(_ off: SimDuration) {
    if off >= .seconds(1) { second += 1 }
    if off >= .minutes(1) { minute += 1 }
    if off >= .minutes(30) { halfHour += 1 }
    if off >= .hours(12) { halfDay += 1 }
  }

  /// Adds the counts of other phones.
  package mutating func merge(_ other: ClockSteps) {
    second += other.second
    minute += other.minute
    halfHour += other.halfHour
    halfDay += other.halfDay
  }
}

/// Counts what a server sees of its phones' clocks: their stamps against its own receipts.
///
/// A stamp ahead of its receipt is a clock that is ahead. A clock that is behind looks as a batch
/// that was long on its way does, so that only its least delay says anything of it.
package struct ClockOffsets: Codable, Equatable, Sendable {
  /// Counts the phones of which a batch came.
  package var phones = 0
  /// Counts the phones of which a batch was stamped so much after its receipt.
  package var ahead = ClockSteps()
  /// Counts the phones of which no batch was younger than that when it came: behind, or late.
  package var late = ClockSteps()
  /// Counts the batches whose newest fix had an age below zero when it came.
  package var stampedAhead = 0

  /// Makes the counts of a server that heard of no phone.
  package init() {}

  /// Counts a phone by how far the newest stamp of a batch was ahead of its receipt, at most.
  package mutating func add(_ offset: SimDuration) {
    phones += 1
    ahead.add(offset)
    late.add(.zero - offset)
  }

  /// Adds what another server saw of other phones.
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

  /// Takes the counts from a sheet.
  package init(_ sheet: Sheet) {
    for line in Self.lines { self[keyPath: line.value] = sheet[line.count] }
  }

  /// The counts as figures of a sheet.
  package var sheet: Sheet {
    Self.lines.reduce(into: Sheet()) { $0[$1.count] = self[keyPath: $1.value] }
  }
}
