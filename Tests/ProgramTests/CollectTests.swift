import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("A collector that cannot start", .quick)
struct CollectTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "an address reachable from other machines requires a token",
    arguments: ["0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0"])
  func demands(address: String) async throws {
    for options in [
      ["--listen", address], ["--listen", "127.0.0.1:0", "--admin", address],
    ] {
      let ended = await flotilla(["collect", "--store", "none", "--ui", "none"] + options)
      #expect(ended.code == 73)
      #expect(ended.errorOutput.contains("set a token, or listen on 127.0.0.1"))
      #expect(ended.text.isEmpty)
    }
  }

  @Test("a file without a valid token is rejected", arguments: ["", "two words", "\n\n"])
  func badToken(text: String) async throws {
    let file = folder["token"]
    try text.write(to: file, atomically: true, encoding: .utf8)
    let ended = await flotilla([
      "collect", "--store", "none", "--listen", "127.0.0.1:0", "--token-file", file.path,
    ])
    #expect([65, 73].contains(ended.code))
    #expect(ended.errorOutput.contains("token"))
    #expect(!ended.errorOutput.contains("two words"))
  }

  @Test("a folder, a text file and another schema as the store give a one-line error")
  func wrongFiles() async throws {
    expectOneLine(await collect(folder.url.path), "cannot be opened")
    try Data("not a database at all, but a text of some length\n".utf8).write(to: folder["text"])
    expectOneLine(await collect(folder["text"].path), "text", "the store is corrupt")
    expectOneLine(
      await flotilla(["verify", folder["text"].path]), "not a collector's store", code: 65)
    expectOneLine(
      await flotilla(["verify", folder["nowhere"].path]), "no such file", code: 65)
  }

  private func collect(_ store: String) async -> Ended {
    await flotilla(["collect", "--listen", "127.0.0.1:0", "--ui", "plain", "--store-path", store])
  }

  private func expectOneLine(_ ended: Ended, _ words: String..., code: Int32 = 73) {
    #expect(ended.code == code, "\(ended.text)\(ended.errorOutput)")
    let lines = ended.errorOutput.split(separator: "\n")
    #expect(lines.count == 1, "\(ended.errorOutput)")
    for word in words { #expect(ended.errorOutput.contains(word), "\(ended.errorOutput)") }
  }

  @Test("a missing dictionary, or another one than the collector's, gives an error")
  func diagnostics() async throws {
    try Data("no dictionary".utf8).write(to: folder["city.dict"])
    let refused = await flotilla(
      ["load"] + Trial(phones: 200).options(out: folder["run"])
        + ["--set", "encoding=columns", "--set", "run.dictionary=\(folder["city.dict"].path)"])
    #expect(refused.code == 65)
    #expect(refused.errorOutput.contains("is not a zstd dictionary"), "\(refused.errorOutput)")
    let absent = await flotilla(["collect", "--dictionary", folder["absent"].path])
    #expect(absent.code == 65 && absent.errorOutput.contains("absent: cannot be read"))
    let unwritable = await flotillaLab(
      [
        "dictionary", "train", "city", "--phones", "40", "--duration", "6h", "--policies", "hybrid",
        "--out", folder["no/such/folder.dict"].path,
      ])
    #expect(unwritable.code == 73, "\(unwritable.errorOutput)")
  }
}
