/// Holds the file of a store that a collector writes, with its prepared statements.
///
/// It has one owner and is used by one thread at a time.
struct StoreFile: ~Copyable {
  /// Sums all committed batches.
  private(set) var totals: StoreTotals
  /// Is set for good once a page turned out to be damaged: a later commit that touches other pages
  /// would succeed, and be acknowledged, in a file of which part is lost.
  private var damage: StoreError?
  /// Sums the rows of the other tables.
  private var sums: TableSums
  private let schema: StoreSchema
  private var coldPages: ColdPages
  let database: Database

  /// - Parameter pagesMax: the greatest number of pages of 16 KiB, at which the store behaves as a
  ///   full disk; nil for no limit but the disk's.
  init(path: String, pagesMax: Int? = nil) throws(StoreError) {
    let database = try Database(path: path)
    let schema = try StoreSchema(database)
    if let pagesMax { try database.run("PRAGMA max_page_count=\(pagesMax)") }
    let totals = try database.totals()
    let written = try TableSums.written(in: database)
    let sums = try TableSums(of: database)
    if let written, written != sums {
      let differences = try TableSums.differences(in: database)
      throw .damaged(path: path, detail: differences.joined(separator: "; "))
    }
    self.totals = totals
    self.sums = sums
    self.schema = schema
    coldPages = ColdPages(of: path)
    self.database = database
  }

  /// Commits all of the group or nothing of it.
  mutating func commit(_ group: borrowing CommitGroup) -> StoreError? {
    if let damage { return damage }
    var sum = totals
    var sums = sums
    do throws(StoreError) {
      try schema.begin.run()
      for record in group.records {
        if case .batch(let batch, _, _) = record { sum.add(batch) }
      }
      try group.bytes.span.bytes.withUnsafeBytes { bytes throws(StoreError) in
        for record in group.records { try schema.write(record, bytes: bytes, &sums) }
      }
      if sum != totals { try schema.write(sum) }
      for case .run in group.records { sums[.meta] = try TableSums.sum(of: .meta, in: database) }
      try schema.write(sums, replacing: self.sums)
      try schema.commit.run()
      self.sums = sums
      coldPages.committed(group, batches: Int(sum.batches - totals.batches))
      totals = sum
      return nil
    } catch {
      // The rollback fails where SQLite has already rolled back, which is just as good.
      do throws(StoreError) { try schema.rollback.run() } catch {}
      if case .corrupt = error { damage = error }
      return error
    }
  }
}
