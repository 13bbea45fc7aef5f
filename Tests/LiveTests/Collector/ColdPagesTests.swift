import Core
import Foundation
import TestSupport
import Testing

@testable import Collector
@testable import CollectorSupport

@Suite("Page cache of a store's file", .live, .timeLimit(.minutes(10)))
struct ColdPagesTests {
  /// A group of `count` batches of 4 KiB, or of the same with a registration before each.
  private func group(of count: Int, registering: Bool) -> CommitGroup {
    var group = CommitGroup()
    let payload = [UInt8](repeating: 7, count: 4_096)
    for n in 0..<count {
      let place = group.append(payload)
      if registering {
        group.records.append(
          .registration(
            PhoneID(rawValue: UInt32(n)), .always, tokenValid: true, at: LiveCollector.start))
      }
      group.records.append(
        .batch(
          StoredBatch(
            id: LiveCollector.id(UInt32(n), 1), receivedAt: LiveCollector.start,
            receivedAtWall: WallInstant(microseconds: 0), fixCount: 1, hash: 5, encoding: 1,
            uncompressedSize: 1), OpenStore.update(at: LiveCollector.start), payload: place))
    }
    return group
  }

  /// The part of a file in memory, according to the kernel.
  private func residentBytes(_ path: String) throws -> Int {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    let size = Int(try file.seekToEnd())
    let memory = try #require(
      mmap(nil, size, PROT_READ, MAP_SHARED, file.fileDescriptor, 0), "\(errno)")
    defer { munmap(memory, size) }
    var pages = [UInt8](repeating: 0, count: (size + 4_095) / 4_096)
    try #require(mincore(memory, size, &pages) == 0, "\(errno)")
    return pages.count { $0 & 1 == 1 } * 4_096
  }

  /// - Returns: the size of a file to which 34 MB of batches were committed, and its part in
  ///   memory.
  private func filled(registering: Bool) throws -> (size: Int, resident: Int) {
    let disk = URL(filePath: try #require(Oracle.disk.path))
    let folder = disk.appending(path: "flotilla-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "run.db").path
    var file = try StoreFile(path: path)
    for _ in 0..<34 {
      #expect(file.commit(group(of: 250, registering: registering)) == nil)
    }
    let size = try #require(
      FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    return (size, try residentBytes(path))
  }

  @Test("batches on disk leave the page cache", .needs(.disk))
  func batches() throws {
    let (size, resident) = try filled(registering: false)
    #expect(size > 30_000_000)
    #expect(resident < 8_000_000)
  }

  @Test("while phones register, all pages stay", .needs(.disk))
  func registrations() throws {
    let (size, resident) = try filled(registering: true)
    #expect(resident > size * 9 / 10)
  }
}

extension Oracle {
  /// A folder on a file system that is not in memory.
  fileprivate static let disk = Oracle(
    name: "a folder on a disk", advice: "TMPDIR, /var/tmp or the checkout has to be on one"
  ) {
    [FileManager.default.temporaryDirectory.path, "/var/tmp", Machine.root.path].first {
      !isInMemory($0 + "/") && FileManager.default.isWritableFile(atPath: $0)
    }
  }

  private static func isInMemory(_ folder: String) -> Bool {
    guard let table = try? String(contentsOfFile: "/proc/mounts", encoding: .utf8) else {
      return true
    }
    var best = (place: "", kind: "tmpfs")
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 2, words[1].count > best.place.count else { continue }
      let isAbove = words[1] == "/" || folder.hasPrefix(words[1] + "/")
      if isAbove { best = (words[1], words[2]) }
    }
    return best.kind == "tmpfs"
  }
}
