package import Figures
package import Fleet
internal import Telemetry

/// Compares both sides of a run's ledger.
package struct Reconciliation: Equatable, Sendable {
  /// Is the ledger with the phones' side summed over all parts and, where a server was asked, its
  /// side.
  package let ledger: Ledger
  /// Lists what does not hold, as sentences; empty where every fix is accounted for and the server
  /// holds what phones know to be acknowledged.
  package let violations: [String]
}

/// Compares what each part of a fleet knows of its run with what its server reports.
///
/// - Parameters:
///   - shares: the accounts of all parts, in the order of their phones.
///   - server: nil where none was asked; only the phones' side is then checked.
package func reconcile(_ shares: [FleetAccount], with server: ServerAccount?) -> Reconciliation {
  var ledger = shares.reduce(into: Ledger()) { $0.merge($1.ledger) }
  let faults = shares.flatMap(\.faults)
  guard let server else {
    return Reconciliation(ledger: ledger, violations: ledger.check() + faults)
  }
  ledger.merge(server.ledger)
  ledger.batches.resent = shares.reduce(0) { $0 + ($1.sending?.counts[.resent] ?? 0) }
  var violations: [String] = []
  if let proof = proof(of: shares) {
    ledger.batches.lost = proof.acknowledgedMissing.count
    ledger.fixes.lost = proof.lostFixes(
      ledger.fixes, stored: server.storedFixes ?? ledger.fixes.distinct)
    violations = proof.violations(hashSum: server.hashSum)
  } else {
    violations = ["The phones' batches were not compared with those that the server holds."]
  }
  violations += server.isInProcess ? ledger.checkAfterDrain() : ledger.check()
  return Reconciliation(ledger: ledger, violations: violations + faults)
}

/// Sums what was shown of all shares' batches; nil where a share has no proof.
private func proof(of shares: [FleetAccount]) -> BatchProof? {
  guard var sum = shares.first?.proof else { return nil }
  for share in shares.dropFirst() {
    guard let next = share.proof else { return nil }
    sum.merge(next)
  }
  return sum
}

/// Describes a run whose server could not be asked: nothing that it acknowledged is shown to be
/// stored.
///
/// - Parameter why: the reason, as a sentence without its full stop.
package func reconcile(_ shares: [FleetAccount], withoutServer why: String) -> Reconciliation {
  let phones = reconcile(shares, with: nil)
  var ledger = phones.ledger
  ledger.fixes.lost = ledger.fixes.acknowledged
  ledger.batches.lost = ledger.batches.acknowledged
  let unproved = """
    \(why). None of the \(ledger.fixes.acknowledged) acknowledged fixes could be shown to be stored.
    """
  return Reconciliation(ledger: ledger, violations: [unproved] + phones.violations)
}

extension BatchProof {
  /// - Parameters:
  ///   - fixes: both sides of the ledger.
  ///   - stored: how many fixes the server holds.
  fileprivate func lostFixes(_ fixes: Account, stored: Int) -> Int {
    if let missingFixes { return missingFixes }
    let storedForPhones = stored - unknownStoredFixes
    return max(acknowledgedMissing.isEmpty ? 0 : 1, fixes.acknowledged - storedForPhones)
  }

  /// Lists the violations as sentences; empty where both sets are equal, apart from batches whose
  /// answer is unknown.
  fileprivate func violations(hashSum: UInt64) -> [String] {
    var found: [String] = []
    if !acknowledgedMissing.isEmpty {
      let names = acknowledgedMissing.prefix(5).map {
        "phone \($0.phone.rawValue) batch \($0.sequence)"
      }
      found.append(
        """
        \(acknowledgedMissing.count) acknowledged batches are not held by the collector, among \
        them \(names.joined(separator: ", ")).
        """)
    }
    if hashSum != expectedHash {
      found.append("The hash over the stored batches differs from the phones' own.")
    }
    return found
  }
}
