package import SimulationCore
package import Telemetry

/// What a phone's device says of itself when a request is written; what is not known is left out.
package struct DeviceState: Sendable, Equatable {
  /// Is the charge of the battery in percent; nil: unknown.
  package var batteryPercent: UInt8?
  /// Says whether it is being charged; nil: unknown.
  package var isCharging: Bool?
  /// Is the height above the sea in metres; nil: unknown.
  package var altitudeMeters: Int32?
  /// Is how the person moves: `still`, `walking`, `running`, `cycling`, `driving`; empty: unknown.
  package var motion = ""
  /// Is what woke the app, such as `region`, `visit`, `push`, `timer`; empty: unknown.
  package var trigger = ""
  /// Is the name of the tracker's policy.
  package var policy = ""
  /// Is the name of the system, such as `ios17`.
  package var os = ""
  /// Is the token by which its app is pushed; empty: the run has no push endpoint.
  package var pushToken = ""

  /// Makes a state in which nothing is known.
  package init() {}
}

/// What the values of one request are read from.
package struct UploadContext: Sendable {
  /// Is the number of the phone in its fleet.
  package var phone: PhoneID
  /// Is the installation of the app.
  package var epoch: UInt32
  /// Is the number of the batch.
  package var sequence: UInt32
  /// Is the place of the request's first fix in its batch, from 0: a batch may need several
  /// requests.
  package var firstFix: Int
  /// Holds the fixes of the request, oldest first; empty for a registration.
  package var fixes: ArraySlice<Fix>
  /// Holds the phone's row of the file with identities, a text for each column that is used.
  package var columns: [String]
  /// Holds the values kept from the registration's answer, in the order of `keep`.
  package var kept: [String]
  /// Turns scenario time into the server's: what is added to the time of a fix.
  package var shift: SimDuration
  /// Is the wall clock, in microseconds since 1970.
  package var now: Int64
  /// Is what the device says of itself.
  package var device: DeviceState
  /// Holds the wall clock's instants between which a read-back's fixes lie, in microseconds since
  /// 1970; nil: it is none.
  package var span: ClosedRange<Int64>?
  /// The page of a read-back that is asked for; nil: it is none.
  package var page: ReadbackPage?

  /// Makes a context of one request.
  package init(
    _ batch: BatchID, fixes: ArraySlice<Fix> = [], firstFix: Int = 0, columns: [String] = [],
    kept: [String] = [], shift: SimDuration = .zero, now: Int64 = 0,
    device: DeviceState = DeviceState()
  ) {
    phone = batch.phone
    epoch = batch.epoch
    sequence = batch.sequence
    self.fixes = fixes
    self.firstFix = firstFix
    self.columns = columns
    self.kept = kept
    self.shift = shift
    self.now = now
    self.device = device
  }
}

/// What a source says, before it is written in any form.
package enum SourceReading: Equatable, Sendable, BitwiseCopyable {
  case unknown
  case number(FixedPoint)
  case flag(Bool)
  /// Microseconds since 1970, to be written as its unit says.
  case instant(Int64)
  /// A text, which `appendText` writes.
  case text
}

extension UploadContext {
  /// Reads a source.
  ///
  /// - Parameters:
  ///   - unit: one of the source's own.
  ///   - fix: the place of the fix in the request; nil: outside of `each`, where the newest counts.
  package func read(_ source: ValueSource, _ unit: ValueUnit, fix: Int?) -> SourceReading {
    switch source {
    case .literal, .uuid, .batch: .text
    case .phone: .number(FixedPoint(Int64(phone.rawValue)))
    case .epoch: .number(FixedPoint(Int64(epoch)))
    case .sequence: .number(FixedPoint(Int64(sequence)))
    case .count: .number(FixedPoint(Int64(fixes.count)))
    case .index: .number(FixedPoint(Int64(firstFix + (fix ?? max(0, fixes.count - 1)))))
    case .now: Self.time(now, unit)
    case .from: span.map { Self.time($0.lowerBound, unit) } ?? .unknown
    case .to: span.map { Self.time($0.upperBound, unit) } ?? .unknown
    case .offset: page.map { .number(FixedPoint(Int64($0.offset))) } ?? .unknown
    case .page: page.map { .number(FixedPoint(Int64($0.number))) } ?? .unknown
    case .cursor: page?.cursor == nil ? .unknown : .text
    case .latitude, .longitude, .accuracy, .speed, .course, .time:
      self.fix(at: fix).map { read(source, unit, of: $0) } ?? .unknown
    case .altitude: device.altitudeMeters.map { .number(FixedPoint(Int64($0))) } ?? .unknown
    case .battery:
      device.batteryPercent.map {
        .number(FixedPoint(Int64($0), decimals: unit == .share ? 2 : 0))
      } ?? .unknown
    case .charging: device.isCharging.map { .flag($0) } ?? .unknown
    case .motion: device.motion.isEmpty ? .unknown : .text
    case .trigger: device.trigger.isEmpty ? .unknown : .text
    case .policy: device.policy.isEmpty ? .unknown : .text
    case .os: device.os.isEmpty ? .unknown : .text
    case .pushToken: device.pushToken.isEmpty ? .unknown : .text
    case .column(let index): columns.indices.contains(Int(index)) ? .text : .unknown
    case .kept(let index): kept.indices.contains(Int(index)) ? .text : .unknown
    }
  }

