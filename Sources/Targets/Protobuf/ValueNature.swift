internal import Core
internal import Scenarios

/// The kind of value that a source yields, as far as known before a run.
enum ValueNature: Equatable {
  case number(decimals: UInt8, ClosedRange<Int64>)
  case flag
  /// A date, unless a unit makes the date a number.
  case instant
  /// A text, with the possible texts; nil if any text is possible.
  case text([String]?)
  /// A text from the identity files or from a registration; the text may be a number.
  case own

  var word: String {
    switch self {
    case .number: "a number"
    case .flag: "a flag"
    case .instant: "a date"
    case .text, .own: "a text"
    }
  }
}

extension ValueSource {
  /// Returns the kind of value, with bounds that hold until the year 2033.
  func nature(in unit: ValueUnit) -> ValueNature {
    switch self {
    case .phone, .epoch, .sequence: .number(decimals: 0, 0...Int64(UInt32.max))
    case .count, .index: .number(decimals: 0, 0...65_535)
    case .offset, .page, .number: .number(decimals: 0, 0...1_000_000_000)
    case .latitude: Self.degrees(90, unit)
    case .longitude: Self.degrees(180, unit)
    case .accuracy: .number(decimals: 0, 0...65_535)
    case .altitude: .number(decimals: 0, -500...20_000)
    case .speed: Self.speed(unit)
    case .course: .number(decimals: 0, 0...359)
    case .battery:
      unit == .share ? .number(decimals: 2, 0...1) : .number(decimals: 0, 0...100)
    case .time, .now, .from, .to, .event(.noticed), .event(.happened): Self.time(unit)
    case .event(.kind): .text(AppEvent.Kind.allCases.map { "\($0)" })
    case .event(.permission): .text(Authorization.allCases.map { "\($0)" })
    case .event(.region): .text(nil)
    case .event(.dwell): .number(decimals: 0, 0...Int64(UInt32.max))
    case .charging: .flag
    case .motion: .text(["still", "walking", "running", "cycling", "driving"])
    case .pushService: .text(ProviderKind.allCases.map(\.rawValue))
    case .literal, .batch, .uuid, .traceparent, .trigger, .policy, .os, .pushToken: .text(nil)
    case .column, .kept, .cursor: .own
    }
  }

  private static func degrees(_ most: Int64, _ unit: ValueUnit) -> ValueNature {
    switch unit {
    case .e5: .number(decimals: 0, -most * 100_000...most * 100_000)
    case .e6: .number(decimals: 0, -most * 1_000_000...most * 1_000_000)
    case .e7: .number(decimals: 0, -most * 10_000_000...most * 10_000_000)
    case .plain, .kmh, .knots, .seconds, .milliseconds, .microseconds, .iso, .isoSeconds,
      .timestamp, .share:
      .number(decimals: 6, -most...most)
    }
  }

  private static func speed(_ unit: ValueUnit) -> ValueNature {
    switch unit {
    case .kmh: .number(decimals: 2, 0...11_797)
    case .knots: .number(decimals: 6, 0...6_370)
    case .plain, .e5, .e6, .e7, .seconds, .milliseconds, .microseconds, .iso, .isoSeconds,
      .timestamp, .share:
      .number(decimals: 1, 0...3_277)
    }
  }

  private static func time(_ unit: ValueUnit) -> ValueNature {
    let seconds: Int64 = 2_000_000_000
    return switch unit {
    case .seconds: .number(decimals: 0, 0...seconds)
    case .milliseconds: .number(decimals: 0, 0...seconds * 1_000)
    case .microseconds: .number(decimals: 0, 0...seconds * 1_000_000)
    case .iso, .isoSeconds, .timestamp, .plain, .e5, .e6, .e7, .kmh, .knots, .share: .instant
    }
  }

  var mayBeUnknown: Bool {
    switch self {
    case .altitude, .speed, .course, .battery, .charging, .motion, .trigger, .pushToken,
      .pushService, .event, .column, .kept, .from, .to, .offset, .page, .cursor:
      true
    case .literal, .phone, .epoch, .sequence, .count, .index, .batch, .uuid, .traceparent,
      .number, .now, .latitude, .longitude, .accuracy, .time, .policy, .os:
      false
    }
  }
}
