internal import Foundation
internal import TestSupport
internal import Testing
@testable internal import Core

@Suite("Text files from users", .quick)
struct InputFileTests {
  private func text(_ bytes: [UInt8], most: Int = 100) throws -> String {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    return try InputFile(file.path, bytesMax: most, isRegular: true).text()
  }

  @Test(
    "a byte order mark is not part of a text, and every line end becomes LF",
    arguments: ["a\nb\n", "\u{FEFF}a\nb\n", "a\r\nb\r\n", "a\rb\r", "\u{FEFF}a\r\nb\r"])
  func sameText(written: String) throws {
    #expect(try text(Array(written.utf8)) == "a\nb\n")
  }

  @Test("a mark within a text is kept, and so are blank lines")
  func rest() throws {
    #expect(try text(Array("a\u{FEFF}\r\n\r\n\r\rb".utf8)) == "a\u{FEFF}\n\n\n\nb")
    #expect(PlainText.repaired([0xEF, 0xBB, 0xBF, 0x61, 0xE9, 0x0D]) == "a\u{FFFD}\n")
  }

  @Test("a missing file, a folder, invalid UTF-8 or too long a text is refused with its reason")
  func refused() throws {
    #expect(throws: InputFileError.notText("is not UTF-8 text.")) { try text([0x61, 0xE4]) }
    #expect(throws: InputFileError.notText("is UTF-16 text; save it as UTF-8.")) {
      try text([0xFF, 0xFE, 0x61, 0])
    }
    #expect(throws: InputFileError.tooLarge(bytes: 3, most: 2)) { try text([97, 98, 99], most: 2) }
    #expect(throws: InputFileError.notRegular) {
      try InputFile("/", bytesMax: 1, isRegular: true)
    }
    #expect(throws: InputFileError.cannotRead("Is a directory")) {
      try InputFile("/", bytesMax: 1, isRegular: false).text()
    }
    #expect(throws: InputFileError.cannotOpen("No such file or directory")) {
      try InputFile("/no/such/file", bytesMax: 1, isRegular: true)
    }
  }

  @Test("a file that reports size 0, as in /proc, is read to its end")
  func unsized() throws {
    guard FileManager.default.fileExists(atPath: "/proc/self/status") else { return }
    let text = try InputFile("/proc/self/status", bytesMax: 1 << 16, isRegular: true).text()
    #expect(text.contains("Name:"))
    #expect(throws: InputFileError.tooLarge(bytes: nil, most: 10)) {
      try InputFile("/proc/self/status", bytesMax: 10, isRegular: true).text()
    }
  }
}
