package import Core
package import Fleet

package struct Reconciliation: Equatable, Sendable {
  /// The phones' side is the sum over all parts. The server's side is empty without a server.
  package let ledger: Ledger
  /// Empty if every fix is accounted for and the server has every acknowledged batch.
  package let violations: [String]
}

/// Compares the parts of a fleet with the server's account; nil checks only the phones' ledger.
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
    violations = ["The phones' batches were not compared with the server's."]
  }
  violations += server.isInProcess ? ledger.checkAfterDrain() : ledger.check()
  return Reconciliation(ledger: ledger, violations: violations + faults)
}

private func proof(of shares: [FleetAccount]) -> BatchProof? {
  guard var sum = shares.first?.proof else { return nil }
  for share in shares.dropFirst() {
    guard let next = share.proof else { return nil }
    sum.merge(next)
  }
  return sum
}

/// Describes a run whose server could not be verified; `why` is a sentence without its full stop.
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
  fileprivate func lostFixes(_ fixes: Account, stored: Int) -> Int {
    if let missingFixes { return missingFixes }
    let storedForPhones = stored - unknownStoredFixes
    return max(acknowledgedMissing.isEmpty ? 0 : 1, fixes.acknowledged - storedForPhones)
  }

  /// Empty if both sets are equal, apart from batches whose answer is unknown.
  fileprivate func violations(hashSum: UInt64) -> [String] {
    var found: [String] = []
    if !acknowledgedMissing.isEmpty {
      let names = acknowledgedMissing.prefix(5).map {
        "phone \($0.phone.rawValue) batch \($0.sequence)"
      }
      found.append(
        """
        \(acknowledgedMissing.count) acknowledged batches are missing from the collector, among \
        them \(names.joined(separator: ", ")).
        """)
    }
    if hashSum != expectedHash {
      found.append("The hash over the stored batches differs from the phones' hash.")
    }
    return found
  }
}
