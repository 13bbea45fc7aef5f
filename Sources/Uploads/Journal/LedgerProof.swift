internal import Collector
package import Core

/// Checks that acknowledged ⊆ stored ⊆ submitted, with each batch stored once and unchanged.
package struct LedgerProof: Sendable {
  package private(set) var phones: Int
  /// The number of runs of the fleet: one, plus one for each restart after a kill.
  package private(set) var lives: Int
  /// The number of submitted batches; each counts once, however many attempts it took.
  package private(set) var submitted: Int
  package private(set) var acknowledged: Int
  /// The number of submitted batches that were neither acknowledged nor refused.
  package private(set) var open: Int
  /// The number of batches that the collector refused permanently.
  package private(set) var refused: Int
  package private(set) var resent: Int
  package private(set) var duplicates: Int
  package private(set) var stored = 0
  /// The batches that were acknowledged and are not in the store.
  package private(set) var lost: [BatchID] = []
  /// The batches that are stored more than once, listed once for each extra copy.
  package private(set) var twice: [BatchID] = []
  package private(set) var unequal: [BatchID] = []
  package private(set) var foreign: [BatchID] = []

  package private(set) var damage: [String] = []

  private var journal: [BatchID: JournalContent.Batch]
  private var seen: Set<BatchID> = []

  /// - Parameter state: the folder of `run.state`.
  package init(state: String) throws(JournalError) {
    self.init(try FleetJournal.read(directory: state))
  }

  init(_ content: JournalContent) {
    phones = Int(content.header.phones)
    lives = content.lives
    submitted = content.batches.count
    acknowledged = content.count(.acknowledged)
    refused = content.count(.refused)
    open = content.count(.open)
    resent = content.resent
    duplicates = content.duplicates
    journal = content.batches
  }

  package mutating func take(_ id: BatchID, fixes: UInt32, hash: UInt64) {
    stored += 1
    guard seen.insert(id).inserted else { return twice.append(id) }
    guard let batch = journal[id]?.submission else { return foreign.append(id) }
    if batch.hash != hash || UInt32(batch.fixCount) != fixes { unequal.append(id) }
  }

  package mutating func finish() {
    lost = journal.filter { $0.value.fate == .acknowledged && !seen.contains($0.key) }.map(\.key)
      .sorted { ($0.phone, $0.order) < ($1.phone, $1.order) }
  }

  package var holds: Bool { differences.isEmpty }

  package var differences: [String] {
    [
      (lost, "acknowledged batches are not in the store"),
      (twice, "batches are stored twice"),
      (unequal, "stored batches differ from what was submitted"),
      (foreign, "stored batches were never submitted"),
    ]
    .filter { !$0.0.isEmpty }
    .map { ids, what in
      let names = ids.prefix(10).map {
        "phone \($0.phone.rawValue) batch \($0.sequence)"
          + ($0.epoch == 1 ? "" : " of epoch \($0.epoch)")
      }
      return "\(ids.count) \(what), among them \(names.joined(separator: ", "))."
    } + damage.prefix(10)
  }

  package var lines: [String] {
    [
      "submitted \(submitted) batches in \(lives) \(lives == 1 ? "run" : "runs")",
      "acknowledged \(acknowledged), refused \(refused), open \(open); sent again \(resent)",
      "stored \(stored); lost \(lost.count), twice \(twice.count), unequal \(unequal.count), "
        + "never submitted \(foreign.count)",
    ]
  }
}

extension LedgerProof {
  /// Audits a store that no collector has open, and compares it with the journal.
  package init(state: String, store path: String) throws(LedgerError) {
    do throws(JournalError) { try self.init(state: state) } catch { throw .journal(error) }
    do throws(StoreError) {
      var proof = self
      let report = try StoreAudit.run(
        StoreAddress(named: path),
        visit: { batch in
          proof.take(batch.id, fixes: batch.fixCount, hash: batch.hash)
        })
      self = proof
      damage = report.findings.map(\.description)
    } catch {
      throw .store(error.description)
    }
    finish()
  }
}

package enum LedgerError: Error, Equatable, Sendable, CustomStringConvertible {
  case journal(JournalError)
  case store(String)

  package var description: String {
    switch self {
    case .journal(let error): error.description
    case .store(let text): text
    }
  }
}
