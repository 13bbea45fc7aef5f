internal import Foundation
internal import Run
internal import Scenarios
internal import Wire

enum RunCache: Equatable {
  case standard
  /// In this folder, however short the warm start is.
  case folder(String)
  case off

  init(_ word: String) { self = word == "off" ? .off : .folder(word) }

  /// Nil for no cache.
  var cache: WarmStartCache? {
    switch self {
    case .off: nil
    case .folder(let path):
      WarmStartCache(
        folder: URL(fileURLWithPath: path), program: Self.program, worth: 0, now: Self.now)
    case .standard:
      Self.standardFolder(ProcessInfo.processInfo.environment).map {
        WarmStartCache(folder: $0, program: Self.program, now: Self.now)
      }
    }
  }

  /// `$XDG_CACHE_HOME/flotilla`, else `~/.cache/flotilla`; nil without either. Relative paths are
  /// ignored (XDG Base Directory Specification 0.8).
  static func standardFolder(_ environment: [String: String]) -> URL? {
    let folders = [
      environment["XDG_CACHE_HOME"], environment["HOME"].map { $0.isEmpty ? "" : $0 + "/.cache" },
    ]
    return folders.compactMap { $0 }.first { $0.hasPrefix("/") }.map {
      URL(fileURLWithPath: $0).appendingPathComponent("flotilla")
    }
  }

  @Sendable private static func now() -> Double { Date().timeIntervalSince1970 }

  /// Identifies the build by its length and every byte of it; empty if its file cannot be read.
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
