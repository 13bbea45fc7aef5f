internal import Figures
internal import Foundation
package import SimulationCore
internal import Uploads

/// Connections without number that are kept for minutes, with little under way on them: what one
/// takes in memory on either side, and whether all goes well.
///
///     core 0: generators ──kept connections──▶ core 1: a collector for each generator
///
/// A process has no more connections than descriptors: where the system allows too few, there are
/// several pairs side by side, each a `flotilla-lab bench ingest` of its own; the row says how
/// many.
package struct KeptBench: Benchmark {
  /// Names the benchmark in rows and tables.
  package let name = "kept"
  private let executable: String
  private let connections: Int
  private let rate: Int
  private let seconds: Int
  private let pairs: Int
  /// By then all pairs have their connections, or have measured: to open and to close them is more
  /// work than to keep them.
  private var settlingSeconds: Int { 1 + connections / 7_000 }
  private let shouldStop: () -> Bool

  /// The most connections of a pair, as `bench ingest` has it; and descriptors beside them.
  private static let most = 15_000
  private static let otherDescriptors = 200

  /// - Parameters:
  ///   - executable: the path of the `flotilla` program.
  ///   - pairs: generators, each with a collector; 0: as many as their descriptors ask for.
  ///   - rate: is what is sent a second over all connections.
  ///   - seconds: the length of what is measured of a round.
  package init(
    executable: String, connections: Int, pairs: Int = 0, rate: Int, seconds: Int,
    shouldStop: @escaping () -> Bool
  ) {
    self.executable = executable
    self.connections = connections
    self.rate = rate
    self.seconds = seconds
    self.shouldStop = shouldStop
    ProcessTuning.raiseOpenFiles()
    let most = min(Self.most, max(1_000, ProcessTuning.openFiles - Self.otherDescriptors))
    self.pairs = pairs > 0 ? pairs : (connections + most - 1) / most
  }

  /// The connections, what is sent over them, for how long, and the processes.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("connections", .count(connections)), ("pacedPerSecond", .count(rate)),
      ("seconds", .count(seconds)), ("generators", .count(pairs)), ("collectors", .count(pairs)),
    ]
  }

  /// Returns the bars of memory a connection, and that nothing failed and every generator was in
  /// time; there are none for few connections, where a process's own growth counts.
  package var bars: [BenchBar] {
    guard connections >= 10_000 else { return [] }
    return [
      BenchBar("serverBytesPerConnection", .atMost(1_024)),
      BenchBar("clientBytesPerConnection", .atMost(1_331)),
      BenchBar("failed", .atMost(0), judged: .worst),
      BenchBar("invalid", .atMost(0), judged: .worst),
    ]
  }

  /// Runs all pairs side by side once, and adds up what they measured.
  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(ProgramError) -> [(figure: String, samples: [Double])] {
    var running: [KeptPair] = []
    defer { for pair in running { pair.stop() } }
    for number in 0..<pairs {
      func part(_ whole: Int) -> Int {
        whole * (number + 1) / pairs - whole * number / pairs
      }
      running.append(
        try KeptPair(
          executable, connections: part(connections), rate: max(1, part(rate)),
          seconds: seconds, settlingSeconds: settlingSeconds))
    }
    var parts: [KeptPair.Figures] = []
    for pair in running {
      do { parts.append(try pair.figures()) } catch {
        // Ctrl-C ends the other processes, too.
        if shouldStop() { return [] }
        throw error
      }
    }
    guard !shouldStop() else { return [] }
    func sum(_ value: (KeptPair.Figures) -> Double) -> Double {
      parts.reduce(0) { $0 + value($1) }
    }
    func mean(_ value: (KeptPair.Figures) -> Double) -> Double {
      sum { value($0) * Double($0.connections) } / Double(connections)
    }
    var figures: [(figure: String, samples: [Double])] = [
      ("serverBytesPerConnection", [mean { $0.serverBytesPerConnection.median }]),
      ("clientBytesPerConnection", [mean { $0.clientBytesPerConnection.median }]),
      ("batchesPerSecond", [sum { $0.batchesPerSecond.median }]),
      ("failed", [sum { $0.failed.median + $0.shed.median }]),
    ]
    // Too few batches have no p99, and then nobody knows whether their generator was in time.
    let tails = parts.compactMap(\.tail)
    guard tails.count == parts.count else { return figures }
    figures += [
      ("responseP99Microseconds", [tails.map(\.response).max() ?? 0]),
      ("generatorLagP99Microseconds", [tails.map(\.lag).max() ?? 0]),
      ("invalid", [Double(tails.count { !$0.isInTime })]),
    ]
    return figures
  }
}

/// A `flotilla-lab bench ingest` as a process of its own, with its collector.
private final class KeptPair {
  /// What its row says.
  struct Figures: Decodable {
    struct Figure: Decodable {
      var median: Double
    }
    var connections: Int
    var serverBytesPerConnection: Figure
    var clientBytesPerConnection: Figure
    var batchesPerSecond: Figure
    var responseP99Microseconds: Figure?
    var generatorLagP99Microseconds: Figure?
    var failed: Figure
    var shed: Figure

    /// The p99 of responses and of the generator's lateness, in microseconds.
    struct Tail {
      var response: Double
      var lag: Double

      /// As a run's validity is judged: late by a twentieth of the p99, or by a millisecond, at
      /// most.
      var isInTime: Bool { lag <= max(1_000, response / 20) }
    }

    /// nil: there were too few batches for it.
    var tail: Tail? {
      guard let response = responseP99Microseconds, let lag = generatorLagP99Microseconds else {
        return nil
      }
      return Tail(response: response.median, lag: lag.median)
    }
  }

  private let process: Process
  private let output = Pipe()

  init(
    _ executable: String, connections: Int, rate: Int, seconds: Int, settlingSeconds: Int
  ) throws(ProgramError) {
    process = try .started(
      executable,
      [
        "bench", "ingest", "--connections", "\(connections)", "--paced", "\(rate)",
        "--warm-up", "\(settlingSeconds)", "--seconds", "\(seconds)",
        "--cool-down", "\(settlingSeconds)", "--rounds", "1", "--json",
      ], output: output)
    try? output.fileHandleForWriting.close()
  }

  /// Waits for the row.
  func figures() throws(ProgramError) -> Figures {
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // The row of the processor's own speed, which follows, has other fields.
    struct Row: Decodable {
      var figures: Figures?
      init(from decoder: any Decoder) { figures = try? Figures(from: decoder) }
    }
    guard process.terminationStatus == 0,
      let rows = try? JSONDecoder().decode([Row].self, from: data),
      let figures = rows.lazy.compactMap(\.figures).first
    else {
      throw .failed(program: "flotilla-lab bench ingest", status: process.terminationStatus)
    }
    return figures
  }

  func stop() {
    if process.isRunning { process.terminate() }
  }
}
