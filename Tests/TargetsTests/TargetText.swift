internal import Core
internal import Foundation
internal import Scenarios
internal import TestSupport
@testable internal import Targets

/// The repository's own targets.
let shippedTargets = TargetReader(folders: [
  Machine.root.appendingPathComponent("scenarios").path
])

/// The smallest target; tests add their keys.
let smallestTarget = """
  name: test
  protocol: http
  url: http://127.0.0.1:1
  upload: { path: /, message: { lat: $latitude } }
  answer:
    - { when: { status: 2xx }, is: stored }

  """

/// Reads a text as the target of `test.yaml`.
func readTarget(_ text: String) throws(ScenarioError) -> Target {
  try TargetReader.read(text: text, from: "test.yaml")
}

/// The diagnostics of reading, line by line; empty when it succeeds.
func diagnostics(in text: String) -> [String] {
  do throws(ScenarioError) {
    _ = try readTarget(text)
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}

/// A fix in Berlin at 2026-03-02T07:30:00Z plus some seconds.
func fix(
  second: Int64 = 0, latitude: Int32 = 52_520_008, longitude: Int32 = 13_404_954,
  accuracy: UInt16 = 12, speed: Int16 = 14, course: Int16 = 271
) -> Fix {
  Fix(
    coordinate: Coordinate(latitudeE6: latitude, longitudeE6: longitude),
    time: FixTime(centiseconds: 177_243_660_000 + second * 100), accuracyMeters: accuracy,
    speedDecimetersPerSecond: speed, courseDegrees: course)
}

/// The first request of phone 17 with these fixes, written at 07:31:00.
func context(_ fixes: [Fix], kept: [String] = [], columns: [String] = []) -> UploadContext {
  var device = DeviceState()
  device.batteryPercent = 83
  device.isCharging = false
  device.motion = "driving"
  device.os = "ios17"
  device.policy = "hybrid"
  return UploadContext(
    BatchID(phone: PhoneID(rawValue: 17), epoch: 1, sequence: 1), fixes: fixes[...],
    columns: columns, kept: kept, now: 1_772_436_660_000_000, device: device)
}

/// Output of a request's program, as text.
func text(_ body: (inout [UInt8]) -> Void) -> String {
  var out: [UInt8] = []
  body(&out)
  return String(decoding: out, as: UTF8.self)
}
