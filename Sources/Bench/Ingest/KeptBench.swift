internal import Coordinator
internal import Foundation
internal import Measure
package import SimulationCore

/// Connections without number that are kept for minutes, with little under way on them: what one
/// takes in memory on either side, and whether all goes well.
///
///     core 0: generators ──kept connections──▶ core 1: a collector for each generator
///
/// A process has no more connections than descriptors: where the system allows too few, there are
/// several pairs side by side, each a `flotilla bench ingest` of its own, and the row says how many.
package struct KeptBench: Benchmark {
  /// Names the benchmark in rows and tables.
  package let name = "kept"
  private let executable: String
  private let connections: Int
  private let rate: Int
  private let seconds: Int
  private let pairs: Int
  private let shouldStop: () -> Bool

  /// The most connections of a pair, as `bench ingest` has it; and descriptors beside them.
  private static let most = 15_000
  private static let otherDescriptors = 200

  /// - Parameters:
  ///   - executable: the path of the `flotilla` program.
  ///   - rate: is what is sent a second over all connections.
  ///   - seconds: the length of what is measured of a round.
  package init(
    executable: String, connections: Int, rate: Int, seconds: Int,
    shouldStop: @escaping () -> Bool
  ) {
    self.executable = executable
    self.connections = connections
    self.rate = rate
    self.seconds = seconds
    self.shouldStop = shouldStop
    ProcessTuning.raiseOpenFiles()
    let most = min(Self.most, max(1_000, ProcessTuning.openFiles - Self.otherDescriptors))
    pairs = (connections + most - 1) / most
  }

  /// Lists the connections, what is sent over them, for how long, and the processes.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("connections", .count(connections)), ("pacedPerSecond", .count(rate)),
      ("seconds", .count(seconds)), ("generators", .count(pairs)), ("collectors", .count(pairs)),
    ]
  }

  /// Returns the bars of memory a connection, and that nothing failed and every generator was in
  /// time.
  package var bars: [BenchBar] {
    [
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
          seconds: seconds))
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
    return [
      ("serverBytesPerConnection", [mean { $0.serverBytesPerConnection.median }]),
      ("clientBytesPerConnection", [mean { $0.clientBytesPerConnection.median }]),
      ("batchesPerSecond", [sum { $0.batchesPerSecond.median }]),
      ("responseP99Microseconds", [parts.map(\.responseP99Microseconds.median).max() ?? 0]),
      (
        "generatorLagP99Microseconds",
        [parts.map(\.generatorLagP99Microseconds.median).max() ?? 0]
      ),
      ("failed", [sum { $0.failed.median + $0.shed.median }]),
      ("invalid", [sum { $0.isInTime ? 0 : 1 }]),
    ]
  }
}

/// A `flotilla bench ingest` as a process of its own, with its collector.
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
    var responseP99Microseconds: Figure
    var generatorLagP99Microseconds: Figure
    var failed: Figure
    var shed: Figure

    /// As a run's validity is judged: late by a twentieth of the p99, or by a millisecond, at most.
    var isInTime: Bool {
      generatorLagP99Microseconds.median <= max(1_000, responseP99Microseconds.median / 20)
    }
  }

  /// By then all pairs have their connections: to open them is more work than to keep them.
  private static let warmUpSeconds = 15
  /// And until then none closes them, which is work as well.
  private static let coolDownSeconds = 10

  private let process = Process()
  private let output = Pipe()
  private let executable: String

  init(_ executable: String, connections: Int, rate: Int, seconds: Int) throws(ProgramError) {
    self.executable = executable
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = [
      "bench", "ingest", "--connections", "\(connections)", "--paced", "\(rate)",
      "--warm-up", "\(Self.warmUpSeconds)", "--seconds", "\(seconds)",
      "--cool-down", "\(Self.coolDownSeconds)", "--rounds", "1", "--json",
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch {
      throw .cannotStart(program: executable, why: FileErrorText.reason(error))
    }
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
      throw .failed(program: "flotilla bench ingest", status: process.terminationStatus)
    }
    return figures
  }

  func stop() {
    if process.isRunning { process.terminate() }
  }
}
