import Core
import Foundation
import ServerLogic
import Synchronization
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

/// Collectors on one store that receive each other's batches while their own commits are in flight.
@Suite("Several collectors on one store", .quick)
struct SharedStoreTests {
  let folder = TemporaryFolder()

  @Test("a batch that another group reports before its own commit is counted once")
  func namedBefore() throws {
    let (mayCommit, began) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let holdsCommits = Mutex(false)
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db"))) {
      $0.beforeCommit = {
        guard holdsCommits.withLock({ $0 }) else { return }
        began.signal()
        mayCommit.wait()
      }
    }
    try collector.open()
    holdsCommits.withLock { $0 = true }
    let id = LiveCollector.id(7, 1)
    let answered = DispatchSemaphore(value: 0)
    let answer = Mutex<UploadReply?>(nil)
    collector.client.call(
      .upload, try LiveCollector.request(id), deadline: .seconds(60)
    ) { result in
      let reply = try? MessageCodec().decode(UploadReply.self, from: result.get())
      answer.withLock { $0 = reply }
      answered.signal()
    }
    try #require(began.wait(timeout: .now() + 60) == .success)
    holdsCommits.withLock { $0 = false }
    // The group of another collector, to which the phone has sent the same batch.
    let isNew = collector.server.loop.sync { collector.server.learn(id) }
    #expect(isNew)
    mayCommit.signal()
    try #require(answered.wait(timeout: .now() + 60) == .success)
    #expect(answer.withLock { $0 }?.sequence == id.sequence)
    let batches = try collector.snapshot().batches
    #expect(batches.distinct == 1)
    #expect(batches.duplicate == 0)
    #expect(try collector.upload(id).duplicate)
    #expect(collector.stop())
  }
}

extension CollectorServer {
  /// Takes a batch from the log of another collector's group, on the loop's thread.
  fileprivate func learn(_ id: BatchID) -> Bool {
    guard let run = runs.run else { return false }
    let fixes = LiveCollector.fixes(of: id)
    let judged = fixes.withUnsafeBufferPointer {
      run.backend.inspect(id, fixes: $0, at: LiveCollector.start)
    }
    guard case .success(let digest) = judged else { return false }
    return run.take(.judged(digest, at: LiveCollector.start))
  }
}
