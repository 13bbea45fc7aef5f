internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Core
@testable internal import Scenarios

/// Recordings compressed with `gzip -9`, which the program cannot write.
enum Packed {
  /// A track of two points.
  static let two = data(
    """
    H4sIAAAAAAACA4WPQQvCMAyF/0rJfU3aOZHRdcddPXgQb0PmHG5r2Yrtz7crCIKCEPIgefl4UXWYRvbslnUwcwWCE9Ra\
    9TZ8zgSw6JrXCu7O2RLRe8+dsaZf2tsQ+NVM2BzPKFCAVm55pLZ2fVLr2Ni6CgrJC2BjQuZ8tzmHqdOS5D6jPCN5okNJ\
    FOuiMK2ibOdfFBL/OeIXB9+xMIXE+Kd+AduuQXACAQAA
    """)
  /// The same in two members, the first 100 bytes long.
  static let inMembers = data(
    """
    H4sIAAAAAAACA7Oxr8jNUShLLSrOzM+zVTLUM1Cyt7NJL6hAFjNUUgCqyiu2VcooKSmw0tcvLy/XK8kvyE8vSkzLrNBL\
    zs/Vdw+I0DfUN1SysykpygYTxanpYLoAACJa+F1kAAAAH4sIAAAAAAACAytRyEkssVUyNdIzVVLIyc+zVTI01jNRsrMp\
    ycxNtTMyMDLTNTDWNTAKMbCwMjAAoigbfbAUkCrKLigBKgRRCFMMDAmbY4jNHBBdnJoOYQDJ9IIKOwD9MBxyngAAAA==
    """)
  static let twice = data(
    """
    H4sIAAAAAAACAwGrAFT/H4sIAAAAAAACA4WPQQvCMAyF/0rJfU3aOZHRdcddPXgQb0PmHG5r2Yrtz7crCIKCEPIgefl4\
    UXWYRvbslnUwcwWCE9Ra9TZ8zgSw6JrXCu7O2RLRe8+dsaZf2tsQ+NVM2BzPKFCAVm55pLZ2fVLr2Ni6CgrJC2BjQuZ8\
    tzmHqdOS5D6jPCN5okNJFOuiMK2ibOdfFBL/OeIXB9+xMIXE+Kd+AduuQXACAQAA0cL03KsAAAA=
    """)

  /// 64 members of 4 kB each: a tag that begins and never ends.
  static let bomb =
    data("H4sIAAAAAAACA+3BMREAAAgEoCoGsY/rj8a3hwf0ZAsAAAB47QBZQMQGABAAAA==")
    + repeatElement(
      data("H4sIAAAAAAACA+3BAQ0AAADCoCrvn9IeDigAAADg3QAi6COlABAAAA=="), count: 63
    ).joined()

  private static func data(_ base64: String) -> [UInt8] {
    Data(base64Encoded: base64).map { [UInt8]($0) } ?? []
  }

}

@Suite("Recordings that are gzip-compressed", .quick)
struct GzipTests {
  private static let plain = track([
    ("2026-03-02T08:00:00Z", 52.5, 13.4), ("2026-03-02T08:01:00Z", 52.501, 13.4),
  ])

  @Test(
    "a compressed recording equals the plain one, in any number of members, padded or not",
    arguments: [
      Packed.two, Packed.inMembers, Packed.two + [0, 0, 0, 0],
    ])
  func same(packed: [UInt8]) throws {
    #expect(try recording(packed) == recording(Self.plain))
  }

