import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("Capture", .quick)
struct CaptureTests {
  @Test("a capture holds every upload message as it was sent")
  func capture() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("capture-\(UUID().uuidString).bin").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try CaptureFile(path: path)
    let jobs = try inWorld { world in
      let collector = try TestCollector(in: world)
      let fleet = try TestFleet(in: world, to: collector.endpoint)
      fleet.dispatcher.capture(to: file)
      let jobs = try TestFleet.jobs(20, from: world.now)
      fleet.dispatcher.submit(jobs)
      #expect(fleet.wait(for: 20, in: world).acknowledged == 20)
      return jobs
    }
    #expect(file.close() == (20, nil))
    let bytes = Array(try #require(FileManager.default.contents(atPath: path)))
    var assembler = MessageAssembler()
    var seen: [[UInt8]] = []
    try bytes.withUnsafeBytes { bytes in
      assembler.begin(bytes)
      while let message = try assembler.next() { seen.append(Array(message)) }
      assembler.end()
    }
    let isWhole = !assembler.holdsPartOfMessage
    #expect(isWhole)
    #expect(seen == jobs.map(\.message))
  }
}
