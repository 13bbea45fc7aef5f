package import Core
internal import Fleet

extension BatchProof {
  package init(_ journal: JournalContent, stored: (BatchID) -> Bool) {
    self.init()
    var fixes = 0
    for (id, batch) in journal.batches {
      if stored(id) {
        expectedHash &+= batch.submission.hash
        if batch.fate != .acknowledged {
          unknownStored += 1
          unknownStoredFixes += Int(batch.submission.fixCount)
        }
      } else if batch.fate == .acknowledged {
        acknowledgedMissing.append(id)
        fixes += Int(batch.submission.fixCount)
      }
    }
    missingFixes = fixes
    acknowledgedMissing.sort { ($0.phone, $0.sequence) < ($1.phone, $1.sequence) }
  }
}
