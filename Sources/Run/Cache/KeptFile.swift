internal import Core
internal import Foundation
internal import Wire

/// A small JSON file in the cache. The file's first line holds a checksum and the key.
struct KeptFile: Sendable {
  enum Kind: String, CaseIterable {
    case forecast, figures

    var suffix: String { ".\(rawValue)" }
  }

  private let cache: WarmStartCache
  private let key: String
  let file: URL

  /// Returns nil if nothing is cached.
  /// - Parameter parts: the inputs, besides the program, that determine the content.
  init?(_ cache: WarmStartCache?, _ kind: Kind, _ parts: [String]) {
    guard let cache, !cache.program.isEmpty else { return nil }
    self.cache = cache
    key = ([cache.program] + parts).joined(separator: "|")
    file = cache.folder.appendingPathComponent(StableHash(of: key).digits + kind.suffix)
  }

  private func head(_ body: Data) -> String {
    let sum = (Array(key.utf8) + body).withUnsafeBytes { Checksum.crc32($0) }
    return "\(String(sum, radix: 16)) \(key)"
  }

  /// Reads the content; nil if the file is missing or damaged, or has another key.
  func read<Content: Decodable>(_ type: Content.Type) -> Content? {
    guard let data = try? Data(contentsOf: file), let end = data.firstIndex(of: 0x0A) else {
      return nil
    }
    let body = data[data.index(after: end)...]
    guard Data(head(body).utf8) == data[..<end],
      let content = try? JSONDecoder().decode(type, from: body)
    else { return nil }
    // Eviction is by last use, so a read updates the file's time.
    utimensat(AT_FDCWD, file.path, nil, 0)
    return content
  }

  func keep(_ content: some Encodable) {
    guard let body = try? JSONEncoder().encode(content), (try? cache.makeFolder()) != nil else {
      return
    }
    try? (Data("\(head(body))\n".utf8) + body).write(to: file, options: .atomic)
    cache.trim(keeping: file.lastPathComponent)
  }
}
