import Core
import Figures
import Fleet
import Foundation
import Phone
import Scenarios
import TestSupport
import Testing
@testable import Transport
@testable import Uploads
@testable import Targets
@testable import UploadsSupport

@Suite("Faulty targets", .live, .timeLimit(.minutes(10)), .needs(.python))
struct BadTargetTests {
  /// A phone's server, the result of its batch, and the reported line.
  private struct Case {
    let path: String
    let stored: Bool
    let meaning: String
    var line = ""
  }

  private static let cases = [
    Case(path: "ok", stored: true, meaning: "stored"),
    Case(path: "third", stored: true, meaning: "stored"),
    Case(path: "http10", stored: true, meaning: "stored"),
    Case(path: "chunked", stored: true, meaning: "stored"),
    Case(path: "continue", stored: true, meaning: "stored"),
    Case(
      path: "early", stored: false, meaning: "failed",
      line: "upload ended with 413, no rule matches: failed"),
    Case(
      path: "redirect", stored: false, meaning: "failed",
      line: "upload ended with 302, no rule matches: failed"),
    Case(
      path: "bomb", stored: false, meaning: "failed",
      line: "upload ended with 200, no rule matches: failed"),
    Case(
      path: "slow", stored: false, meaning: "unknown",
      line: "upload got no answer: no complete answer before the timeout"),
    Case(path: "large", stored: false, meaning: "failed"),
    Case(path: "endless", stored: false, meaning: "failed"),
    Case(path: "gzip", stored: true, meaning: "stored"),
    Case(path: "deflate", stored: true, meaning: "stored"),
    Case(path: "br", stored: true, meaning: "stored"),
    Case(path: "heads", stored: false, meaning: "failed"),
    Case(
      path: "garbage", stored: false, meaning: "unknown",
      line: "upload got no answer: the answer is not HTTP"),
    Case(
      path: "half", stored: false, meaning: "unknown",
      line: "upload got no answer: the connection ended before the answer was complete"),
    Case(path: "close", stored: false, meaning: "unknown"),
  ]

  private func rig(_ server: StrangeServer, url: String? = nil) throws -> SenderRig {
    let paths = Self.cases.map(\.path)
    _ = try server.file("paths.csv", "path\n\(paths.joined(separator: "\n"))\n")
    // A busy machine answers a large upload late.
    let file = try server.file("bad.yaml", RigFolder.target("/{path}", deadline: "10s"))
    return try SenderRig(file, phones: paths.count) { $0.url = url ?? server.url }
  }

  @Test("every fix is accounted for, and each kind of response is one line")
  func accounts() throws {
    let server = try StrangeServer()
    let rig = try rig(server)
    let fixes = 7
    rig.sender.submit(Self.cases.indices.map { rig.batch(of: $0, fixes: fixes) })
    let results = rig.results(of: Self.cases.count)
    for (phone, each) in Self.cases.enumerated() {
      #expect(
        results[UInt32(phone)] == (each.stored ? .acknowledged : .failed), "\(each.path)")
    }
    let (account, tally, _) = rig.sender.accounts()
    #expect(account.check() == [])
    #expect(account.handed == Self.cases.count * fixes)
    func count(_ meaning: String) -> Int { Self.cases.count { $0.meaning == meaning } }
    // Of the others the first fix was sent, and the rest waits behind it.
    #expect(account[.stored] == count("stored") * fixes)
    #expect(account[.failed] == count("failed"))
    #expect(account[.unknown] == count("unknown"))
    #expect(account[.waiting] == (count("failed") + count("unknown")) * (fixes - 1))
    for meaning in ["failed", "unknown"] {
      let met = tally.rows.filter { $0.fate.meaning == meaning }.map(\.count).reduce(0, +)
      #expect(met == count(meaning), "\(tally.rows)")
    }
    for line in Self.cases.map(\.line) where !line.isEmpty {
      #expect(rig.notes.count { $0.contains(line) } == 1, "\(line): \(rig.notes)")
    }
    #expect(rig.notes.count == tally.rows.count { $0.fate.meaning != "stored" })
  }

  @Test(
    "an unknown host and a closed port make fixes failed, not unknown",
    arguments: [
      ("http://nobody.invalid", "name not resolved", "the name 'nobody.invalid' does not resolve"),
      ("http://127.0.0.1:1", "connection refused", "no connection: "),
    ])
  func unreached(_ url: String, _ kind: String, _ line: String) throws {
    let server = try StrangeServer()
    let rig = try rig(server, url: url)
    rig.sender.submit((0..<3).map { rig.batch(of: $0, fixes: 2) })
    #expect(rig.results(of: 3).values.allSatisfy { $0 == .failed })
    let (account, tally, _) = rig.sender.accounts()
    #expect(account.check() == [])
    #expect(account[.failed] == 3 && account[.unknown] == 0)
    let row = try #require(tally.rows.first)
    #expect(row.fate.status == kind && row.fate.meaning == "failed" && row.count == 3)
    #expect(rig.notes.count == 1)
    #expect(rig.notes.first?.contains("bad: upload got no answer: \(line)") == true)
  }

  @Test("a stopped sender with requests in flight sends nothing more")
  func ended() throws {
    let server = try StrangeServer()
    let file = try server.file("bad.yaml", RigFolder.target("/never"))
    _ = try server.file("paths.csv", "path\nok\nok\n")
    let rig = try SenderRig(file, phones: 2) { $0.url = server.url }
    rig.sender.submit([
      rig.batch(of: 0, fixes: 1), rig.batch(of: 1, fixes: 1, after: .milliseconds(20)),
    ])
    // Busy beyond the second one's instant: it is due when the first one ends.
    rig.loop.post { usleep(60_000) }
    rig.sender.abort()
    let (account, _, _) = rig.sender.accounts()
    #expect(account.check() == [])
    #expect(account[.unknown] == 1 && account[.inFlight] == 0)
  }
}
