import Core
import Foundation
import Phone
import TestSupport
import Testing

@testable import Fleet

@Suite("Writing an input log during a run", .quick)
struct InputWriterTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "inputs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var path: String { folder.appendingPathComponent("inputs.bin").path }
  private let end = SimInstant(microseconds: 90_000_000)

  private func inputs(_ count: Int) -> [ConsumedInput] {
    (0..<count).map { n in
      let phone = PhoneID(rawValue: UInt32(n % 7))
      let at = SimInstant(microseconds: Int64(n) * 1_000)
      switch n % 3 {
      case 0:
        let input = ServerInput.outcome(attempt: UInt32(n), .acknowledged)
        return ConsumedInput(phone: phone, at: at, input: input)
      case 1: return ConsumedInput(phone: phone, at: at, input: .settings(rollout: 3))
      default:
        let push = SilentPush(id: UInt64(n), phone: phone, requestedAt: at, expiration: end)
        return ConsumedInput(phone: phone, at: at, input: .push(push))
      }
    }
  }

  private func written() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test("the file equals a log kept in memory, byte for byte", arguments: [0, 1, 5_000])
  func isTheSame(count: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let inputs = inputs(count)
    let writer = try InputWriter(path: path, seed: 4, scenarioHash: 5)
    for first in stride(from: 0, to: count, by: 300) {
      writer.append(Array(inputs[first..<min(first + 300, count)]))
    }
    #expect(writer.finish(at: end) == nil)
    let log = InputLog(seed: 4, scenarioHash: 5, end: end, inputs: inputs)
    #expect(try written() == log.bytes)
  }

  @Test("a killed run leaves a log that is refused as cut off")
  func killed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let writer = try InputWriter(path: path, seed: 4, scenarioHash: 5)
    writer.append(inputs(4_000))
    let bytes = try written()
    #expect(bytes.count > 4_000 * 22)
    #expect(throws: InputLogError.cutOff(records: 4_000)) {
      try InputLog(bytes: bytes)
    }
  }

  @Test("an older version's log is refused, with what to name instead")
  func older() {
    let error = #expect(throws: InputLogError.notAnInputLog) {
      try InputLog(bytes: Array("FLOTINP1".utf8) + [UInt8](repeating: 0, count: 72))
    }
    #expect("\(error!)".contains("give an inputs.bin that this version wrote"))
  }

  @Test("an error creating the file names it, with the system's reason")
  func noFile() {
    #expect(
      throws: InputWriterError(path: "/nowhere/inputs.bin", why: "No such file or directory")
    ) {
      try InputWriter(path: "/nowhere/inputs.bin", seed: 4, scenarioHash: 5)
    }
  }
}
