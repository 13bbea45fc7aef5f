package import Foundation
package import Testing

/// Files in a run's folder, read without the program's own types: a reader of run.json has only its
/// keys.
package struct RunFiles {
  package let folder: URL

  package init(folder: URL) { self.folder = folder }

  package var record: RecordFile {
    get throws { try RecordFile(Data(contentsOf: folder.appendingPathComponent("run.json"))) }
  }
  package var log: String {
    get throws { try text("log.txt") }
  }
  package var store: URL { folder.appendingPathComponent("collector.sqlite") }

  /// The store is whole, and its export agrees with the run.
  package func expectExported() async throws {
    let verified = try await Program.run(["verify", store.path])
    #expect(verified.code == 0, "\(verified.text)\(verified.errorOutput)")
    let exported = try await Program.run(["export", store.path, "--format", "csv"])
    // RFC 4180 ends its lines in CR LF, which is one character here.
    let rows = exported.text.split(whereSeparator: \.isNewline).count - 1
    #expect(try rows == record.count("ledger.fixes.distinct"))
    #expect(try record.count("ledger.fixes.acknowledged") > 0)
    #expect(try record.count("ledger.fixes.rejected") == 0)
  }

  package func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }
}

package struct RecordFile {
  package let text: String
  private let json: [String: Any]

  package init(_ data: Data) throws {
    text = String(decoding: data, as: UTF8.self)
    json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// `ledger.fixes.lost`, or `slo.0.limit`.
  private func value<Value>(_ path: String) throws -> Value {
    var value: Any? = json
    for key in path.split(separator: ".") {
      if let list = value as? [Any], let place = Int(key) {
        value = list.indices.contains(place) ? list[place] : nil
      } else {
        value = (value as? [String: Any])?[String(key)]
      }
    }
    guard let value = value as? Value else { throw ToolError.noKey(path) }
    return value
  }

  package func count(_ path: String) throws -> Int { try value(path) }
  package func number(_ path: String) throws -> Double {
    let number: NSNumber = try value(path)
    return number.doubleValue
  }
  package func string(_ path: String) throws -> String { try value(path) }
  package func counts(_ path: String) throws -> [String: Int] { try value(path) }
  package func rows(_ path: String) throws -> [[String: Any]] { try value(path) }
  package var reasons: [String] {
    get throws { try value("reasons") }
  }
  package var verdict: String {
    get throws { try string("verdict") }
  }

  /// The file's lines without some of its top-level blocks: the rest must be equal byte for byte.
  package func lines(without blocks: Set<String>) -> [Substring] {
    var isSkipped = false
    return text.split(separator: "\n").filter { line in
      if line.hasPrefix("  \"") {
        isSkipped = blocks.contains(String(line.dropFirst(3).prefix { $0 != "\"" }))
      }
      return !isSkipped
    }
  }

  /// Recomputes every identity of the ledger from its numbers.
  package func expectClosedLedger(_ location: SourceLocation = #_sourceLocation) throws {
    for noun in ["fixes", "batches"] {
      let account = try counts(
        "ledger.\(noun)",
        of: [
          "generated", "carried", "filtered", "evicted", "refused", "outbox", "inFlight",
          "acknowledged", "received", "distinct", "duplicate", "rejected", "lost", "undelivered",
        ])
      func of(_ name: String) -> Int { account[name] ?? -1 }
      let placed =
        of("filtered") + of("evicted") + of("refused") + of("outbox") + of("inFlight")
        + of("acknowledged")
      #expect(of("generated") == placed, "\(noun) of phones", sourceLocation: location)
      #expect(
        of("received") == of("distinct") + of("duplicate") + of("rejected"),
        "\(noun) of the collector", sourceLocation: location)
      #expect(of("undelivered") == of("evicted") + of("refused"), sourceLocation: location)
      #expect(of("inFlight") == 0, "\(noun) after the drain", sourceLocation: location)
      for (whole, parts) in [
        ("evicted", "evictedBy"), ("refused", "refusedBy"), ("rejected", "rejectedBy"),
      ] {
        let sum = try counts("ledger.\(noun).\(parts)").values.reduce(0, +)
        #expect(of(whole) == sum, "\(noun) \(parts)", sourceLocation: location)
      }
      #expect(account.values.allSatisfy { $0 >= 0 }, sourceLocation: location)
    }
  }

  /// For a load against a target: every fix is in exactly one place.
  package func expectTargetBalance(_ location: SourceLocation = #_sourceLocation) throws {
    let fixes = "target.fixes"
    let counts = try ["stored", "failed", "unknown", "waiting", "removed"].map {
      try count("\(fixes).\($0)")
    }
    let apart = try ["refusedBy", "droppedBy"].flatMap { try self.counts("\(fixes).\($0)").values }
    #expect(
      try (counts + apart).reduce(0, +) == count("\(fixes).handed"), sourceLocation: location)
    let ledger = try ["filtered", "evicted", "refused", "outbox", "inFlight", "acknowledged"].map {
      try count("ledger.fixes.\($0)")
    }
    #expect(
      try ledger.reduce(0, +) == count("ledger.fixes.generated"), sourceLocation: location)
    #expect(
      try count("ledger.fixes.acknowledged") == count("\(fixes).stored"),
      sourceLocation: location)
  }

  /// No acknowledged fix is lost, and no stored fix was never sent.
  package func expectNothingLost(_ location: SourceLocation = #_sourceLocation) throws {
    for noun in ["fixes", "batches"] {
      #expect(try count("ledger.\(noun).lost") == 0, sourceLocation: location)
      let (held, acknowledged) = (
        try count("ledger.\(noun).distinct"), try count("ledger.\(noun).acknowledged")
      )
      #expect(held >= acknowledged, "\(noun)", sourceLocation: location)
      #expect(try held <= count("ledger.\(noun).generated"), sourceLocation: location)
    }
    #expect(try verdict != "loss", sourceLocation: location)
  }

  private func counts(_ path: String, of names: [String]) throws -> [String: Int] {
    var found: [String: Int] = [:]
    for name in names { found[name] = try count("\(path).\(name)") }
    return found
  }
}

