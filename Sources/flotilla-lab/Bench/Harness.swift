package import Core
internal import Uploads

package typealias BenchSamples = [(figure: String, samples: [Double])]

package protocol Benchmark {
  associatedtype BenchError: Error = Never
  var name: String { get }
  var parameters: [(name: String, value: BenchRow.Parameter)] { get }
  var bars: [BenchBar] { get }
  /// Runs a round. Returns the samples of each figure, in table order, or none if stopped.
  mutating func round(_ clock: () -> WallInstant) throws(BenchError) -> BenchSamples
}

extension Benchmark {
  /// The bars: none by default, as for a benchmark that only compares.
  package var bars: [BenchBar] { [] }
}

/// Runs the rounds of a benchmark: first the warm-up rounds, whose samples are discarded, then the
/// measured rounds. A fixed calculation after each measured round shows a slower machine.
package struct Harness {
  package var warmUp: Int
  package var rounds: Int
  private let clock: () -> WallInstant

  package init(warmUp: Int, rounds: Int, clock: @escaping () -> WallInstant) {
    precondition(warmUp >= 0 && rounds > 0, "a benchmark needs rounds (got \(warmUp) + \(rounds))")
    self.warmUp = warmUp
    self.rounds = rounds
    self.clock = clock
  }

  /// - Parameter progress: Called before every round; returns false to stop.
  /// - Returns: the rows of the benchmark and of the probe; nil if no measured round finished.
  package func run<Subject: Benchmark>(
    _ benchmark: inout Subject,
    progress: (_ round: Int, _ of: Int) -> Bool = { _, _ in true }
  ) throws(Subject.BenchError) -> [BenchRow]? {
    var samples: BenchSamples = []
    var probes: [Double] = []
    for number in 1...(warmUp + rounds) {
      guard progress(number, warmUp + rounds) else { break }
      let round = try benchmark.round(clock)
      guard !round.isEmpty else { break }
      guard number > warmUp else { continue }
      probes.append(Probe.nanosecondsPerStep(clock))
      for (figure, more) in round {
        if let place = samples.firstIndex(where: { $0.figure == figure }) {
          samples[place].samples += more
        } else {
          samples.append((figure, more))
        }
      }
    }
    guard !probes.isEmpty else { return nil }
    let figures = samples.filter { !$0.samples.isEmpty }
    return [
      BenchRow(
        bench: benchmark.name,
        parameters: benchmark.parameters + [("rounds", .count(probes.count))],
        figures: figures.map { ($0.figure, BenchFigure($0.samples)) }, bars: benchmark.bars),
      BenchRow(
        bench: "cpu-probe", parameters: [("rounds", .count(probes.count))],
        figures: [("nanosecondsPerStep", BenchFigure(probes))]),
    ]
  }
}
