/// What a measurement does with a database: it has it for itself, and leaves it empty.
extension PostgresAddress {
  /// Is true where a store is there, of whichever version.
  package func holdsStore() throws(StoreError) -> Bool {
    try PostgresConnection(self).query(
      "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'flotilla')"
    ).integer(0, 0) != 0
  }

  /// Removes the store with all that it holds; harmless where there is none.
  package func removeStore() throws(StoreError) {
    try PostgresConnection(self).run("DROP SCHEMA IF EXISTS flotilla CASCADE")
  }

  /// Returns what the tables of the store take on the database's disk, indexes included, in bytes.
  package func storedBytes() throws(StoreError) -> Int64 {
    try PostgresConnection(self).query(
      """
      SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::int8 FROM pg_class
      WHERE relnamespace = 'flotilla'::regnamespace AND relkind = 'r'
      """
    ).integer(0, 0)
  }
}
