internal import CPostgreSQL

/// The tables of a PostgreSQL store in the schema `flotilla`, and the statements that write them.
///
/// - `meta`: the schema version, the run id, and the request that opened the run.
/// - `sessions`: one row per connection that ever committed.
/// - `batches`: one row per distinct batch, whose key finds duplicates. Partitioned by the day of
///   the newest fix, so that a batch resent after midnight meets the same key.
/// - `dropped`: the sums of what retention dropped, one row per group and table.
/// - `groups`: one row per transaction, with number, sums over its new rows and log (`GroupLog`).
///
/// A session commits groups in order of number, so a reader of a group has missed no earlier group.
enum PostgresSchema {
  static let version = 2

  private static let tables = """
    CREATE SCHEMA flotilla;
    CREATE TABLE flotilla.meta(key text PRIMARY KEY, value bytea NOT NULL);
    CREATE TABLE flotilla.sessions(
      session serial PRIMARY KEY, began timestamptz NOT NULL DEFAULT clock_timestamp());
    CREATE TABLE flotilla.batches(
      received_us int8 NOT NULL, wall_us int8 NOT NULL, hash int8 NOT NULL, grp int8 NOT NULL,
      phone int4 NOT NULL, epoch int4 NOT NULL, sequence int4 NOT NULL, day int4 NOT NULL,
      fix_count int4 NOT NULL, uncompressed_size int4 NOT NULL, encoding int2 NOT NULL,
      payload bytea NOT NULL, PRIMARY KEY(phone, epoch, sequence, day)) PARTITION BY RANGE(day);
    CREATE TABLE flotilla.groups(
      grp int8 PRIMARY KEY, first_us int8 NOT NULL, batches int8 NOT NULL, fixes int8 NOT NULL,
      hash_sum numeric NOT NULL, received_sum numeric NOT NULL, log bytea NOT NULL);
    CREATE TABLE flotilla.dropped(
      grp int8 NOT NULL, batches int8 NOT NULL, fixes int8 NOT NULL, hash_sum numeric NOT NULL,
      received_sum numeric NOT NULL);
    ALTER TABLE flotilla.groups ALTER log SET STORAGE EXTERNAL;
    INSERT INTO flotilla.meta VALUES('schema', '\(version)');
    """

  /// The first half of the keys of this program's advisory locks, which keep collectors from
  /// creating tables or days at the same time.
  static let lockClass = 0x464C_4F54

  enum Lock: Int {
    case tables = 1
    case days
    case sweeper
  }

  /// Creates the tables if they are missing, else checks their version.
  static func prepare(_ connection: PostgresConnection) throws(StoreError) {
    try connection.run("BEGIN")
    try connection.run("SELECT pg_advisory_xact_lock(\(lockClass), \(Lock.tables.rawValue))")
    if try exists("meta", connection) {
      try check(connection)
      try checkOwner(connection)
      try connection.run("COMMIT")
      return
    }
    do throws(StoreError) { try connection.run(tables) } catch {
      try connection.run("ROLLBACK")
      throw error
    }
    try connection.run("COMMIT")
  }

  static func probe(_ connection: PostgresConnection) throws(StoreError) {
    if try exists("meta", connection) {
      try check(connection)
      return try checkOwner(connection)
    }
    let mayCreate = try connection.query(
      "SELECT has_database_privilege(current_database(), 'CREATE'), current_database()::text")
    if mayCreate.integer(0, 0) == 0 {
      throw .noRight(
        store: connection.name, detail: "permission denied for database \(mayCreate.text(0, 1))")
    }
  }

  /// Throws unless the database holds a store that this program can read.
  static func check(_ connection: PostgresConnection) throws(StoreError) {
    guard try exists("meta", connection) else {
      throw .noStore(path: connection.name, detail: "it has no store tables")
    }
    let row = try connection.query("SELECT value FROM flotilla.meta WHERE key = 'schema'")
    let found = row.count == 0 ? 0 : Int(row.text(0, 0)) ?? 0
    guard found == version else {
      throw .otherSchema(path: connection.name, found: found, wanted: version)
    }
  }

  /// Throws unless the user owns `batches` and may therefore add a day's table.
  private static func checkOwner(_ connection: PostgresConnection) throws(StoreError) {
    let row = try connection.query(
      """
      SELECT pg_has_role(relowner, 'USAGE') AND has_schema_privilege(relnamespace, 'CREATE'),
        pg_get_userbyid(relowner)::text, current_user::text
      FROM pg_class WHERE oid = 'flotilla.batches'::regclass
      """)
    guard row.count == 1, row.integer(0, 0) == 0 else { return }
    throw .noRight(
      store: connection.name,
      detail: "the tables in schema flotilla belong to '\(row.text(0, 1))'; "
        + "'\(row.text(0, 2))' may not add daily tables")
  }

  /// Throws if the connection goes through a transaction pooler, as prepared statements, settings
  /// and locks belong to a session.
  static func checkSession(
    _ connection: PostgresConnection, _ address: PostgresAddress
  ) throws(StoreError) {
    func session(_ connection: PostgresConnection) throws(StoreError) -> Int64 {
      try connection.query("SELECT pg_backend_pid()").integer(0, 0)
    }
    let own = try session(connection)
    // A pooler gives a connecting client an invented process ID.
    guard own != Int64(flotilla_pg_backend_pid(connection.handle)) else { return }
    let other = try PostgresConnection(address)
    do throws(StoreError) { try other.run("BEGIN") } catch {
      throw .pooled(store: connection.name, detail: "it does not run a transaction: \(error)")
    }
    let taken = try session(other)
    let next = try session(connection)
    try other.run("ROLLBACK")
    guard taken == own || next != own else { return }
    throw .pooled(store: connection.name, detail: "two clients were given session \(own) in turn")
  }

