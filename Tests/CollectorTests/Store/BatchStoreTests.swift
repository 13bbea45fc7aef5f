import Core
import Dispatch
import Foundation
import ServerLogic
import Synchronization
import TestSupport
import Testing

@testable import Collector
@testable import CollectorSupport

@Suite("Batch store", .quick)
struct BatchStoreTests {
  let folder = TemporaryFolder()

  func open(_ name: String = "run.db", pagesMax: Int? = nil) throws -> OpenStore {
    try OpenStore(path: folder.path(name), pagesMax: pagesMax)
  }

  @Test("a record reported as committed survives an unclean end")
  func uncleanEnd() throws {
    let store = try open()
    for sequence in 1...50 as ClosedRange<UInt32> {
      store.submit(phone: sequence % 7, sequence: sequence)
    }
    #expect(try store.committed(50) == Set(1...50))
    // The files while the collector runs: as after kill -9.
    try folder.copy("run.db", to: "copy.db")
    try folder.copy("run.db-wal", to: "copy.db-wal")
    let found = try OpenStore.contents(of: folder.path("copy.db"))
    #expect(found.map(\.batch.id.sequence) == Array(1...50))
    #expect(found[10].payload == OpenStore.payload(11))
    #expect(found[10].batch.hash == UInt64.max - 11)
  }

  @Test("a second collector on the same file is refused")
  func secondOpener() throws {
    let store = try open()
    #expect(throws: StoreError.inUse(path: folder.path("run.db"))) {
      _ = try SQLiteStore(path: folder.path("run.db"))
    }
    store.submit(phone: 1, sequence: 1)
    #expect(try store.committed(1) == [1])
  }

  @Test("all queued records are in one commit, and the loop is woken once for it")
  func groupCommit() throws {
    let store = try open()
    for sequence in 1...1_000 as ClosedRange<UInt32> {
      store.submit(phone: 1, sequence: sequence)
    }
    #expect(try store.committed(1_000).count == 1_000)
    #expect(store.commits < 100)
    #expect(store.wakes == store.commits)
  }

  @Test("a full disk is reported for each batch, and commits resume when there is space")
  func diskFull() throws {
    let store = try open(pagesMax: 12)
    store.submit(phone: 1, sequence: 1, payload: [UInt8](repeating: 7, count: 200_000))
    #expect(try store.failed(1) == .diskFull(path: folder.path("run.db")))
    store.submit(phone: 1, sequence: 2)
    #expect(try store.committed(1) == [2])
  }

  @Test("a file that is not a store is reported as such")
  func corrupt() throws {
    try Data("this is no database, but it is long enough to be read as one ".utf8).write(
      to: URL(filePath: folder.path("bad.db")))
    do throws(StoreError) {
      _ = try SQLiteStore(path: folder.path("bad.db"))
      Issue.record("opened")
    } catch {
      guard case .corrupt = error else {
        Issue.record("\(error)")
        return
      }
      #expect("\(error)".contains("bad.db"))
    }
  }

  @Test("a folder that does not exist is an error with the path in it")
  func noFolder() throws {
    do throws(StoreError) {
      _ = try SQLiteStore(path: folder.path("nowhere/run.db"))
      Issue.record("opened")
    } catch {
      guard case .cannotOpen = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("run, registrations, standings and occasions read back")
  func otherTables() throws {
    let store = try open()
    let run = StoredRun(
      id: "city-1", openRequest: [1, 2, 3], openedAtWall: WallInstant(microseconds: 77))
    let at = SimInstant(microseconds: 1_772_409_600_000_000)
    let snapshot = PhoneSnapshot(
      phone: PhoneID(rawValue: 4), authorization: .always, tokenValid: true, reportedAt: at,
      chosenAt: at, newestFix: FixTime(at), coordinate: Coordinate(latitudeE6: -1, longitudeE6: 2),
      sequences: SequenceRun(epoch: 2, low: 1, high: 9))
    store.store.submit(run, token: 1)
    store.store.submit(snapshot, token: 2)
    store.store.submitRegistration(
      snapshot.phone, .whenInUse, tokenValid: false, at: at, token: 3)
    store.store.submitRegistration(
      PhoneID(rawValue: 9), .always, tokenValid: true, at: at, token: 4)
    store.store.submit(
      WakeOccasion(pushID: 3 << 32 | 4, at: at, isWithheld: true), token: 5)
    #expect(try store.committed(5).count == 5)
    store.close()

    let file = try SQLiteStore(path: folder.path("run.db"))
    #expect(try file.storedRun() == run)
    var phones: [PhoneSnapshot] = []
    var occasions: [WakeOccasion] = []
    try file.replay { event in
      if case .phone(let phone) = event { phones.append(phone) }
      if case .occasion(let occasion) = event { occasions.append(occasion) }
    }
    var expected = snapshot
    expected.authorization = .whenInUse
    expected.tokenValid = false
    #expect(phones.count == 2)
    #expect(phones[0] == expected)
    #expect(phones[1].authorization == .always && phones[1].reportedAt == at)
    #expect(phones[1].newestFix == LastSeen.neverSeen)
    #expect(occasions == [WakeOccasion(pushID: 3 << 32 | 4, at: at, isWithheld: true)])
  }
}
