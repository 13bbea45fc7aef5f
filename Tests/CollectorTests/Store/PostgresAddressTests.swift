import TestSupport
import Testing

@testable import Collector

/// Database addresses.
@Suite("The address of a database", .quick)
struct PostgresAddressTests {
  @Test(
    "messages have the whole address except its passwords",
    arguments: [
      ("postgresql://db/fleet", "postgresql://db/fleet"),
      ("postgres://me:pass@db:5433/fleet", "postgres://me@db:5433/fleet"),
      ("postgresql://me:p@ss@db/fleet", "postgresql://me@db/fleet"),
      (
        "postgresql:///fleet?host=/run/pg&password=x&user=me",
        "postgresql:///fleet?host=/run/pg&user=me"
      ),
      ("postgresql://db/fleet?PassWord=x", "postgresql://db/fleet"),
    ])
  func name(url: String, name: String) throws {
    #expect(try #require(PostgresAddress(url)).name == name)
    #expect(StoreAddress(named: url).name == name)
  }

  @Test("a path is a file name", arguments: ["collector.sqlite", "/postgresql:/x", ""])
  func path(text: String) {
    #expect(PostgresAddress(text) == nil)
    #expect(StoreAddress(named: text) == .sqlite(path: text))
  }
}
