/// The source of a request's value: `$latitude`, `$id` and so on in a target's file.
package enum ValueSource: Hashable, Sendable, BitwiseCopyable {
  case literal
  /// The numbers of the phone, of its installation, and of the batch within the installation.
  case phone, epoch, sequence
  /// The number of fixes in the request, and the index of a fix in its batch, from 0.
  case count, index
  /// Identifiers of the batch, and of the fix or request, which a repeated request keeps.
  case batch, uuid
  /// The request's trace context (W3C): a repeated request keeps its trace, but has a new parent.
  case traceparent
  /// A number from 1 that grows with each request of the run, as an id of a message.
  case number
  /// The wall-clock time at which the request is written.
  case now
  /// For a read-back only: the time range of the phone's fixes.
  case from, to
  /// For a read-back only: the number of earlier rows, the page from 1, and the last page's cursor.
  case offset, page, cursor
  /// Values of the fix, or outside `each: fix` of the newest fix; the altitude is the phone's.
  case latitude, longitude, accuracy, altitude, speed, course, time
  /// Values of the phone at the time when the request is written.
  case battery, charging, motion, trigger, policy, os
  case pushToken, pushService
  /// For an event only.
  case event(EventValue)
  /// A column of the file with the phones' identities.
  case column(UInt16)
  /// A value that the phone kept from the answer to its registration.
  case kept(UInt16)

  package static let builtIn: [(name: String, source: ValueSource)] = [
    ("phone", .phone), ("epoch", .epoch), ("sequence", .sequence), ("count", .count),
    ("index", .index), ("batch", .batch), ("uuid", .uuid),
    ("traceparent", .traceparent), ("number", .number), ("now", .now),
    ("from", .from), ("to", .to), ("offset", .offset), ("page", .page),
    ("cursor", .cursor),
    ("latitude", .latitude), ("longitude", .longitude), ("accuracy", .accuracy),
    ("altitude", .altitude), ("speed", .speed), ("course", .course), ("time", .time),
    ("battery", .battery), ("charging", .charging), ("motion", .motion), ("trigger", .trigger),
    ("policy", .policy), ("os", .os), ("pushToken", .pushToken), ("pushService", .pushService),
    ("event", .event(.kind)), ("region", .event(.region)), ("dwell", .event(.dwell)),
    ("noticed", .event(.noticed)), ("happened", .event(.happened)),
    ("permission", .event(.permission)),
  ]

  package var isOfEvent: Bool { if case .event = self { true } else { false } }

  package var isOfReadback: Bool {
    switch self {
    case .from, .to, .offset, .page, .cursor: true
    case .literal, .phone, .epoch, .sequence, .count, .index, .batch, .uuid, .traceparent, .number,
      .now, .latitude, .longitude, .accuracy, .altitude, .speed, .course, .time, .battery,
      .charging, .motion,
      .trigger, .policy, .os, .pushToken, .pushService, .event, .column, .kept:
      false
    }
  }

  /// The valid units, the default first.
  package var units: [ValueUnit] {
    switch self {
    case .latitude, .longitude: [.plain, .e5, .e6, .e7]
    case .speed: [.plain, .kmh, .knots]
    case .time, .now, .from, .to, .event(.noticed), .event(.happened):
      [.iso, .isoSeconds, .seconds, .milliseconds, .microseconds, .timestamp]
    case .battery: [.plain, .share]
    case .literal, .phone, .epoch, .sequence, .count, .index, .batch, .uuid, .traceparent,
      .number, .offset, .page, .cursor, .accuracy, .altitude, .course, .charging, .motion, .trigger,
      .policy, .os,
      .pushToken, .pushService, .event(.kind), .event(.region), .event(.dwell),
      .event(.permission), .column, .kept:
      [.plain]
    }
  }
}

/// A value of an event.
package enum EventValue: Hashable, Sendable, BitwiseCopyable {
  case kind
  /// `home`, `work`, or `place_2` and so on.
  case region
  /// The seconds spent in the region or at the visited place.
  case dwell
  /// The instant of the system's callback, by the phone's clock.
  case noticed
  /// The true instant, such as that of the crossing, which no app knows.
  case happened
  /// The permission after its change.
  case permission
}

package enum ValueUnit: String, CaseIterable, Sendable, BitwiseCopyable {
  /// Degrees, metres, metres a second, percent, or no unit at all.
  case plain = ""
  /// Degrees times 10⁵, 10⁶ or 10⁷, as whole numbers.
  case e5, e6, e7
  case kmh, knots
  /// The time since 1970, as a whole number.
  case seconds = "s"
  case milliseconds = "ms"
  case microseconds = "us"
  /// A text such as `2026-03-02T07:30:00.000Z`, and the same without milliseconds.
  case iso
  case isoSeconds = "iso.s"
  /// The message `google.protobuf.Timestamp`; in JSON, the same text as `iso`.
  case timestamp
  /// A share, from 0 to 1.
  case share
}

/// An exact decimal number, kept as a whole number of 10⁻ᵈ.
package struct FixedPoint: Hashable, Sendable, BitwiseCopyable {
  package let units: Int64
  /// The number of decimals d, from 0 to 9.
  package let decimals: UInt8

  package init(_ units: Int64, decimals: UInt8 = 0) {
    self.units = units
    self.decimals = decimals
  }

  /// Returns the number with `wanted` decimals, rounding halves away from zero.
  package func rounded(to wanted: UInt8) -> FixedPoint {
    if wanted >= decimals {
      return FixedPoint(units &* Self.power(wanted - decimals), decimals: wanted)
    }
    return FixedPoint(Self.divided(units, by: Self.power(decimals - wanted)), decimals: wanted)
  }

  /// Returns the nearest whole number to the quotient, rounding halves away from zero.
  package static func divided(_ number: Int64, by divisor: Int64) -> Int64 {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    if rest.magnitude &* 2 < divisor.magnitude { return quotient }
    return number < 0 ? quotient - 1 : quotient + 1
  }

  private static func power(_ exponent: UInt8) -> Int64 {
    var power: Int64 = 1
    for _ in 0..<exponent { power &*= 10 }
    return power
  }
}
