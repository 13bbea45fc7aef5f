package import Core
package import Foundation
internal import Uploads

/// Many MQTT clients on one core that publish with QoS 1 to mosquitto.
///
///     core 0: generators, one client per phone ──kept connections──▶ core 1: mosquitto
///
/// If the limit of open files is too low, there are several generators and brokers.
package struct MQTTBench: Benchmark {
  package let name = "mqtt"
  private let executable: String
  private let folder: URL
  private let clients: Int
  private let rate: Double
  private let seconds: Int
  private let processes: Int
  private let isPinned: Bool
  private let shouldStop: () -> Bool

  private static let otherDescriptors = 200

  /// The path of mosquitto; nil if it is not installed.
  package static var broker: String? {
    ProgramPath.find("mosquitto")
      ?? ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// - Parameter executable: The `flotilla` program, which runs as the generators.
  /// - Parameter rate: The publishes per second of all clients together.
  package init(
    executable: String, folder: URL, clients: Int, rate: Double, seconds: Int,
    shouldStop: @escaping () -> Bool
  ) {
    self.executable = executable
    self.folder = folder
    self.clients = clients
    self.rate = rate
    self.seconds = seconds
    self.shouldStop = shouldStop
    ProcessTuning.raiseOpenFiles()
    let most = max(1_000, ProcessTuning.openFiles - Self.otherDescriptors)
    processes = (clients + most - 1) / most
    isPinned = CorePin.isPossible
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("clients", .count(clients)), ("offered", .count(Int(rate))), ("qos", .count(1)),
      ("generators", .count(processes)), ("brokers", .count(processes)),
      ("pinned", .word(isPinned ? "yes" : "no")),
    ]
  }

  package var bars: [BenchBar] {
    guard clients == 20_000 else { return [] }
    return [
      BenchBar("connectedClients", .atLeast(20_000), judged: .worst),
      BenchBar("publishesPerSecond", .atLeast(5_000)),
      BenchBar("residentMegabytes", .atMost(1_000), judged: .worst),
    ]
  }

  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    do { return try publish(clock) } catch {
      // Ctrl-C also ends the child processes, whose errors then do not count.
      if shouldStop() { return [] }
      throw error
    }
  }

  private func publish(
    _ clock: () -> WallInstant
  ) throws(ProgramError) -> BenchSamples {
    var brokers: [MQTTBenchBroker] = []
    var generators: [LineProcess] = []
    defer {
      for generator in generators { generator.stop() }
      for broker in brokers { broker.stop() }
    }
    let began = clock()
    for number in 0..<processes {
      let first = clients * number / processes
      let count = clients * (number + 1) / processes - first
      let broker = try MQTTBenchBroker(in: folder)
      brokers.append(broker)
      let part = MQTTBenchGenerator.Part(
        port: broker.port, first: first, clients: count,
        rate: rate * Double(count) / Double(clients), seconds: seconds)
      generators.append(
        try LineProcess(executable, ["bench", "mqtt", "--part", part.text], core: 0))
    }
    for generator in generators { _ = try generator.next { Int($0) } }
    let connecting = (clock() - began).seconds
    guard !shouldStop() else { return [] }
    for generator in generators { generator.write("begin") }
    var parts: [MQTTBenchGenerator.Figures] = []
    for generator in generators {
      parts.append(
        try generator.next {
          try? JSONDecoder().decode(MQTTBenchGenerator.Figures.self, from: Data($0.utf8))
        })
    }
    guard !shouldStop() else { return [] }
    return figures(of: parts, connecting: connecting)
  }

  private func figures(
    of parts: [MQTTBenchGenerator.Figures], connecting: Double
  ) -> BenchSamples {
    func sum(_ value: (MQTTBenchGenerator.Figures) -> Double) -> Double {
      parts.reduce(0) { $0 + value($1) }
    }
    let resident = sum { Double($0.residentBytes) }
    let cpu = sum { $0.cpuMicroseconds }
    return [
      ("connectedClients", [sum { Double($0.clients) }]),
      ("connectSeconds", [connecting]),
      ("publishesPerSecond", [sum { Double($0.acknowledged) / $0.seconds }]),
      ("generatorCpuMicroseconds", [cpu / max(1, sum { Double($0.acknowledged) })]),
      ("generatorCores", [sum { $0.cpuMicroseconds / 1e6 / $0.seconds }]),
      ("residentMegabytes", [resident / 1e6]),
      ("bytesPerClient", [(resident - sum { Double($0.bareBytes) }) / Double(clients)]),
      ("generatorLagP99Microseconds", [parts.map(\.lagP99Microseconds).max() ?? 0]),
      ("responseP99Microseconds", [parts.map(\.responseP99Microseconds).max() ?? 0]),
      ("failed", [sum { Double($0.failed) }]),
    ]
  }
}
