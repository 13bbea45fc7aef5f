import Foundation
import TestSupport
import Testing
@testable import Targets

@Suite("Headers with base64 and signatures", .quick)
struct SignedHeaderTests {
  private func upload(_ header: String) throws -> RequestProgram {
    let target = try readTarget(
      smallestTarget.replacing("path: /,", with: "path: /, headers: { X-Value: \(header) },")
        .replacing(
          "upload:", with: "identity: { id: \"a{phone}\", secret: \"s-{phone}\" }\nupload:"))
    return TargetPrograms(masked: target).upload
  }

  private func value(_ header: String, _ body: [UInt8] = []) throws -> String {
    let upload = try upload(header)
    return text { upload.write(header: upload.headers[0], context([fix()]), body: body, into: &$0) }
  }

  @Test("a header is the base64 of a text")
  func base64() throws {
    #expect(try value("{ $base64: \"{id}:x\" }") == Data("a17:x".utf8).base64EncodedString())
    #expect(try value("{ $base64: \"\" }").isEmpty)
  }

  @Test(
    "a signature is that of Python's hmac, over a constant and the body", .needs(.python),
    arguments: ["sha1", "sha256", "sha384", "sha512"])
  func signature(hash: String) throws {
    let bodies: [[UInt8]] = [[], [0, 255, 10, 34], Array(repeating: 7, count: 5_000)]
    let script =
      "import base64,hashlib,hmac,sys\n"
      + "for line in sys.stdin:\n"
      + " code = hmac.new(b's-17', b'1772436660.' + bytes.fromhex(line), '\(hash)')\n"
      + " sys.stdout.write(code.hexdigest() + ' ' + base64.b64encode(code.digest()).decode() + '\\n')\n"
    let output = try Strange.run(
      try #require(Oracle.python.path), ["-c", script],
      input: bodies.map { Strange.hex($0) + "\n" }.joined())
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(lines.count == bodies.count)
    for (body, line) in zip(bodies, lines) {
      let keys = "key: $secret, hash: \(hash), before: \"{now.s}.\""
      #expect(
        try value("{ $hmac: { \(keys), prefix: \"t={now.s},v1=\" } }", body)
          == "t=1772436660,v1=\(line[0])")
      #expect(try value("{ $hmac: { \(keys), as: base64 } }", body) == line[1])
    }
  }

  @Test("a signature is masked in output, as it could confirm a guessed key")
  func masked() throws {
    #expect(try upload("{ $hmac: { key: $secret } }").headers[0].mask == "***")
  }

  @Test(
    "mistakes in a header have their line",
    arguments: [
      (
        "{ $hmac: { key: sesame } }", "the key is a constant; write identity: { secret: { env: NAME"
      ),
      ("{ $hmac: { hash: sha256 } }", "the key 'key' is missing"),
      ("{ $hmac: { key: $secret, hash: md5 } }", "'md5' is unknown"),
      ("{ $hmac: { key: $none } }", "unknown value 'none'"),
      ("{ $hmca: { key: $secret } }", "Did you mean '$hmac'?"),
      ("{ $base64: { a: 1 } }", "a text with values"),
    ])
  func mistakes(header: String, expected: String) {
    let found = diagnostics(
      in: smallestTarget.replacing("path: /,", with: "path: /, headers: { X-Value: \(header) },")
        .replacing("upload:", with: "identity: { secret: { env: NAME } }\nupload:"))
    #expect(found.contains { $0.hasPrefix("test.yaml:5:") && $0.contains(expected) }, "\(found)")
  }
}
