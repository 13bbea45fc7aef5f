@testable import Core
import Foundation
import TestSupport
import Testing

/// Beside PyPI's `hdrhistogram`, which others read their figures from.
@Suite("Histograms compared with hdrhistogram", .live, .timeLimit(.minutes(10)))
struct OtherHistogramTests {
  private static let quantiles = [0.5, 0.9, 0.99, 0.999]

  /// From a few to hundreds of latencies, from zero to an hour, spread over up to nine decades.
  private static func values(_ number: Int64) -> [Int64] {
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 9_000), number)
    let count = 1 + Int(draw.next() % 1_500)
    let decades = draw.uniform(0.1, 9.5)
    let least = draw.uniform(0, 9.5 - decades)
    return (0..<count).map { _ in
      draw.uniform() < 0.02
        ? 0 : min(Histogram.highest, Int64(exp(draw.uniform(least, least + decades) * log(10))))
    }
  }

  private static let script = """
    import sys
    from hdrh.histogram import HdrHistogram
    whole = HdrHistogram(1, 3600000000, 3)
    def print_quantiles(h):
        levels = [h.get_value_at_percentile(p) for p in (50, 90, 99, 99.9)]
        sys.stdout.write(' '.join(map(str, [h.get_total_count(), *levels])) + '\\n')
    for line in open(sys.argv[1]):
        one = HdrHistogram(1, 3600000000, 3)
        for value in line.split():
            one.record_value(int(value))
        print_quantiles(one)
        whole.add(one)
    print_quantiles(whole)
    """

  @Test(
    "percentiles of 1,000 random histograms, and of their merge, are the same",
    .needs(.pythonPackages))
  func thousand() throws {
    let all = (0..<1_000).map { Self.values($0) }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: file) }
    let lines = all.map { $0.map(String.init).joined(separator: " ") }
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let answers = file.appendingPathExtension("answers")
    defer { try? FileManager.default.removeItem(at: answers) }
    let python = try #require(Oracle.pythonPackages.path)
    let child = try Child(python, ["-c", Self.script, file.path], output: answers)
    child.wait()
    #expect(child.code == 0)
    let reported = try String(contentsOf: answers, encoding: .utf8).split(separator: "\n").map {
      $0.split(separator: " ").compactMap { Int64($0) }
    }
    try #require(reported.count == 1_001)
    var whole = Histogram()
    var compared = 0
    for (values, theirs) in zip(all, reported) {
      var one = Histogram()
      for value in values { one.record(value) }
      compared += Self.compare(one, theirs)
      whole.merge(one)
    }
    #expect(Self.compare(whole, reported[1_000]) == Self.quantiles.count)
    // The others have too few samples for p99 or p99.9, and give none.
    #expect(compared > 2_500)
  }

  /// - Returns: the number of percentiles that both have.
  private static func compare(_ ours: Histogram, _ theirs: [Int64]) -> Int {
    #expect(Int64(ours.total) == theirs[0])
    var compared = 0
    for (place, quantile) in quantiles.enumerated() {
      guard let value = ours.percentile(quantile).microseconds else { continue }
      #expect(value == theirs[place + 1], "\(quantile) of \(theirs[0])")
      compared += 1
    }
    return compared
  }
}
