internal import Commands
internal import Core
internal import Foundation
internal import Scenarios

/// The file from which a stopped study continues. Each point replaces the whole file.
struct RangeFile: Sendable {
  let path: String

  init(_ path: String) { self.path = path }

  /// Returns the finished part of a study, empty without a file. Throws for another study's file.
  func read(_ study: String) throws -> RangeStudy.Progress {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileOutput.check(path)
    guard let bytes = FileManager.default.contents(atPath: path) else {
      return RangeStudy.Progress(study: study)
    }
    let kept = try? JSONDecoder().decode(RangeStudy.Progress.self, from: bytes)
    guard let kept, kept.study == study else {
      throw CommandError(
        exit: .badInput,
        message: """
          \(path) is of another study: another build, other scenarios, claims, seeds or points; \
          remove it, or give another --out.
          """)
    }
    return kept
  }

  func write(_ progress: RangeStudy.Progress) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try FileOutput.write(bytes: Array(encoder.encode(progress)), to: path)
  }
}

extension RangeStudy {
  /// Returns a hash of all that the draws depend on: the program, the scenarios and profiles, what
  /// the claims observe, the seeds and the number of points. The hash does not depend on a claim's
  /// figure and error, whose corrections need no simulation.
  ///
  /// - Parameter program: the path of the executable.
  func identity(program: String) throws -> String {
    var hash = StableHash()
    hash.combine(UInt64(points))
    hash.combine(run.bench.seeds.rawValue)
    for claim in claims { hash.combine("\(claim.id) \(claim.observation.of)\n") }
    for (key, column) in columns.sorted(by: { $0.key < $1.key }) {
      hash.combine(key)
      for place in column { hash.combine(place.bitPattern) }
    }
    for folder in run.bench.library.folders {
      let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      for name in names.sorted() where name.hasSuffix(".yaml") && !name.hasPrefix("claims/") {
        hash.combine(name)
        hash.combine(bytes: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
      }
    }
    let executable = try? Data(
      contentsOf: URL(fileURLWithPath: program), options: .mappedIfSafe)
    hash.combine(bytes: executable ?? Data())
    return hash.digits
  }
}

extension StableHash {
  fileprivate mutating func combine(bytes: Data) {
    bytes.withUnsafeBytes { bytes in
      for place in stride(from: 0, to: bytes.count - 7, by: 8) {
        combine(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      }
      for byte in bytes.suffix(bytes.count % 8) { combine(UInt64(byte)) }
    }
  }
}
