internal import Core

/// The headline figures of a running run, or of a collector, with the levels of its outlook.
package struct LiveHeadlines {
  private let snapshot: Snapshot
  private let levels: [ServiceLevelResult]

  package init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    levels = snapshot.outlook.levels
  }

  package var all: [Headline] {
    let found =
      [pace, rate, response, stored, fresh, located, answered, phones, wire].compactMap(\.self)
      + processes
    let shown = Set(found.compactMap(\.level))
    return found
      + levels.indices.filter { !shown.contains($0) }.map { index in
        Headline(
          id: levels[index].name, label: "slo", title: Headlines.title(levels[index].name),
          value: "\(levels[index].actual.map(levels[index].text) ?? "known at the end")",
          level: index)
      }
  }

  private var isCollector: Bool { snapshot.source == .collect }

  private func level(_ name: String) -> Int? { levels.firstIndex { $0.name == name } }

  private var pace: Headline? {
    snapshot.virtual.map {
      Headline(
        id: "pace", label: "pace", title: "Simulated",
        value: "\(Figure.quantity($0.eventsPerSecond)) events/s",
        note: "\(Figure.grouped($0.events)) so far")
    }
  }

  private var rate: Headline? {
    snapshot.rates.map { rates in
      let offered = rates.offered.map { "of \(Figure.quantity($0)) offered, " } ?? ""
      let failed = rates.failed > 0 ? ", \(Figure.quantity(rates.failed))/s failed" : ""
      return Headline(
        id: "throughput", label: "rate", title: "Throughput",
        value: "\(Figure.quantity(rates.acknowledged)) batches/s",
        note: "\(offered)\(Figure.quantity(rates.fixes)) fixes/s\(failed)", column: "acked_per_s")
    }
  }

  private var response: Headline? {
    guard let response = snapshot.latency?.response, response.count > 0 else { return nil }
    let failed =
      response.censored > 0 ? ", \(Figure.quantity(Double(response.censored))) failed" : ""
    return Headline(
      id: "response", label: "response", title: isCollector ? "Ingest" : "Response",
      value: "p99 \(response.text(.p99))",
      note: """
        p50 \(response.text(.p50)), \(Figure.quantity(Double(response.count))) batches so \
        far\(failed)
        """,
      level: level("responseP99"), column: "response_p99_us")
  }

  private var stored: Headline? {
    snapshot.batches.map {
      Headline(
        id: "stored-batches", label: "stored", title: "Stored",
        value: "\(Figure.grouped($0.distinct)) batches",
        note: """
          \(Figure.grouped($0.fixes)) fixes; \(Figure.grouped($0.duplicate)) duplicates, \
          \(Figure.grouped($0.rejected)) rejected
          """)
    }
  }

  private var fresh: Headline? {
    guard let freshness = snapshot.freshness, let share = freshness.reachable.share,
      let within = freshness.withinSeconds
    else { return nil }
    return Headline(
      id: "fresh", label: "fresh", title: "Fresh", value: "\(Figure.percent(share))",
      note: """
        of reachable phones’ time with a position at most \(Figure.plain(within / 60)) min old
        """,
      level: level("freshness"), column: "fresh_reachable")
  }

  private var located: Headline? {
    guard let freshness = snapshot.freshness, let share = freshness.reachable.located,
      let meters = freshness.locatedMeters
    else { return nil }
    return Headline(
      id: "located", label: "fresh", title: "Located", value: "\(Figure.percent(share))",
      note: "within \(Figure.plain(meters)) m of the true position", level: level("located"))
  }

  private var answered: Headline? {
    guard let pushes = snapshot.pushes, pushes.requested > 0 else { return nil }
    let share =
      pushes.eligible > 0
      ? Figure.percent(Double(pushes.answered) / Double(pushes.eligible)) : "none judged yet"
    return Headline(
      id: "answered", label: "pushes", title: "Pushes answered", value: "\(share)",
      note: """
        of \(Figure.grouped(pushes.eligible)) judged, \(Figure.grouped(pushes.requested)) requested; \
        \(pushes.answeredOfSilent.map(Figure.percent) ?? "at the end the share") of all silent phones
        """,
      level: level("answered"), column: "pushes_answered")
  }

  private var phones: Headline? {
    snapshot.phones.map {
      Headline(
        id: "phones", label: "phones", title: "Phones",
        value: "\(Figure.grouped($0.reachable)) reachable",
        note: """
          of \(Figure.grouped($0.installed)); \(Figure.grouped($0.moving)) moving, \
          \(Figure.grouped($0.offline)) offline, \(Figure.grouped($0.switchedOff)) off
          """)
    }
  }

  /// The connections of a collector; nil for a load, whose time line has the uploads in flight.
  private var wire: Headline? {
    guard isCollector else { return nil }
    return snapshot.wire.map {
      Headline(
        id: "connections", label: "wire", title: "Connections",
        value: "\(Figure.grouped($0.connections)) open",
        note: """
          \(Figure.grouped(snapshot.rates?.inFlight ?? 0)) uploads wait; \
          \(Figure.bytes($0.bytesUpPerSecond))/s up, \(Figure.bytes($0.bytesUp)) in total
          """,
        column: "connections")
    }
  }

  /// The generator and the collector, without the single processes that these two sum up.
  private var processes: [Headline] {
    snapshot.processes.filter { $0.name == "generator" || $0.name == "collector" }.map {
      Headline(
        id: $0.name, label: $0.name, title: $0.name == "generator" ? "Generator" : "Collector",
        value: "\($0.cores.map { "\(Figure.quantity($0)) cores" } ?? "idle")",
        note: $0.residentBytes > 0 ? "\(Figure.bytes($0.residentBytes)) memory" : nil,
        column: "\($0.name)_cores")
    }
  }
}
