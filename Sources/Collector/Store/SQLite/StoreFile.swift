/// The file of a collector's store, with its prepared statements. For one thread at a time.
struct StoreFile: ~Copyable {
  private(set) var totals: StoreTotals
  /// The error of a damaged page, kept because a later commit could succeed in a partly lost file.
  private var damage: StoreError?
  private var sums: TableSums
  private let schema: StoreSchema
  private var coldPages: ColdPages
  let database: Database

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
      // The rollback fails if SQLite has already rolled back, which has the same effect.
      do throws(StoreError) { try schema.rollback.run() } catch {}
      if case .corrupt = error { damage = error }
      return error
    }
  }
}
