/// Functions for measurements that have a database to themselves and leave it empty.
extension PostgresAddress {
  package func holdsStore() throws(StoreError) -> Bool {
    try PostgresConnection(self).query(
      "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'flotilla')"
    ).integer(0, 0) != 0
  }

  package func removeStore() throws(StoreError) {
    try PostgresConnection(self).run("DROP SCHEMA IF EXISTS flotilla CASCADE")
  }

  /// Returns the disk size of the store's tables and indexes, in bytes.
  package func storedBytes() throws(StoreError) -> Int64 {
    try PostgresConnection(self).query(
      """
      SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::int8 FROM pg_class
      WHERE relnamespace = 'flotilla'::regnamespace AND relkind = 'r'
      """
    ).integer(0, 0)
  }
}
