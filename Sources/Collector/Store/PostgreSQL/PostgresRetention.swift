package import Core

/// Drops the oldest days of a PostgreSQL store while collectors commit to it. Detaches the days'
/// tables from `batches` and attaches a table that discards rows, so that a late batch is
/// acknowledged but not stored. Then sums each detached table by group into `dropped` and removes
/// the table. If interrupted, the next retention completes the work.
package enum PostgresRetention {
  package struct Outcome: Equatable, Sendable {
    /// The number of dropped tables: one per day, and one for everything before the first day.
    package var tables = 0
    package var batches: Int64 = 0
    package var fixes: Int64 = 0
    /// The first day kept; nil if the store is empty.
    package var keptFrom: SimInstant?
  }

  /// The time that an attempt waits for users of `batches`, while new users must wait as well.
  private static let lockMilliseconds = 2_000
  /// The pause between attempts, in which others can use `batches`.
  private static let pauseSeconds = 1

  /// Drops all batches whose newest fix is older than the last `days` days, which end with the day
  /// of the store's last batch. Throws `busy` if readers outlast all attempts.
  package static func run(
    _ address: PostgresAddress, days: Int, attempts: Int = 10
  ) throws(StoreError) -> Outcome {
    let connection = try PostgresConnection(address)
    try PostgresSchema.check(connection)
    var outcome = Outcome()
    let newest = try connection.query(
      "SELECT max(first_us) FROM flotilla.groups WHERE batches > 0")
    if newest.bytes(0, 0).count > 0 {
      let last = FixTime(SimInstant(microseconds: newest.integer(0, 0)))
      let first = GroupParameters.day(of: last) - Int32(clamping: days - 1)
      try takeOut(before: first, attempts, connection)
      outcome.keptFrom = SimInstant(microseconds: Int64(first) * 86_400_000_000)
    }
    for table in try leavingTables(connection) {
      let sums = try drop(table, connection)
      outcome.tables += 1
      outcome.batches += sums.batches
      outcome.fixes += sums.fixes
    }
    return outcome
  }

  // MARK: Detaching

  static func takeOut(
    before day: Int32, _ attempts: Int, _ connection: PostgresConnection
  ) throws(StoreError) {
    for attempt in 1...attempts {
      do throws(StoreError) { return try connection.run(takingOut(before: day)) } catch {
        guard case .busy = error, attempt < attempts else { throw error }
        try connection.run("SELECT pg_sleep(\(pauseSeconds))")
      }
    }
  }

  /// Returns SQL that detaches the tables before `day`, under the advisory lock for creating days.
  private static func takingOut(before day: Int32) -> String {
    let lock = PostgresSchema.Lock.days.rawValue
    return """
      DO $$ DECLARE first int4; part record;
      BEGIN
        PERFORM set_config('lock_timeout', '\(lockMilliseconds)', true);
        PERFORM pg_advisory_xact_lock(\(PostgresSchema.lockClass), \(lock));
        SELECT convert_from(value, 'UTF8')::int4 INTO first FROM flotilla.meta
          WHERE key = 'first_day';
        IF first IS NULL OR \(day) <= first THEN RETURN; END IF;
        LOCK TABLE ONLY flotilla.batches IN ACCESS EXCLUSIVE MODE;
        FOR part IN SELECT c.relname AS name FROM pg_inherits i
          JOIN pg_class c ON c.oid = i.inhrelid
          WHERE i.inhparent = 'flotilla.batches'::regclass AND CASE c.relname
            WHEN 'batches_before' THEN true ELSE substr(c.relname, 9)::int4 < \(day) END
        LOOP
          EXECUTE format('ALTER TABLE flotilla.batches DETACH PARTITION flotilla.%I', part.name);
          EXECUTE format('ALTER TABLE flotilla.%I RENAME TO %I', part.name,
            'leaving_\(day)_' || substr(part.name, 9));
        END LOOP;
        CREATE TABLE flotilla.batches_before (LIKE flotilla.batches INCLUDING ALL);
        CREATE OR REPLACE FUNCTION flotilla.not_kept() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER not_kept BEFORE INSERT ON flotilla.batches_before
          FOR EACH ROW EXECUTE FUNCTION flotilla.not_kept();
        ALTER TABLE flotilla.batches ATTACH PARTITION flotilla.batches_before
          FOR VALUES FROM (MINVALUE) TO (\(day));
        UPDATE flotilla.meta SET value = '\(day)' WHERE key = 'first_day';
      END $$
      """
  }

  // MARK: Dropping

  /// Returns the names of detached tables that still exist.
  static func leavingTables(_ connection: PostgresConnection) throws(StoreError) -> [String] {
    let rows = try connection.query(
      """
      SELECT relname::text FROM pg_class WHERE relnamespace = 'flotilla'::regnamespace
        AND relkind = 'r' AND relname LIKE 'leaving\\_%' ORDER BY relname
      """)
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  private static func drop(
    _ table: String, _ connection: PostgresConnection
  ) throws(StoreError) -> (batches: Int64, fixes: Int64) {
    try connection.run("BEGIN")
    do throws(StoreError) {
      try connection.run("LOCK TABLE flotilla.\"\(table)\" IN ACCESS EXCLUSIVE MODE")
      let sums = try connection.query(
        """
        WITH gone AS (
          INSERT INTO flotilla.dropped \(sums(of: table)) RETURNING batches, fixes)
        SELECT coalesce(sum(batches), 0)::int8, coalesce(sum(fixes), 0)::int8 FROM gone
        """)
      try connection.run("DROP TABLE flotilla.\"\(table)\"")
      try connection.run("COMMIT")
      return (sums.integer(0, 0), sums.integer(0, 1))
    } catch {
      // ROLLBACK fails only on a broken connection, which ends the transaction as well.
      do throws(StoreError) { try connection.run("ROLLBACK") } catch {}
      throw error
    }
  }

  /// Returns SQL that selects a table's sums per group, in the columns of `dropped`.
  static func sums(of table: String) -> String {
    """
    SELECT grp, count(*) AS batches, sum(fix_count) AS fixes, sum(hash) AS hash_sum,
      sum(received_us) AS received_sum FROM flotilla."\(table)" GROUP BY grp
    """
  }

  /// Returns SQL that selects what retention dropped, in one or more rows per group.
  static func gone(_ connection: PostgresConnection) throws(StoreError) -> String {
    let parts = try leavingTables(connection).map { " UNION ALL (\(sums(of: $0)))" }
    return "SELECT grp, batches, fixes, hash_sum, received_sum FROM flotilla.dropped"
      + parts.joined()
  }
}
