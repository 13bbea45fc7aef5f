import Collector
import Core
import Dispatch
import Figures
import Fleet
import Foundation
import Synchronization
import TestSupport
import Testing
import Transport
import Uploads
import Targets

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("The start of a live run in several processes", .quick)
struct LiveShareStartTests {
  @Test("if no collector serves at the address, every process says so")
  func noCollector() {
    let nowhere = LoadRun.Target.existing(
      [Endpoint(host: "127.0.0.1", port: 1)], token: nil)
    for outcome in ThreadShares(2).run({ LiveShares.load($0, nowhere) }) {
      guard case .failure(.unreachable) = outcome else {
        Issue.record("it must say that there is no collector: \(outcome)")
        continue
      }
    }
  }

  @Test("if the first process cannot start a collector, the others end with nothing measured")
  func noChild() throws {
    let log = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: log) }
    let child = LoadRun.Target.children([
      ChildCollector.Command(executable: "/bin/false", arguments: [], logFile: log)
    ])
    let outcomes = ThreadShares(2).run { LiveShares.load($0, child) }
    #expect(throws: CollectorRunError.self) { try outcomes[0].get() }
    let other = try outcomes[1].get()
    #expect(other.record.verdict == .interrupted && other.account == nil)
  }
}
