package import Core
internal import Figures
package import Foundation
internal import Transport
internal import Uploads

/// A sender at full speed against the endpoint of a run: h2load over TLS, with ten connections of
/// 100 streams each.
///
///     core 0: h2load ──HTTP/2──▶ core 1: `flotilla load`, all of its threads
///
/// Every accepted push must be in the run's record. Each round also measures the endpoint alone,
/// without TLS, and a minimal nghttp2 server if one is built.
package struct PushEndpointBench: Benchmark {
  package struct Plan: Sendable {
    package var executable: String
    package var bare: String?
    /// The number of phones, large enough that none receives ten pushes per second.
    package var phones = 100_000
    /// The measured seconds of h2load, after one second of warm-up.
    package var seconds = 3
    package var folder: URL
    /// Returns the seconds since 1970, for the sender's token.
    package var unixNow: @Sendable () -> Int64
  }

  package let name = "push-endpoint"
  private let plan: Plan
  private let wakeful = WakefulCores()
  private var port = 18_300
  private let shouldStop: () -> Bool

  /// The limit of the endpoint's memory per token.
  package static let mostBytesPerToken = 64.0
  private static let tokens = 1_000_000
  private static let topic = "org.example.bench"
  private static let body = #"{"aps":{"content-available":1}}"#

  package static var isPossible: Bool {
    FileManager.default.isExecutableFile(atPath: H2Load.path)
  }

  package init(_ plan: Plan, shouldStop: @escaping () -> Bool) {
    self.plan = plan
    self.shouldStop = shouldStop
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("phones", .count(plan.phones)), ("connections", .count(10)), ("streams", .count(100)),
      ("bare", .word(plan.bare == nil ? "not built" : "nghttp2")),
      ("pinned", .word(CorePin.isPossible ? "yes" : "no")),
    ]
  }

  package var bars: [BenchBar] {
    [
      BenchBar("pushesPerSecond", .atLeast(30_000)),
      BenchBar("bytesPerToken", .atMost(Self.mostBytesPerToken), judged: .worst),
      BenchBar("lost", .atMost(0), judged: .worst),
    ]
  }

  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    var figures: BenchSamples = []
    if let bare = plan.bare {
      figures.append(("barePerSecond", [try bareRate(bare)]))
      guard !shouldStop() else { return [] }
    }
    let alone = try alone()
    guard !shouldStop() else { return [] }
    let live = try live()
    guard !shouldStop() else { return [] }
    return figures + [
      ("alonePerSecond", [alone.rate]), ("pushesPerSecond", [live.perSecond]),
      ("cores", [live.cores]), ("refused", [Double(live.refused)]),
      ("lost", [Double(live.lost)]), ("bytesPerToken", [alone.bytesPerToken]),
    ]
  }

  // MARK: Servers

  private mutating func bareRate(_ program: String) throws(ProgramError) -> Double {
    port += 1
    let server = try ServedProcess("the nghttp2 server", program, ["-c", "-p", "\(port)"])
    defer { server.stop() }
    let length = UInt8(Self.body.utf8.count)
    let body = try file("bare.body", [0, 0, 0, 0, length] + Array(Self.body.utf8))
    let tokens = (0..<1_000).map { _ in String(repeating: "0123456789abcdef", count: 4) }
    let targets = try targets("bare.txt", tokens, at: "http://127.0.0.1:\(port)")
    // Waits for the server, which listens soon and prints nothing.
    Waiter.shared.pause(.milliseconds(100))
    return try load.run(targets: targets, body: body).perSecond
  }

  private func alone() throws(ProgramError) -> (rate: Double, bytesPerToken: Double) {
    let small = try endpoint(phones: 1, [])
    let few = small.server.metrics.residentBytes
    small.server.stop()
    let tokens = plan.folder.appendingPathComponent("few.csv").path
    let (server, address) = try endpoint(phones: plan.phones, ["--tokens-out", tokens])
    let rate: Double
    do {
      defer { server.stop() }
      let targets = try targets("few.txt", Self.tokens(in: tokens), at: address)
      let body = try file("push.body", Array(Self.body.utf8))
      rate = try load.run(targets: targets, body: body).perSecond
    }
    let large = try endpoint(phones: Self.tokens, [])
    defer { large.server.stop() }
    let many = large.server.metrics.residentBytes
    return (rate, Double(many - few) / Double(Self.tokens))
  }

  private func endpoint(
    phones: Int, _ more: [String]
  ) throws(ProgramError) -> (server: ServedProcess, address: String) {
    let server = try ServedProcess(
      "flotilla push-endpoint", plan.executable,
      [
        "push-endpoint", "--listen", "127.0.0.1:0", "--clear", "--topic", Self.topic,
        "--phones", "\(phones)", "--per-phone", "0", "--streams-at-first", "100",
      ] + more)
    let said = try server.said("listening on ")
    return (server, try Self.address(in: said, after: "listening on "))
  }

  private struct Live {
    var perSecond: Double
    var cores: Double
    var refused: Int
    /// The number of accepted pushes that are missing in the run's record.
    var lost: Int
  }

  private func live() throws(ProgramError) -> Live {
    let folder = plan.folder.appendingPathComponent("run")
    defer { try? FileManager.default.removeItem(at: folder) }
    let settings = [
      "warmStart=0s", "phases.ramp=1s", "phases.drain=1s", "push.scheduler=none",
      "pushEndpoint.topic=\(Self.topic)", "pushEndpoint.listen=127.0.0.1:0",
    ]
    let server = try ServedProcess(
      "flotilla load", plan.executable,
      [
        "load", "city", "--phones", "\(plan.phones)", "--speed", "1", "--duration", "10min",
        "--out", folder.path, "--ui", "plain",
      ] + settings.flatMap { ["--set", $0] })
    let said = try server.said(" measure ")
    let address = try Self.address(in: said, after: "push endpoint on ")
    let tokens = folder.appendingPathComponent("push-tokens.csv").path
    let targets = try targets("run.txt", Self.tokens(in: tokens), at: address)
    let body = try file("push.body", Array(Self.body.utf8))
    let before = server.metrics.cpuMicroseconds
    let figures = try load.run(targets: targets, body: body)
    let used = server.metrics.cpuMicroseconds - before
    server.stop()
    let record: RunRecord
    do throws(RunRecordError) {
      record = try RunRecord.read(from: folder.appendingPathComponent("run.json"))
    } catch {
      throw .unreadable(error)
    }
    let accepted = try Self.accepted(
      inLog: folder.appendingPathComponent("log.txt").path)
    return Live(
      perSecond: figures.perSecond, cores: Double(used) / 1e6 / Double(plan.seconds + 1),
      refused: figures.failed, lost: abs(accepted - record.wake.requested))
  }

  // MARK: Files of the sender

  private var load: H2Load {
    var load = H2Load(seconds: plan.seconds)
    load.fields = [
      "authorization: bearer \(token)", "apns-topic: \(Self.topic)",
      "apns-push-type: background", "apns-priority: 5",
    ]
    return load
  }

  private var token: String {
    func part(_ data: Data) -> String {
      data.base64EncodedString().replacingOccurrences(of: "=", with: "")
    }
    let claims = #"{"iss":"TEAM000001","iat":\#(plan.unixNow())}"#
    return [
      Data(#"{"alg":"ES256","kid":"KEY0000001"}"#.utf8), Data(claims.utf8), Data(count: 64),
    ].map(part).joined(separator: ".")
  }

  private func targets(
    _ name: String, _ tokens: [Substring], at address: String
  ) throws(ProgramError) -> String {
    try file(
      name,
      Array(tokens.map { "\(address)/3/device/\($0)" }.joined(separator: "\n").utf8))
  }

  private func targets(
    _ name: String, _ tokens: [String], at address: String
  ) throws(ProgramError) -> String {
    try targets(name, tokens.map { $0[...] }, at: address)
  }

  private func file(_ name: String, _ bytes: [UInt8]) throws(ProgramError) -> String {
    let place = plan.folder.appendingPathComponent(name)
    do { try Data(bytes).write(to: place) } catch {
      throw .cannotStart(program: place.path, why: FileErrorText.reason(error))
    }
    return place.path
  }

  private static func tokens(in path: String) throws(ProgramError) -> [Substring] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw .wrongAnswer(program: path)
    }
    return text.split(separator: "\n").dropFirst().compactMap {
      $0.split(separator: ",").last
    }
  }

  private static func address(in text: String, after words: String) throws(ProgramError) -> String {
    guard let place = text.range(of: words) else { throw .wrongAnswer(program: words) }
    return String(text[place.upperBound...].prefix { !$0.isWhitespace })
  }

  /// Parses "your sender: 201,810 pushes, 201,259 accepted, …".
  private static func accepted(inLog path: String) throws(ProgramError) -> Int {
    guard let log = try? String(contentsOfFile: path, encoding: .utf8),
      let line = log.split(separator: "\n").first(where: { $0.contains(" pushes, ") }),
      let word = line.split(separator: " ").split(separator: "accepted,").first?.last,
      let count = Int(word.filter { $0 != "," })
    else { throw .wrongAnswer(program: path) }
    return count
  }
}
