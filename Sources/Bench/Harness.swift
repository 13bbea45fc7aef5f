package import SimulationCore
internal import Uploads

/// Something that can be done again and again, and says what it measured each time.
package protocol Benchmark {
  /// Why a round cannot be done; most can always be.
  associatedtype BenchError: Error = Never
  /// Names the benchmark in rows and tables.
  var name: String { get }
  /// Lists what distinguishes this benchmark's row from others of its name.
  var parameters: [(name: String, value: BenchRow.Parameter)] { get }
  /// What its figures are held against.
  var bars: [BenchBar] { get }
  /// One round; any number of samples a figure, in the order in which a table shows them. None at
  /// all: it was stopped half-way.
  mutating func round(
    _ clock: () -> WallInstant
  ) throws(BenchError) -> [(figure: String, samples: [Double])]
}

extension Benchmark {
  /// Returns no bars: the default of a benchmark that is only compared.
  package var bars: [BenchBar] { [] }
}

/// Does a benchmark's rounds: some to warm up, whose samples are dropped, then those that count.
/// Beside each stands the same piece of pure arithmetic: where it took longer too, the machine was
/// slower and not the program.
package struct Harness {
  /// Counts the rounds whose samples are dropped, done first; 0 or more.
  package var warmUp: Int
  /// Counts the rounds whose samples are kept; at least 1.
  package var rounds: Int
  /// The machine's monotonic clock.
  private let clock: () -> WallInstant

  /// Makes a harness that times with `clock`.
  package init(warmUp: Int, rounds: Int, clock: @escaping () -> WallInstant) {
    precondition(warmUp >= 0 && rounds > 0, "a bench needs rounds (is \(warmUp) + \(rounds))")
    self.warmUp = warmUp
    self.rounds = rounds
    self.clock = clock
  }

  /// - Parameter progress: called before every round; false stops there.
  /// - Returns: the benchmark's row and the probe's; nil: stopped before a round counted.
  package func run<Subject: Benchmark>(
    _ benchmark: inout Subject,
    progress: (_ round: Int, _ of: Int) -> Bool = { _, _ in true }
  ) throws(Subject.BenchError) -> [BenchRow]? {
    var samples: [(figure: String, samples: [Double])] = []
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
