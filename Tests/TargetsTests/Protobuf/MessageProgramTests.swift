import Core
import Foundation
import TestSupport
import Testing
@testable import Targets

@Suite("A mapping as protobuf messages", .quick)
struct MessageProgramTests {
  private static let everything = """
    device_id: $id
    seq: $sequence
    points:
      each: fix
      lat_e7: $latitude.e7
      lon_e7: $longitude.e7
      at: $time.timestamp
      accuracy: $accuracy
      speed: { is: $speed, omit: unknown }
      latitude: $latitude
      course: { is: $course, omit: unknown }
    tags: { policy: $policy, tool: flotilla }
    by_number: { -1: { latitude: $latitude }, 7: { accuracy: 3 } }
    latitudes: { each: fix, is: $latitude.e7 }
    speeds: { each: fix, is: { is: $speed, default: -1 } }
    user: "u-{phone}-{sequence:04}"
    activity:
      is: $motion
      words:
        { still: STILL, walking: ON_FOOT, running: ON_FOOT, cycling: IN_VEHICLE, driving: LOST }
    sent_at: $now
    age: $count
    battery: $battery
    note: $os
    altitude: { is: $altitude, omit: unknown }
    charging: $charging
    number: $time.ms
    offset: -12
    share: { is: $battery.share, decimals: 2 }
    words: [one, "{phone}", $policy]
    times: { each: fix, is: $time }
    kinds: [STILL, ON_FOOT]
    nested: { depth: -9000000000, inner: { text: deep, inner: { depth: 1 } } }
    far: 1
    """