  /// The fix that values are read from; nil: the request has none.
  private func fix(at place: Int?) -> Fix? {
    guard !fixes.isEmpty else { return nil }
    return fixes[place.map { fixes.startIndex + $0 } ?? fixes.endIndex - 1]
  }

  private func read(_ source: ValueSource, _ unit: ValueUnit, of fix: Fix) -> SourceReading {
    switch source {
    case .latitude: Self.degrees(fix.coordinate.latitudeE6, unit)
    case .longitude: Self.degrees(fix.coordinate.longitudeE6, unit)
    case .accuracy: .number(FixedPoint(Int64(fix.accuracyMeters)))
    case .speed: Self.speed(fix.speedDecimetersPerSecond, unit)
    case .course:
      fix.courseDegrees < 0 ? .unknown : .number(FixedPoint(Int64(fix.courseDegrees)))
    case .time: Self.time(fix.time.centiseconds * 10_000 + shift.microseconds, unit)
    case .literal, .phone, .epoch, .sequence, .count, .index, .batch, .uuid, .now, .from, .to,
      .offset, .page, .cursor, .altitude, .battery, .charging, .motion, .trigger, .policy, .os,
      .pushToken, .column, .kept:
      .unknown
    }
  }

  private static func degrees(_ e6: Int32, _ unit: ValueUnit) -> SourceReading {
    let number = FixedPoint(Int64(e6), decimals: 6)
    return switch unit {
    case .e5: .number(FixedPoint(number.rounded(to: 5).units))
    case .e6: .number(FixedPoint(number.units))
    case .e7: .number(FixedPoint(number.rounded(to: 7).units))
    case .plain, .kmh, .knots, .seconds, .milliseconds, .microseconds, .iso, .isoSeconds,
      .timestamp, .share:
      .number(number)
    }
  }

  /// A knot is 1,852 m an hour.
  private static func speed(_ decimeters: Int16, _ unit: ValueUnit) -> SourceReading {
    guard decimeters >= 0 else { return .unknown }
    let speed = Int64(decimeters)
    return switch unit {
    case .kmh: .number(FixedPoint(speed * 36, decimals: 2))
    case .knots:
      .number(FixedPoint(FixedPoint.divided(speed * 360_000_000, by: 1_852), decimals: 6))
    case .plain, .e5, .e6, .e7, .seconds, .milliseconds, .microseconds, .iso, .isoSeconds,
      .timestamp, .share:
      .number(FixedPoint(speed, decimals: 1))
    }
  }

  private static func time(_ microseconds: Int64, _ unit: ValueUnit) -> SourceReading {
    func whole(_ part: Int64) -> SourceReading {
      let (quotient, rest) = microseconds.quotientAndRemainder(dividingBy: part)
      return .number(FixedPoint(rest < 0 ? quotient - 1 : quotient))
    }
    return switch unit {
    case .seconds: whole(1_000_000)
    case .milliseconds: whole(1_000)
    case .microseconds: whole(1)
    case .iso, .isoSeconds, .timestamp, .plain, .e5, .e6, .e7, .kmh, .knots, .share:
      .instant(microseconds)
    }
  }

  /// Says what names a fix for ever, or the request where `fix` is nil: 128 bits of its identity,
  /// the same whenever it is sent.
  package func uuid(fix: Int?) -> (UInt64, UInt64) {
    let place = UInt64(firstFix + (fix ?? 0)) << 1 | (fix == nil ? 1 : 0)
    let batch = Draw.mix(UInt64(phone.rawValue) << 32 | UInt64(epoch)) ^ UInt64(sequence)
    let high = Draw.mix(Draw.mix(batch) ^ place)
    return (high, Draw.mix(high))
  }
}
