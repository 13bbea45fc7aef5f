internal import Core
internal import Figures

/// The first screen of a run's report, on which every number is cited by its key in `run.json`.
struct FirstScreen {
  @Boxed private var record: RunRecord
  private let facts: Facts
  private let headlines: Headlines
  private let timeline: Timeline

  init(_ record: RunRecord, _ timeline: Timeline = Timeline()) {
    self.record = record
    self.timeline = timeline
    facts = Facts(record)
    headlines = Headlines(record, facts)
  }

  var html: HTML {
    var head = PageHead(record, facts, verdict, headlines.all.map(tile))
    head.setting = setting.isEmpty ? nil : setting.joined(" ")
    return head.html(record.scenario.name)
  }

  /// Sentences about matters that the tiles do not show.
  var words: HTML? {
    let rows: [HTML] = [
      ("Stale time", [causes, distorted]), ("Pushes", pushes),
      ("This machine", headlines.isLive ? [written, cost] : []),
    ].compactMap { title, sentences in
      let said = sentences.compactMap(\.self)
      guard !said.isEmpty else { return nil }
      return "<dt>\(HTML.text(title))</dt>\n<dd>\(said.joined(" "))</dd>\n"
    }
    guard !rows.isEmpty else { return nil }
    return """
      <section id="words">
      <h2>In words</h2>
      <dl class="answers">
      \(rows)</dl>
      </section>

      """
  }

  // MARK: Verdict

  /// The verdict in words; nil if the badge says it all.
  private var verdict: String? {
    switch record.verdict {
    case .loss: "Acknowledged data is missing, or a ledger does not balance:"
    case .invalid:
      switch record.limit {
      case .generator: "The generator, not the collector, was the limit; do not use these figures:"
      case .others: "Other processes used the CPU; do not use these figures:"
      case .collector: "The collector ran out of file descriptors; do not use these figures:"
      }
    case .interrupted: "The run ended before its measured time was complete:"
    case .notVerified: "The run is valid, but storage of acknowledged data is not verified:"
    case .sloMissed: "The run is valid and missed an SLO:"
    case .pass: nil
    }
  }

  private func tile(_ headline: Headline) -> Tile {
    let level = headline.level.flatMap { index in
      headlines.limit(index).map { limit in
        let judged = record.judged(record.slo[index])
        return Tile.Level(
          text: "SLO \(limit.html(facts))", word: judged.rawValue, isMet: judged.isMet)
      }
    }
    return Tile(
      id: headline.id, title: headline.title, value: headline.value.html(facts), level: level,
      interval: headline.interval.map { interval in
        "\(interval.html(facts))\(headline.isOfModel ? " by the model" : "")"
      }, note: headline.note?.html(facts),
      curve: headline.column.flatMap { TileCurve.html(timeline[$0]) })
  }

  // MARK: Stale time

  private var distorted: HTML? {
    record.freshness.distorted
      ? "The speed distorts freshness: see the reasons above." : nil
  }

  private var causes: HTML? {
    guard let sum = facts.cite("stale", .sum) else { return nil }
    let ranked = record.stale.ranked
    guard !ranked.isEmpty else { return "No phone was stale at any time." }
    let parts: [HTML] = ranked.compactMap { cause, _ in
      facts.cite("stale.\(cause)", .shareOfAll).map { "\($0) \(StaleCause.words(cause))" }
    }
    return "Phones were stale for \(sum) phone-minutes in total: \(parts.listed)."
  }

  // MARK: Pushes

  private var pushes: [HTML?] {
    guard record.wake.requested > 0 else {
      return record.wake.withinSeconds == nil ? [] : ["No silent push was requested."]
    }
    return [judged, uplift, allSilent]
  }

  private var judged: HTML? {
    guard let eligible = facts.cite("wake.eligible", .count),
      let within = facts.cite("wake.withinSeconds", .minutes)
    else { return nil }
    return """
      \(eligible) pushes are judged: they were requested at least \(within) before the end, of \
      phones whose policy answers pushes. A push is answered if a new position arrives within \
      \(within).
      """
  }

