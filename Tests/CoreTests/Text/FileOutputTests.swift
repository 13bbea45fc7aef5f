import Foundation
import TestSupport
import Testing
@testable import Core

@Suite("Output files named by users", .quick)
struct FileOutputTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-output-\(UUID().uuidString)")
    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: url) }
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
    func text(_ name: String) -> String? {
      FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }
    func mode(_ name: String) -> mode_t {
      var facts = stat()
      return lstat(path(name), &facts) == 0 ? facts.st_mode : 0
    }
  }

  @Test("a new or old file is replaced whole; a private one is readable by its owner alone")
  func regular() throws {
    let folder = try Folder()
    try FileOutput.write("one", to: folder.path("a"))
    #expect(folder.text("a") == "one")
    chmod(folder.path("a"), 0o640)
    try FileOutput.write("two", to: folder.path("a"))
    #expect(folder.text("a") == "two" && folder.mode("a") & 0o777 == 0o640)
    try FileOutput.write("key", to: folder.path("new.key"), for: .owner)
    try FileOutput.write("key", to: folder.path("a"), for: .owner)
    #expect(folder.mode("new.key") & 0o777 == 0o600 && folder.mode("a") & 0o777 == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
  }

  @Test("a symbolic link is kept and its target written, even if the target is missing")
  func link() throws {
    let folder = try Folder()
    try FileOutput.write("old", to: folder.path("file"))
    for (link, file) in [("link", "file"), ("dangling", "later")] {
      symlink(file, folder.path(link))
      try FileOutput.write("new", to: folder.path(link))
      #expect(folder.mode(link) & S_IFMT == S_IFLNK && folder.text(file) == "new")
    }
  }

  @Test("a FIFO stays a FIFO, and its reader receives the text")
  func fifo() async throws {
    let folder = try Folder()
    let path = folder.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    // Both ends at once, so that neither waits for the other.
    let reader = open(path, O_RDWR)
    defer { close(reader) }
    try FileOutput.write("through", to: path, for: .owner)
    FileOutput.append(" and more", to: path)
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(reader, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "through and more")
    #expect(folder.mode("pipe") & S_IFMT == S_IFIFO)
  }

  @Test("appending a row does not wait for a reader that has gone")
  func readerGone() throws {
    let folder = try Folder()
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    FileOutput.append("row", to: folder.path("pipe"))
    FileOutput.append("row", to: folder.path("nothing"))
    #expect(folder.text("nothing") == nil)
  }

  @Test("an open descriptor is written by its name, after its present content")
  func descriptors() throws {
    let folder = try Folder()
    let file = open(folder.path("out"), O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    _ = write(file, "first ", 6)
    try FileOutput.write("second", to: "/dev/fd/\(file)")
    FileOutput.append(" third", to: "/proc/self/fd/\(file)")
    #expect(folder.text("out") == "first second third")
    #expect(throws: FileOutput.WriteError.self) { try FileOutput.write("x", to: "/dev/fd/99999") }
  }

  @Test("a device stays a device")
  func device() throws {
    let folder = try Folder()
    // As /dev/null; only root may make one, if the file system allows it.
    guard mknod(folder.path("null"), S_IFCHR | 0o666, 1 << 8 | 3) == 0 else { return }
    try FileOutput.write("gone", to: folder.path("null"), for: .owner)
    #expect(folder.mode("null") & S_IFMT == S_IFCHR)
  }

  @Test("a write error is reported with the system's reason, before and during the write")
  func refused() throws {
    let folder = try Folder()
    for (path, reason) in [
      (folder.url.path, "Is a directory"), (folder.path("no/file"), "No such file or directory"),
    ] {
      let wanted = "\(path): cannot be written (\(reason))"
      do throws(FileOutput.WriteError) {
        try FileOutput.check(path)
        Issue.record("\(path) can be written")
      } catch {
        #expect(error.description == wanted)
      }
      do throws(FileOutput.WriteError) {
        try FileOutput.write("x", to: path)
        Issue.record("\(path) was written")
      } catch {
        #expect(error.description == wanted)
      }
    }
    try FileOutput.check(folder.path("new"))
    #expect(folder.text("new") == nil)
  }
}