  /// Fixes anywhere on earth, some of them without speed and course.
  private static func fixes(_ count: Int, seed: UInt64) -> [Fix] {
    var draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 902), 0)
    func within(_ range: ClosedRange<Int>) -> Int {
      range.lowerBound + Int(draw.next() % UInt64(range.count))
    }
    return (0..<count).map { second in
      fix(
        second: Int64(second * 7), latitude: Int32(within(-90_000_000...90_000_000)),
        longitude: Int32(within(-180_000_000...180_000_000)),
        accuracy: UInt16(within(0...65_535)), speed: Int16(within(-1...32_767)),
        course: Int16(within(-1...359)))
    }
  }

  @Test(
    "every kind of field decodes to the mapped value, in exactly the bytes of Google's library",
    .needs(.protoc), .needs(.pythonPackages))
  func everyKind() throws {
    let program = try grpcTarget(Self.everything).program(
      try Strange.schema(), "strange.v1.Upload")
    let batches = (0..<40).map { Self.fixes($0, seed: UInt64($0)) }
    let messages = batches.map { written(program, context($0)) }
    let decoded = try Strange.decode(messages, as: "strange.v1.Upload")
    #expect(decoded.count == 40)
    for (fixes, found) in zip(batches, decoded) {
      #expect(found.isSame)
      let points = found.message["points"] as? [[String: Any]] ?? []
      #expect(points.count == fixes.count)
      for (fix, point) in zip(fixes, points) { check(fix, point) }
      let latitudes = found.message["latitudes"] as? [Int] ?? []
      #expect(latitudes == fixes.map { Int($0.coordinate.latitudeE6) * 10 })
      let speeds = found.message["speeds"] as? [Double] ?? []
      #expect(
        speeds
          == fixes.map {
            $0.speedDecimetersPerSecond < 0 ? -1 : Double($0.speedDecimetersPerSecond) / 10
          })
      #expect((found.message["times"] as? [Any] ?? []).count == fixes.count)
    }
  }

  private func check(_ fix: Fix, _ point: [String: Any]) {
    // Python omits zeros, as messages do.
    #expect(point["lat_e7"] as? Int ?? 0 == Int(fix.coordinate.latitudeE6) * 10)
    #expect(point["lon_e7"] as? Int ?? 0 == Int(fix.coordinate.longitudeE6) * 10)
    #expect(point["accuracy"] as? Int ?? 0 == Int(fix.accuracyMeters))
    #expect(point["latitude"] as? Double ?? 0 == Double(fix.coordinate.latitudeE6) / 1e6)
    #expect(point["course"] as? Int == (fix.courseDegrees < 0 ? nil : Int(fix.courseDegrees)))
    let speed = point["speed"] as? Double ?? 0
    #expect(abs(speed - max(0, Double(fix.speedDecimetersPerSecond) / 10)) < 1e-3)
    let second = (fix.time.centiseconds - Self.fixes(1, seed: 0)[0].time.centiseconds) / 100
    let (minute, rest) = (30 + second / 60, second % 60)
    #expect(point["at"] as? String == "2026-03-02T07:\(minute):\(rest < 10 ? "0" : "")\(rest)Z")
  }

  @Test(
    "the phone's values are at their mapped fields", .needs(.protoc), .needs(.pythonPackages)
  )
  func values() throws {
    let program = try grpcTarget(Self.everything).program(
      try Strange.schema(), "strange.v1.Upload")
    let found = try #require(
      try Strange.decode([written(program, context([fix()]))], as: "strange.v1.Upload").first)
    let message = found.message
    #expect(message["device_id"] as? String == "a0000017" && message["seq"] as? String == "1")
    #expect(message["tags"] as? [String: String] == ["policy": "hybrid", "tool": "flotilla"])
    let numbered = message["by_number"] as? [String: [String: Double]]
    #expect(numbered == ["7": ["accuracy": 3], "-1": ["latitude": 52.520_008]])
    #expect(message["user"] as? String == "u-17-0001" && message["key"] == nil)
    #expect(message["activity"] as? String == "LOST")
    #expect(message["sent_at"] as? String == "2026-03-02T07:31:00Z")
    #expect(message["age"] as? String == "1s")
    #expect(message["battery"] as? Int == 83 && message["note"] as? String == "ios17")
    #expect(message["altitude"] == nil && message["charging"] == nil)
    #expect(message["number"] as? String == "1772436600000" && message["offset"] as? Int == -12)
    #expect(message["share"] as? Double == 0.83)
    #expect(message["words"] as? [String] == ["one", "17", "hybrid"])
    #expect(message["kinds"] as? [String] == ["STILL", "ON_FOOT"])
    let nested = message["nested"] as? [String: Any]
    #expect(nested?["depth"] as? String == "-9000000000")
    let inner = nested?["inner"] as? [String: Any]
    #expect(inner?["text"] as? String == "deep")
    #expect((inner?["inner"] as? [String: Any])?["depth"] as? String == "1")
    #expect(message["far"] as? String == "1")
  }

  @Test(
    "an unknown value is not written, and its default is", .needs(.protoc), .needs(.pythonPackages))
  func unknown() throws {
    let program = try grpcTarget(
      """
      battery: $altitude
      note: { is: $trigger, omit: unknown }
      altitude: { is: $altitude, default: -5 }
      activity: { is: $trigger, default: STILL }
      share: $altitude
      speeds: { each: fix, is: $speed }
      nested: { depth: { is: $count, omit: zero } }
      """
    ).program(try Strange.schema(), "strange.v1.Upload")
    let bytes = written(program, context([fix(speed: -1), fix(speed: 25)]))
    let message = try #require(
      try Strange.decode([bytes], as: "strange.v1.Upload").first
    ).message
    #expect(message["battery"] == nil && message["note"] == nil && message["share"] == nil)
    #expect(message["altitude"] as? Int == -5 && message["activity"] as? String == "STILL")
    #expect(message["speeds"] as? [Double] == [2.5])
    #expect((message["nested"] as? [String: Any])?["depth"] as? String == "2")
    let empty = written(program, context([]))
    let rest = try #require(try Strange.decode([empty], as: "strange.v1.Upload").first).message
    // A mapped message is present, whatever its content.
    #expect((rest["nested"] as? [String: Any])?.isEmpty == true && rest["speeds"] == nil)
  }

  @Test(
    "proto2 numbers are unpacked by default", .needs(.protoc),
    .needs(.pythonPackages))
  func proto2() throws {
    let program = try grpcTarget(
      """
      id: $id
      zero: 0
      plain: [1, 0, -1]
      packed: [1, 0, -1]
      activity: ACTIVITY_UNKNOWN
      wide: [18446744073709551615]
      """
    ).program(try Strange.schema("strange2.proto"), "strange.v2.Old")
    let found = try #require(
      try Strange.decode(
        [written(program, context([]))], as: "strange.v2.Old", of: "strange2.proto"
      )
      .first)
    #expect(found.isSame)
    // Zero in a field with presence is written.
    #expect(found.message["zero"] as? Int == 0)
    #expect(found.message["plain"] as? [Int] == [1, 0, -1])
    #expect(found.message["packed"] as? [Int] == [1, 0, -1])
    #expect(found.message["activity"] as? String == "ACTIVITY_UNKNOWN")
    #expect(found.message["wide"] as? [String] == ["18446744073709551615"])
  }

  @Test(
    "a length of two or three bytes moves the bytes after it", .needs(.protoc),
    .needs(.pythonPackages))
  func lengths() throws {
    let program = try grpcTarget(
      """
      nested: { text: "{c}", inner: { text: "{c}", inner: { text: "{c}" } } }
      device_id: "{c}"
      """.replacing("{c}", with: "{long}")
    ).program(try Strange.schema(), "strange.v1.Upload")
    let texts = [0, 1, 60, 118, 119, 120, 126, 127, 128, 16_000, 16_383, 16_384, 70_000].map {
      String(repeating: "x", count: $0)
    }
    let messages = texts.map { written(program, context([], columns: [$0])) }
    let decoded = try Strange.decode(messages, as: "strange.v1.Upload")
    for (text, found) in zip(texts, decoded) {
      #expect(found.isSame)
      #expect(found.message["device_id"] as? String ?? "" == text)
      let nested = found.message["nested"] as? [String: Any]
      let inner = nested?["inner"] as? [String: Any]
      let innermost = inner?["inner"] as? [String: Any]
      for level in [nested, inner, innermost] { #expect(level?["text"] as? String ?? "" == text) }
    }
  }

  @Test(
    "a number of a column that its field cannot hold is not written", .needs(.protoc),
    .needs(.pythonPackages))
  func columns() throws {
    let program = try grpcTarget("altitude: $long\nnumber: $long\nshare: $long")
      .program(try Strange.schema(), "strange.v1.Upload")
    let texts = ["12", "-7", "3000000000", "2.5", "x", "9223372036854775808", ""]
    let decoded = try Strange.decode(
      texts.map { written(program, context([], columns: [$0])) }, as: "strange.v1.Upload")
    let altitudes = decoded.map { $0.message["altitude"] as? Int }
    #expect(altitudes == [12, -7, nil, 3, nil, nil, nil])
    let numbers = decoded.map { $0.message["number"] as? String }
    #expect(numbers == ["12", nil, "3000000000", "3", nil, nil, nil])
    #expect(decoded[3].message["share"] as? Double == 2.5)
  }
}
