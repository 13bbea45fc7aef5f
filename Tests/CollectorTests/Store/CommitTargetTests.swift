import Core
import Dispatch
import Foundation
import ServerLogic
import Synchronization
import TestSupport
import Testing

@testable import Collector
@testable import CollectorSupport

/// Behaves as a remote database: groups begin at once, several are in flight, and the test ends
/// each.
private final class RemoteTarget: CommitTarget {
  let isDurable = true
  let groupsMax: Int
  private struct Commit: Sendable {
    var group: CommitGroup
    var store: BatchStore
  }
  private let state = Mutex<(open: [Commit], mostOpen: Int, isClosed: Bool)>(([], 0, false))

  init(groupsMax: Int) { self.groupsMax = groupsMax }

  func commit(_ group: consuming CommitGroup, for store: BatchStore) {
    let commit = Commit(group: group, store: store)
    state.withLock {
      $0.open.append(commit)
      $0.mostOpen = max($0.mostOpen, $0.open.count)
    }
  }

  func close() { state.withLock { $0.isClosed = true } }

  var isClosed: Bool { state.withLock { $0.isClosed } }
  var mostOpen: Int { state.withLock { $0.mostOpen } }
  /// The records of each group in flight.
  var open: [Int] { state.withLock { $0.open.map(\.group.records.count) } }

  /// Ends the group at position `index` of those in flight.
  func end(_ index: Int, _ error: StoreError? = nil) {
    let commit = state.withLock { $0.open.remove(at: index) }
    commit.store.ended(commit.group, error)
  }

  func wait(_ isReached: ([Int]) -> Bool) throws {
    for _ in 0..<6_000 {
      if isReached(open) { return }
      usleep(10_000)
    }
    try #require(Bool(false), "never reached: \(open)")
  }
}

@Suite("A commit target whose groups end later", .quick)
struct CommitTargetTests {
  private func open(_ target: any CommitTarget) -> BatchStore {
    BatchStore(
      target, groupDelay: .milliseconds(1),
      now: { WallInstant(microseconds: Int64(DispatchTime.now().uptimeNanoseconds / 1_000)) },
      wake: {})
  }

  private func submit(_ tokens: ClosedRange<UInt64>, to store: BatchStore) {
    for token in tokens {
      store.submit(
        WakeOccasion(pushID: token, at: LiveCollector.start, isWithheld: false), token: token)
    }
  }

  @Test("groups are in flight up to the limit; records that arrive meanwhile wait for the next")
  func pipeline() throws {
    let target = RemoteTarget(groupsMax: 2)
    let store = open(target)
    submit(1...1, to: store)
    try target.wait { $0 == [1] }
    submit(2...2, to: store)
    try target.wait { $0 == [1, 1] }
    submit(3...7, to: store)
    #expect(store.oldestWaiting != nil)
    target.end(0)
    try target.wait { $0 == [1, 5] }
    #expect(store.takeReports().map(\.tokens) == [[1]])
    #expect(store.oldestWaiting == nil && target.mostOpen == 2)
    target.end(0)
    target.end(0)
    store.close()
  }

  @Test("a group that ends before an earlier one is reported at once; a failed one with its reason")
  func outOfOrder() throws {
    let target = RemoteTarget(groupsMax: 3)
    let store = open(target)
    for token in 1...3 as ClosedRange<UInt64> {
      submit(token...token, to: store)
      try target.wait { $0.count == Int(token) }
    }
    target.end(1)
    #expect(store.takeReports().map(\.tokens) == [[2]])
    let error = StoreError.failed(path: "remote", reason: "the connection was lost")
    target.end(0, error)
    target.end(0)
    let reports = store.takeReports()
    #expect(reports.map(\.tokens) == [[1], [3]])
    #expect(reports.map(\.error) == [error, nil])
    store.close()
  }

  @Test("the end waits for every group, queued ones included, and then closes the target")
  func end() throws {
    let target = RemoteTarget(groupsMax: 1)
    let store = open(target)
    submit(1...1, to: store)
    try target.wait { $0 == [1] }
    submit(2...4, to: store)
    let hasEnded = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      store.close()
      hasEnded.signal()
    }
    #expect(hasEnded.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
    #expect(!target.isClosed)
    target.end(0)
    try target.wait { $0 == [3] }
    target.end(0)
    #expect(hasEnded.wait(timeout: .now() + 60) == .success)
    #expect(target.isClosed)
    #expect(store.takeReports().map(\.tokens) == [[1], [2, 3, 4]])
  }

  @Test("group buffers are reused: once grown, commits allocate no new ones")
  func buffers() {
    var box = StoreMailbox()
    var group = CommitGroup()
    var places: Set<UInt> = []
    for round in 0..<50 as Range<UInt64> {
      for token in 0..<100 as Range<UInt64> {
        box.put(
          token,
          { _ in
            .occasion(WakeOccasion(pushID: token, at: LiveCollector.start, isWithheld: false))
          }, at: { WallInstant(microseconds: 0) })
      }
      #expect(box.take(into: &group, 1))
      group.records.withUnsafeBufferPointer {
        _ = places.insert(UInt(bitPattern: $0.baseAddress))
      }
      box.ended(&group, CommitReport(tokens: [round], took: .zero))
      group = CommitGroup()
    }
    #expect(places.count == 2)
  }

  @Test("a store that keeps nothing causes no waiting, and nothing can be read from it")
  func none() throws {
    let none = try StoreAddress.none.open()
    #expect(!none.isDurable)
    let store = open(none)
    submit(1...9, to: store)
    store.close()
    #expect(store.takeReports().flatMap(\.tokens) == Array(1...9))
    #expect(try none.storedRun() == nil && none.totals() == StoreTotals())
    #expect(try StoreAudit.run(.none).isIntact)
  }
}
