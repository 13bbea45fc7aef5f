import Core
import Foundation
import TestSupport
import Testing

@Suite("Boxed values", .quick)
struct BoxedTests {
  private struct Form: Codable, Equatable, Sendable {
    var path = "/"
    var headers: [String] = []
  }

  private struct Call: Codable, Equatable, Sendable {
    @Boxed var form = Form()
    var count = 1
  }

  @Test("a changed copy changes no other copy")
  func copies() {
    let first = Call()
    var second = first
    second.form.path = "/fixes"
    var third = second
    second.form.headers.append("X-Session")
    third.form.headers.append("X-Phone")
    #expect(first.form == Form())
    #expect(second.form == Form(path: "/fixes", headers: ["X-Session"]))
    #expect(third.form == Form(path: "/fixes", headers: ["X-Phone"]))
    #expect(second != third && first == Call())
  }

  @Test("key paths write it, and its JSON is the value alone")
  func written() throws {
    var call = Call()
    call[keyPath: \Call.form.path] = "/track"
    let json = try JSONEncoder().encode(call)
    struct Plain: Codable, Equatable {
      var form: Form
      var count: Int
    }
    #expect(
      try JSONDecoder().decode(Plain.self, from: json)
        == Plain(form: Form(path: "/track"), count: 1))
    #expect(try JSONDecoder().decode(Call.self, from: json) == call)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Call.self, from: Data(#"{"count": 1}"#.utf8))
    }
  }
}