/// Options of a short run, whose verdict does not depend on the machine's load.
package struct Trial {
  package var phones = 500
  package var speed = 120
  package var duration = "14min"
  package var seed = 7
  package var settings: [String] = []

  package init(
    phones: Int = 500, speed: Int = 120, duration: String = "14min", seed: Int = 7,
    settings: [String] = []
  ) {
    self.phones = phones
    self.speed = speed
    self.duration = duration
    self.seed = seed
    self.settings = settings
  }

  /// For a run that a test ends: it still runs however late the test is.
  package static let endless = Trial(duration: "24h")

  /// For a flow: a run of a second or two.
  package static func short(
    phones: Int = 100, duration: String = "6min", _ settings: String...
  ) -> Trial {
    Trial(
      phones: phones, speed: 240, duration: duration, settings: ["warmStart=10min"] + settings)
  }

  /// For a flow that ends its run itself.
  package static func open(phones: Int = 100, _ settings: String...) -> Trial {
    Trial(phones: phones, speed: 240, duration: "24h", settings: ["warmStart=10min"] + settings)
  }

  /// No limit for the response, nor for the generator's part in it.
  package static let patient = ["slo.responseP99=10s", "slo.undelivered=none"]

  /// Runs programs that begin their runs at one instant: again, with a later one, if they were not
  /// ready by then.
  package static func together<Server>(
    _ start: (_ instant: String) async throws -> (Server, [RunningProcess])
  ) async throws -> (Server, [Ended]) {
    var lead = 4.0
    while true {
      let instant = Date.now.addingTimeInterval(lead).formatted(.iso8601)
      let (server, programs) = try await start(instant)
      var ended: [Ended] = []
      for program in programs { ended.append(try await program.end()) }
      guard lead < 60, ended.contains(where: { $0.errorOutput.contains("run.startAt") }) else {
        return (server, ended)
      }
      lead *= 4
    }
  }

  package func options(out: URL) -> [String] {
    let all = ["warmStart=4h", "phases.ramp=2min"] + Self.patient + settings
    return [
      "city", "--phones", "\(phones)", "--speed", "\(speed)", "--duration", duration,
      "--seed", "\(seed)", "--out", out.path,
    ] + all.flatMap { ["--set", $0] }
  }
}
