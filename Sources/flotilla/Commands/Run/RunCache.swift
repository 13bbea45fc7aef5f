internal import Foundation
internal import Run
internal import Wire

enum RunCache {
  /// Returns the cache for a value of `run.cache`. A given folder keeps short warm starts too.
  static func cache(_ word: String, _ environment: [String: String]) -> WarmStartCache? {
    switch word {
    case "off": nil
    case "standard":
      standardFolder(environment).map {
        WarmStartCache(folder: $0, program: program, now: now)
      }
    case _:
      WarmStartCache(folder: URL(fileURLWithPath: word), program: program, worth: 0, now: now)
    }
  }

  /// Returns `$XDG_CACHE_HOME/flotilla`, or else `~/.cache/flotilla`; nil without either. Relative
  /// paths are ignored (XDG Base Directory Specification 0.8).
  static func standardFolder(_ environment: [String: String]) -> URL? {
    let folders = [
      environment["XDG_CACHE_HOME"], environment["HOME"].map { $0.isEmpty ? "" : $0 + "/.cache" },
    ]
    return folders.compactMap { $0 }.first { $0.hasPrefix("/") }.map {
      URL(fileURLWithPath: $0).appendingPathComponent("flotilla")
    }
  }

  @Sendable private static func now() -> Double { Date().timeIntervalSince1970 }

  /// A hash of the build: the program file's length and every byte; empty if unreadable.
  static let program: String = {
    guard let path = Bundle.main.executablePath, let file = FileHandle(forReadingAtPath: path)
    else { return "" }
    defer { try? file.close() }
    var sums: [UInt32] = []
    var length = 0
    while let piece = try? file.read(upToCount: 1 << 20), !piece.isEmpty {
      length += piece.count
      sums.append(piece.withUnsafeBytes { Checksum.crc32($0) })
    }
    let sum = sums.withUnsafeBytes { Checksum.crc32($0) }
    return "\(String(Ranks.build, radix: 16))-\(String(sum, radix: 16))-\(length)"
  }()
}