  private static func exists(
    _ table: String, _ connection: PostgresConnection
  ) throws(StoreError) -> Bool {
    try connection.query("SELECT to_regclass('flotilla.\(table)') IS NOT NULL").integer(0, 0) != 0
  }

  static func beginSession(_ connection: PostgresConnection) throws(StoreError) -> Int32 {
    // Planning the statement for each group would cost as much as executing it.
    try connection.run("SET plan_cache_mode = force_generic_plan; SET statement_timeout = '30s'")
    try connection.prepare(Statement.group.rawValue, groupText)
    try connection.prepare(Statement.run.rawValue, runText)
    let row = try connection.query(
      "INSERT INTO flotilla.sessions DEFAULT VALUES RETURNING session")
    return Int32(truncatingIfNeeded: row.integer(0, 0))
  }

  // MARK: Statements

  enum Statement: String {
    case group = "flotilla_group"
    case run = "flotilla_run"
  }

  /// SQL that adds a group's new batches and their sums, recomputing given sums only if some
  /// batches are duplicates. Returns how many batches were new and, if not all, which.
  private static let groupText = """
    WITH added AS (
      INSERT INTO flotilla.batches
      SELECT r, w, h, $1::int8, p, e, s, d, f, u, c, b
      FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int4[], $6::int4[], $7::int4[],
        $8::int4[], $9::int4[], $10::int4[], $11::int2[], $12::bytea[])
        AS t(r, w, h, p, e, s, d, f, u, c, b)
      ON CONFLICT DO NOTHING
      RETURNING phone, epoch, sequence, fix_count, hash, received_us),
    counted AS (SELECT count(*) AS n FROM added),
    noted AS (
      INSERT INTO flotilla.groups SELECT $1::int8, $18::int8, n,
        CASE WHEN n = $13::int8 THEN $14::int8
          ELSE (SELECT coalesce(sum(fix_count), 0) FROM added) END,
        CASE WHEN n = $13::int8 THEN $15::numeric
          ELSE (SELECT coalesce(sum(hash), 0) FROM added) END,
        CASE WHEN n = $13::int8 THEN $16::numeric
          ELSE (SELECT coalesce(sum(received_us), 0) FROM added) END,
        $17::bytea FROM counted)
    SELECT n,
      CASE WHEN n < $13::int8 THEN (SELECT array_agg(phone) FROM added) END,
      CASE WHEN n < $13::int8 THEN (SELECT array_agg(epoch) FROM added) END,
      CASE WHEN n < $13::int8 THEN (SELECT array_agg(sequence) FROM added) END
    FROM counted
    """

  /// SQL that writes the run, and returns false if the database has another run. The time comes
  /// from the database server, whose clock is the only one that all collectors share.
  private static let runText = """
    WITH named AS (
      INSERT INTO flotilla.meta VALUES('run_id', $1::bytea)
      ON CONFLICT (key) DO UPDATE SET value = flotilla.meta.value RETURNING value = $1 AS same),
    noted AS (
      INSERT INTO flotilla.meta SELECT k, v FROM named,
        (VALUES ('run_request', $2::bytea), ('run_opened_us', convert_to((extract(
          epoch FROM clock_timestamp()) * 1000000 - $3::int8)::int8::text, 'UTF8'))) AS t(k, v)
      WHERE same
      ON CONFLICT (key) DO UPDATE SET value = excluded.value)
    SELECT same FROM named
    """

  /// Returns SQL that creates a day's partition apart from `batches`, to block no writer or reader,
  /// and attaches it. Days long before the first batch (wrong clocks) share one table.
  static func makeDay(_ day: Int32, received: Int32) -> String {
    """
    DO $$ DECLARE first int4;
    BEGIN
      PERFORM pg_advisory_xact_lock(\(lockClass), \(Lock.days.rawValue));
      INSERT INTO flotilla.meta VALUES('first_day', '\(received - daysBefore)')
        ON CONFLICT DO NOTHING;
      SELECT convert_from(value, 'UTF8')::int4 INTO first FROM flotilla.meta
        WHERE key = 'first_day';
      IF \(day) < first THEN
        IF to_regclass('flotilla.batches_before') IS NULL THEN
          CREATE TABLE flotilla.batches_before (LIKE flotilla.batches INCLUDING ALL);
          EXECUTE format('ALTER TABLE flotilla.batches ATTACH PARTITION flotilla.batches_before '
            || 'FOR VALUES FROM (MINVALUE) TO (%s)', first);
        END IF;
      ELSIF to_regclass('flotilla.batches_\(day)') IS NULL THEN
        CREATE TABLE flotilla.batches_\(day) (LIKE flotilla.batches INCLUDING ALL);
        ALTER TABLE flotilla.batches ATTACH PARTITION flotilla.batches_\(day)
          FOR VALUES FROM (\(day)) TO (\(day + 1));
      END IF;
    END $$
    """
  }

  /// The number of days before the first batch with own tables, as for phones offline for a month.
  private static let daysBefore: Int32 = 31
}
