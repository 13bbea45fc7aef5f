package import Core

package struct DeviceState: Sendable, Equatable {
  package var batteryPercent: UInt8?
  package var isCharging: Bool?
  package var altitudeMeters: Int32?
  /// `still`, `walking`, `running`, `cycling` or `driving`; empty if unknown.
  package var motion = ""
  /// What woke the app, such as `region`, `visit`, `push` or `timer`; empty if unknown.
  package var trigger = ""
  package var policy = ""
  package var os = ""
  /// The phone's push token; empty without a push endpoint.
  package var pushToken = ""
  /// The push service that issued the token: `apns` or `fcm`; empty without a push endpoint.
  package var pushService = ""

  package init() {}
}

package struct UploadContext: Sendable {
  package var phone: PhoneID
  package var epoch: UInt32
  package var sequence: UInt32
  /// The index of the request's first fix in the batch, which may need several requests.
  package var firstFix: Int
  /// The fixes, oldest first; empty for a registration or a read-back.
  package var fixes: ArraySlice<Fix>
  /// The phone's values in the columns of the identity files that the target uses.
  package var columns: [String]
  /// The values kept from the registration's answer, in the order of `keep`; else empty.
  package var kept: [String]
  /// The wall-clock time that the server sees minus the scenario time.
  package var shift: SimDuration
  /// The wall-clock time of the request, in microseconds since 1970.
  package var now: Int64
  /// The number of the request in the run, from 1.
  package var number: Int64 = 1
  package var device: DeviceState
  /// The wall-clock range of a read-back's fixes, in microseconds since 1970; nil otherwise.
  package var span: ClosedRange<Int64>?
  package var page: ReadbackPage?
  /// The event of the request, with true times; nil for other requests.
  package var event: AppEvent?
  /// The callback of the event, by the phone's clock.
  package var noticed: FixTime?

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

package enum SourceReading: Equatable, Sendable, BitwiseCopyable {
  case unknown
  case number(FixedPoint)
  case flag(Bool)
  /// A time, in microseconds since 1970.
  case instant(Int64)
  case text
}

extension UploadContext {
  /// - Parameter fix: the index of the fix in the request; nil for the newest fix.
  package func read(_ source: ValueSource, _ unit: ValueUnit, fix: Int?) -> SourceReading {
    switch source {
    case .literal, .uuid, .traceparent, .batch: .text
    case .phone: .number(FixedPoint(Int64(phone.rawValue)))
    case .epoch: .number(FixedPoint(Int64(epoch)))
    case .sequence: .number(FixedPoint(Int64(sequence)))
    case .count: .number(FixedPoint(Int64(fixes.count)))
    case .number: .number(FixedPoint(number))
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
    case .trigger: event == nil && device.trigger.isEmpty ? .unknown : .text
    case .event(let value): event.map { read(value, unit, of: $0) } ?? .unknown
    case .policy: device.policy.isEmpty ? .unknown : .text
    case .os: device.os.isEmpty ? .unknown : .text
    case .pushToken: device.pushToken.isEmpty ? .unknown : .text
    case .pushService: device.pushService.isEmpty ? .unknown : .text
    case .column(let index): columns.indices.contains(Int(index)) ? .text : .unknown
    case .kept(let index): kept.indices.contains(Int(index)) ? .text : .unknown
    }
  }

  private func fix(at place: Int?) -> Fix? {
    guard !fixes.isEmpty else { return nil }
    return fixes[place.map { fixes.startIndex + $0 } ?? fixes.endIndex - 1]
  }

  private func read(_ source: ValueSource, _ unit: ValueUnit, of fix: Fix) -> SourceReading {
    switch source {
    case .latitude: Self.degrees(fix.coordinate.latitudeE6, unit)
    case .longitude: Self.degrees(fix.coordinate.longitudeE6, unit)
    case .accuracy:
      fix.accuracyMeters == Fix.unknownAccuracy
        ? .unknown : .number(FixedPoint(Int64(fix.accuracyMeters)))
    case .speed: Self.speed(fix.speedDecimetersPerSecond, unit)
    case .course:
      fix.courseDegrees < 0 ? .unknown : .number(FixedPoint(Int64(fix.courseDegrees)))
    case .time: Self.time(fix.time.centiseconds * 10_000 + shift.microseconds, unit)
    case .literal, .phone, .epoch, .sequence, .count, .index, .batch, .uuid, .traceparent, .number,
      .now, .from, .to, .offset, .page, .cursor, .altitude, .battery, .charging, .motion, .trigger,
      .policy, .os,
      .pushToken, .pushService, .event, .column, .kept:
      .unknown
    }
  }

  private func read(
    _ value: EventValue, _ unit: ValueUnit, of event: AppEvent
  ) -> SourceReading {
    switch value {
    case .kind: .text
    case .region: event.region == nil ? .unknown : .text
    case .permission: event.permission == nil ? .unknown : .text
    case .dwell: event.dwellSeconds.map { .number(FixedPoint(Int64($0))) } ?? .unknown
    case .noticed:
      Self.time(
        (noticed ?? FixTime(event.noticed)).centiseconds * 10_000 + shift.microseconds, unit)
    case .happened:
      event.happened.map { Self.time(($0 + shift).microseconds, unit) } ?? .unknown
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

  /// A knot is 1,852 metres per hour.
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

  /// Returns 128 bits that identify a fix, or for nil the request; a repetition has the same bits.
  package func uuid(fix: Int?) -> (UInt64, UInt64) {
    let mark: UInt64 = event == nil ? 0 : 0x4576_656E_7400_0000
    let place = mark ^ UInt64(firstFix + (fix ?? 0)) << 1 | (fix == nil ? 1 : 0)
    let batch = Draw.mix(UInt64(phone.rawValue) << 32 | UInt64(epoch)) ^ UInt64(sequence)
    let high = Draw.mix(Draw.mix(batch) ^ place)
    return (high, Draw.mix(high))
  }
}

extension AppEvent {
  /// `home`, `work` or `place_2` and so on; nil for an event without a region.
  package var region: String? {
    guard kind.trigger == "region" else { return nil }
    return place == 0 ? "home" : place == 1 ? "work" : "place_\(place)"
  }

  /// The permission after a change; nil for another event.
  package var permission: String? {
    kind == .permission ? Authorization(rawValue: detail).map { "\($0)" } : nil
  }
}
