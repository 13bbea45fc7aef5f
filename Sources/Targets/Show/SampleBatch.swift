package import Core

/// A walk eastwards in Berlin at 1.4 m/s, with a fix every 30 s and a street for each phone.
package struct SampleBatch: Sendable {
  /// The fixes, oldest first.
  package let fixes: [Fix]
  /// A phone with an unplugged battery at 83 %, carried by a walking person.
  package let device: DeviceState

  /// - Parameter now: the newest fix's time, in microseconds since 1970.
  package init(phone: PhoneID, count: Int, now: Int64) {
    let street = Int32(phone.rawValue % 1_000) * 90
    fixes = (0..<count).map { place in
      Fix(
        coordinate: Coordinate(
          latitudeE6: 52_520_008 + street, longitudeE6: 13_404_954 + Int32(place) * 620),
        time: FixTime(centiseconds: now / 10_000 - Int64(count - 1 - place) * 3_000),
        accuracyMeters: 12, speedDecimetersPerSecond: 14, courseDegrees: 90)
    }
    var device = DeviceState()
    device.batteryPercent = 83
    device.isCharging = false
    device.motion = "walking"
    device.trigger = "timer"
    device.policy = "hybrid"
    device.os = "ios17"
    device.pushService = "apns"
    device.pushToken = String(repeating: "0123456789abcdef", count: 4)
    self.device = device
  }
}

extension UploadContext {
  /// The entry into the place `home`, two minutes after the crossing.
  package var ofSampleEvent: UploadContext {
    var context = self
    context.fixes = fixes.suffix(1)
    let now = SimInstant(microseconds: now)
    context.event = AppEvent(
      .enter, number: sequence, noticed: now, happened: now - .minutes(2), fix: fixes.last)
    return context
  }
}