  private var uplift: HTML? {
    guard let points = facts.cite("wake.uplift.value", .points) else { return nil }
    let without: HTML? = facts.cite("wake.answeredWithout.value", .percent).map {
      record.wake.upliftMethod == .holdout
        ? "Of the phones whose push was withheld, \($0) reported by themselves in that time. "
        : "Without the push, \($0) of these phones report by themselves in that time. "
    }
    let method: HTML =
      switch record.wake.upliftMethod {
      case .paired?: ", measured by simulating each push twice, with and without it"
      case .holdout?: ", measured against pushes withheld at random"
      case nil: ""
      }
    return """
      \(without ?? "")The push adds \(points) percentage points (uplift)\(method).
      """
  }

  private var allSilent: HTML? {
    guard let caused = facts.cite("wake.allSilent.caused.value", .percent),
      let occasions = facts.cite("wake.allSilent.occasions", .count)
    else { return nil }
    return """
      Phones, including those that no push can reach, went silent \(occasions) times; \
      \(caused) of these silences ended because of a push.
      """
  }

  // MARK: The machine

  /// Phrases about what ran and where it ran.
  private var setting: [HTML] {
    guard let phones = facts.cite("scenario.phones", .count) else { return [] }
    guard headlines.isLive else {
      return [
        """
        \(phones) phones were simulated offline: no sockets, an ideal network, the server’s logic \
        in process. The run measures phones and pushes, not latency, throughput or the collector.
        """
      ]
    }
    let scale: HTML? =
      record.scenario.speed == 1
      ? "\(phones) phones ran in real time."
      : facts.cite("scenario.speed", .quantity).flatMap { speed in
        facts.cite("scenario.phones", .atSpeed).map { rate in
          """
          \(phones) phones at \(speed) × speed produce the request rate of \(rate) phones, with \
          the connections and memory of \(phones).
          """
        }
      }
    return [scale, whereabouts].compactMap(\.self)
  }

  /// The encoding of the batches, on which their size depends.
  private var written: HTML? {
    guard let bytes = facts.cite("traffic.bytesPerFix", .quantity) else { return nil }
    if let target = record.target {
      guard let upload = target.upload else { return nil }
      return "An upload is a \(upload): \(bytes) bytes for each fix, headers included."
    }
    let words: String? =
      switch record.scenario.encoding {
      case "packed": "packed columns, the smallest encoding here"
      case "columns" where record.scenario.dictionary != nil: "columns, zstd with a dictionary"
      case "columns": "columns, zstd"
      case "rows": "rows, one protobuf message for each fix"
      case "rows-gzip": "rows, gzip, as most backends use"
      case "rows-zstd": "rows, zstd"
      case _: nil
      }
    return words.map { words -> HTML in
      "Encoding of batches: \(HTML.text(words)); \(bytes) bytes for each fix, frames included."
    }
  }

  private var whereabouts: HTML {
    let isLoopback = record.machine.collectorAddress.map {
      $0.hasPrefix("127.") || $0.hasPrefix("localhost:") || $0.hasPrefix("[::1]:")
    }
    let isSecured = record[.handshakesFull] != nil
    let tls: HTML = isSecured ? "with TLS" : "without TLS"
    if let target = record.target {
      return "The target was your backend at \(target.address), reached \(tls)."
    }
    guard record.machine.collectorIsOurs == false else {
      let missing: HTML = isSecured ? "a radio network" : "a radio network, TLS"
      return """
        The target was Flotilla’s collector on this machine, over loopback \(tls); the figures do \
        not include \(missing) or your backend.
        """
    }
    let way: HTML = isLoopback == true ? "over loopback" : "over the network"
    return "The target was a running collector, \(way) \(tls)."
  }

  private var cost: HTML? {
    // Several generators may run on other machines, and the section on cost has a row for each.
    guard record.machine.generators == nil else { return nil }
    let parts: [HTML] = ["generator", "collector"].compactMap { name in
      guard let cores = facts.cite("machine.processes.\(name).coresUsed", .quantity),
        let peak = facts.cite("machine.processes.\(name).peakResidentBytes", .bytes)
      else { return nil }
      return "\(name) \(cores) cores and \(peak)"
    }
    guard !parts.isEmpty, let cores = facts.cite("machine.cores", .count) else { return nil }
    return "CPU and peak memory: \(parts.listed), on a machine with \(cores) cores."
  }
}
