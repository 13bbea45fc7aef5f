import Foundation
import TestSupport
import Testing
@testable import Core

@Suite("Any JSON", .quick)
struct JSONValueTests {
  @Test(
    "each value has its kind, and numbers keep all digits",
    arguments: [
      ("null", .null), ("true", .bool(true)), ("false", .bool(false)), ("1", .integer(1)),
      ("1.0", .integer(1)), ("-7", .integer(-7)), ("0.5", .number(0.5)),
      ("9007199254740993", .integer(9_007_199_254_740_993)),
      ("9223372036854775807", .integer(.max)), ("18446744073709551615", .unsigned(.max)),
      ("1e300", .number(1e300)), ("\"1\"", .string("1")), ("[]", .array([])), ("{}", .object([:])),
      (
        "[1,[\"a\"],{\"b\":null}]",
        .array([.integer(1), .array([.string("a")]), .object(["b": .null])])
      ),
    ] as [(String, JSONValue)])
  func kinds(text: String, value: JSONValue) throws {
    let found = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(found == value)
    let again = try JSONDecoder().decode(JSONValue.self, from: try JSONEncoder().encode(found))
    #expect(again == value)
  }
}
