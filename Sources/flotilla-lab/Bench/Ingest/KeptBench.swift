package import Core
internal import Foundation
internal import Uploads

/// Many connections that stay open for minutes with little traffic: memory per connection, errors.
///
///     core 0: generators ──kept connections──▶ core 1: a collector for each generator
///
/// If the limit of open files is too low, several pairs run in parallel.
package struct KeptBench: Benchmark {
  package let name = "kept"
  private let executable: String
  private let connections: Int
  private let rate: Int
  private let seconds: Int
  private let pairs: Int
  /// The seconds of warm-up and cool-down, while other pairs may still connect or measure.
  private var settlingSeconds: Int { 1 + connections / 7_000 }
  private let shouldStop: () -> Bool

  /// The maximum number of connections of one pair, as in `bench ingest`.
  private static let most = 15_000
  private static let otherDescriptors = 200

  /// - Parameter pairs: The generators, each with a collector; 0 for as many as the limit of open
  ///   files requires.
  /// - Parameter rate: The uploads per second over all connections.
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

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("connections", .count(connections)), ("pacedPerSecond", .count(rate)),
      ("seconds", .count(seconds)), ("generators", .count(pairs)), ("collectors", .count(pairs)),
    ]
  }

  /// The bars; none for few connections, whose memory the growth of the process dominates.
  package var bars: [BenchBar] {
    guard connections >= 10_000 else { return [] }
    return [
      BenchBar("serverBytesPerConnection", .atMost(1_024)),
      BenchBar("clientBytesPerConnection", .atMost(1_331)),
      BenchBar("failed", .atMost(0), judged: .worst),
      BenchBar("invalid", .atMost(0), judged: .worst),
    ]
  }

  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
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
        // Ctrl-C also ends the child processes, whose errors then do not count.
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
    var figures: BenchSamples = [
      ("serverBytesPerConnection", [mean { $0.serverBytesPerConnection.median }]),
      ("clientBytesPerConnection", [mean { $0.clientBytesPerConnection.median }]),
      ("batchesPerSecond", [sum { $0.batchesPerSecond.median }]),
      ("failed", [sum { $0.failed.median + $0.shed.median }]),
    ]
    // Too few batches have no p99, so that it is unknown whether the generator was late.
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

/// A `flotilla-lab bench ingest` that runs as a process, with its collector.
private final class KeptPair {
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

    /// The p99 of responses and of the generator's lag, in microseconds.
    struct Tail {
      var response: Double
      var lag: Double

      /// Whether the lag would be valid in a run: at most 5 % of the p99 response, or 1 ms.
      var isInTime: Bool { lag <= max(1_000, response / 20) }
    }

    /// The p99 figures; nil if there were too few batches.
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

  func figures() throws(ProgramError) -> Figures {
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // Skips rows with other fields, such as the following row of the CPU probe.
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
