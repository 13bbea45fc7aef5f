internal import Core
internal import Foundation
internal import Scenarios
internal import Wire

/// A forecast in the cache: a small JSON file with a checksum, next to the fleets.
struct KeptForecast: Codable, Equatable {
  static let suffix = ".forecast"

  var program: String
  /// The hash over the whole scenario.
  var scenario: UInt64
  /// The number of threads, since the shard size affects memory usage.
  var threads: Int
  var sample: Int
  var startPerSecond: Double
  var peakPerSecond: Double
  var bytesPerPhone: Double
  /// The CRC-32 of all of the above.
  var sum: UInt32 = 0

  /// Creates the key without its figures; nil where nothing is cached.
  init?(_ plan: RunPlan) {
    guard let cache = plan.cache, !cache.program.isEmpty else { return nil }
    program = cache.program
    scenario = plan.scenario.hash
    threads = plan.threads
    (sample, startPerSecond, peakPerSecond, bytesPerPhone) = (0, 0, 0, 0)
  }

  private var key: String { "\(program)|\(scenario)|\(threads)" }

  private var sumOfAll: UInt32 {
    let figures = [startPerSecond, peakPerSecond, bytesPerPhone].map { "\($0.bitPattern)" }
    let text = ([key, "\(sample)"] + figures).joined(separator: "|")
    return Array(text.utf8).withUnsafeBytes { Checksum.crc32($0) }
  }

  private func file(in folder: URL) -> URL {
    folder.appendingPathComponent(StableHash(of: key).digits + Self.suffix)
  }

  func read(from folder: URL) -> LoadForecast? {
    let file = file(in: folder)
    guard let data = try? Data(contentsOf: file),
      let kept = try? JSONDecoder().decode(KeptForecast.self, from: data),
      kept.key == key, kept.sum == kept.sumOfAll, kept.sample >= 0,
      [kept.startPerSecond, kept.peakPerSecond, kept.bytesPerPhone]
        .allSatisfy((0...1e12).contains)
    else { return nil }
    // The cache evicts by last use.
    utimensat(AT_FDCWD, file.path, nil, 0)
    return LoadForecast(
      sample: kept.sample, startPerSecond: kept.startPerSecond,
      peakPerSecond: kept.peakPerSecond, bytesPerPhone: kept.bytesPerPhone)
  }

  mutating func keep(_ forecast: LoadForecast, in cache: WarmStartCache) {
    sample = forecast.sample
    (startPerSecond, peakPerSecond) = (forecast.startPerSecond, forecast.peakPerSecond)
    bytesPerPhone = forecast.bytesPerPhone
    sum = sumOfAll
    guard let data = try? JSONEncoder().encode(self), (try? cache.makeFolder()) != nil else {
      return
    }
    let file = file(in: cache.folder)
    try? data.write(to: file, options: .atomic)
    cache.trim(keeping: file.lastPathComponent)
  }
}

extension LoadForecast {
  /// Forecasts the load of a plan's run, or takes it from the plan's cache.
  package init(_ plan: RunPlan) {
    var kept = KeptForecast(plan)
    if let cache = plan.cache, let found = kept?.read(from: cache.folder) {
      self = found
      return
    }
    let began = plan.wall()
    self.init(plan.scenario, threads: plan.threads)
    guard let cache = plan.cache, (plan.wall() - began).seconds >= cache.worth else { return }
    kept?.keep(self, in: cache)
  }
}