  @Test("a compressed recording may arrive in any two pieces")
  func pieces() throws {
    let whole = try recording(Self.plain)
    for cut in 1..<Packed.inMembers.count {
      var pieces = [Packed.inMembers[..<cut], Packed.inMembers[cut...]]
      // The first two bytes identify gzip: no file's first piece is shorter.
      guard cut >= 2 else { continue }
      let source = try ByteSource { (_) throws(GPXError) in
        pieces.isEmpty ? [] : Array(pieces.removeFirst())
      }
      let content = try GPXReader().read(source)
      #expect(
        try RecordingMaker.make(content, path: "test.gpx", speed: .init(metersPerSecond: 2))
          == whole)
    }
  }

  @Test("a recording that is cut off anywhere is refused, with that reason")
  func truncated() {
    for count in 2..<Packed.two.count {
      #expect(fault(Array(Packed.two.prefix(count))) == "its gzip data end too early.")
    }
  }

  @Test("a recording with any bit changed is refused, or is the same one")
  func damaged() throws {
    let whole = try recording(Self.plain)
    var refused = 0
    for bit in 0..<(Packed.two.count * 8) {
      var bytes = Packed.two
      bytes[bit / 8] ^= 1 << (bit % 8)
      do throws(GPXError) {
        #expect(try recording(bytes) == whole, "bit \(bit)")
        // Header fields that do not affect the content (time, system, level), and the padding of
        // the last byte before checksum and length.
        #expect(bit / 8 < 10 || bit / 8 == Packed.two.count - 9, "bit \(bit)")
      } catch {
        #expect(!error.text.isEmpty)
        refused += 1
      }
    }
    #expect(refused > (Packed.two.count - 10) * 8)
  }

  @Test(
    "errors are zlib's text or ours",
    arguments: [
      (Packed.two + Array("more".utf8), "trailing data after its gzip data."),
      (Packed.two + [0x1F], "its gzip data end too early."),
      (
        Packed.two.dropLast(8) + [1, 2, 3, 4, 5, 6, 7, 8],
        "its gzip data are wrong (incorrect data check)."
      ),
      (Packed.two.dropLast(1) + [9], "its gzip data are wrong (incorrect length check)."),
      (Gunzip.magic + [9], "its gzip data end too early."),
      (Gunzip.magic + [9, 0, 0, 0, 0, 0], "its gzip data are wrong (unknown compression method)."),
      (Packed.twice, "is gzip-compressed twice; unpack it once."),
    ] as [([UInt8], String)])
  func sentence(packed: [UInt8], why: String) {
    #expect(fault(packed) == why)
  }

  @Test("a recording above the limit is not decompressed, however small it is compressed")
  func bomb() throws {
    // 256 kB of spaces inside the first tag, in members of 4 kB that gzip compresses to 40 bytes.
    do throws(GPXError) {
      _ = try GPXReader().read(ByteSource.bytes(Packed.bomb, unpackedMax: 100_000))
      Issue.record("it was read")
    } catch {
      #expect(error.text == "unpacks to more than 100000 bytes.")
    }
    // With a limit of its size, it is read to its end.
    do throws(GPXError) {
      _ = try GPXReader().read(ByteSource.bytes(Packed.bomb, unpackedMax: 1 << 20))
      Issue.record("spaces are no recording")
    } catch {
      #expect(error.text == "line 1, column 262144: the file ends inside a tag.")
    }
  }

  @Test("a compressed file is recognised by its first bytes, whatever its name")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/flotilla-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ name: String, _ bytes: [UInt8]) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    try write("a.gpx", Packed.two)
    try write("b.gpx.gz", Packed.inMembers)
    try write("c.gpx.gz", Array(Self.plain.utf8))
    let replay = smallest.replacing("mobility: commuter", with: "mobility: { gpx: '*.gpx*' }")
    try write("s.yaml", Array(replay.utf8))
    let library = ScenarioLibrary(folders: [folder])
    let scenario = try library.load("s")
    #expect(scenario.recordings.map(\.points.count) == [2, 2, 2])
    #expect(Set(scenario.recordings.map(\.digest)).count == 1)
    try write("b.gpx.gz", Packed.two.dropLast(30))
    do throws(ScenarioError) {
      _ = try library.load("s")
      Issue.record("a file that is cut off was read")
    } catch {
      #expect(error.diagnostics.count == 1)
      let text = error.description
      #expect(text.hasSuffix("\(folder)/b.gpx.gz: its gzip data end too early."), "\(text)")
    }
  }
}
