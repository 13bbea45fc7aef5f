internal import Capacity
internal import Core

enum FitWords {
  static func title(_ record: FitRecord) -> String {
    record.fitted == nil
      ? "\(record.name): log" : "\(record.name): fleet fitted to a log"
  }

  static func log(_ record: FitRecord) -> String {
    let log = record.log
    let files = log.files.count == 1 ? "" : " in \(log.files.count) files"
    let from = log.from.replacing("T", with: " ")
    return """
      \(Figure.grouped(log.fixes)) \(log.fixes == 1 ? "fix" : "fixes") of \
      \(Figure.grouped(log.phones)) \
      \(log.phones == 1 ? "phone" : "phones")\(files), \(time(log.seconds)) from \
      \(from.prefix(16)) (UTC\(log.utcOffset)).
      """
  }

  static func rows(_ record: FitRecord) -> String? {
    let counts = record.log.counts
    let counted = [
      (counts.skipped, "unreadable lines skipped"),
      (counts.duplicates, "duplicates (same phone and fix time) skipped"),
      (counts.outOfOrder, "rows out of order"),
      (counts.receivedEarly, "received before the time of the fix (clock skew)"),
    ].filter { $0.0 > 0 }.map { "\(Figure.grouped($0.0)) \($0.1)" }
    let parts = counted + (record.log.notes ?? [])
    return parts.isEmpty ? nil : "Rows: \(parts.joined(separator: "; "))."
  }

  static func described(_ record: FitRecord) -> String? {
    var parts: [String] = []
    if let sources = record.log.sources {
      parts.append(
        """
        Sources, estimated from the accuracy: \(Figure.percent(sources.satellites)) GPS (below \
        \(Figure.plain(SourceMix.wifiFrom)) m), \(Figure.percent(sources.wifi)) Wi-Fi, \
        \(Figure.percent(sources.cell)) cell (\(Figure.plain(SourceMix.cellFrom)) m and more).
        """)
    }
    if let battery = record.log.batteryPerHour {
      parts.append("Battery: −\(Figure.quantity(battery)) % per hour (not fitted).")
    }
    if !record.log.versions.isEmpty {
      let most = record.log.versions.prefix(5).map {
        "\($0.name) (\(Figure.grouped($0.phones)))"
      }.joined(separator: ", ")
      let more = record.log.versions.count > 5 ? " and more" : ""
      parts.append("App versions by number of phones: \(most)\(more).")
    }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  static func halves(_ record: FitRecord) -> String {
    let log = record.log
    guard log.heldPhones > 0 else {
      return "The log has one phone: the fit cannot be checked against held-out phones."
    }
    return """
      Fitted to \(Figure.grouped(log.fittedPhones)) phones, checked against \
      \(Figure.grouped(log.heldPhones)) held-out phones, split by the hash of a phone’s name.
      """
  }

  /// Returns words about the fitted policy; nil if nothing was fitted.
  static func policy(_ record: FitRecord) -> String? {
    guard let fitted = record.fitted else { return nil }
    let service =
      switch fitted.service {
      case .continuous: "the standard service all the time"
      case .moving: "the standard service while the phone moves"
      case .bursts: "a burst of the standard service with each wake"
      case .wakes: "significant changes, visits and a region only"
      }
    let keeps: String
    switch (fitted.seconds > 1.5 && fitted.seconds < 86_400, fitted.meters) {
    case (true, let meters?):
      keeps = "a fix every \(time(fitted.seconds)) or \(Figure.quantity(meters)) m"
    case (true, nil): keeps = "a fix every \(time(fitted.seconds))"
    case (false, let meters?): keeps = "a fix every \(Figure.quantity(meters)) m"
    case (false, nil): keeps = "every fix"
    }
    let sends =
      fitted.sendSeconds == 0 ? "sends at once" : "sends every \(time(fitted.sendSeconds))"
    return """
      Best of \(record.trials.count) simulated policies: \(service); keeps \(keeps), \(sends), at \
      most \(Figure.grouped(fitted.maxFixes)) \(fitted.maxFixes == 1 ? "fix" : "fixes") per batch; \
      \(Figure.percent(fitted.offline)) of the time offline, \
      \(Figure.percent(fitted.switchedOff)) switched off.
      """
  }

  // MARK: Ranges

  static func ranges(_ ranges: FitRanges, _ fitted: FitCandidate) -> Table {
    Table(
      ranges.values,
      [
        "fitted value": { name($0.key) }, "fit": { text(fitted.value(of: $0.key) ?? 0, $0.key) },
        "90 % range": {
          $0.isDetermined
            ? "\(text($0.low, $0.key)) – \(text($0.high, $0.key))" : "not determined"
        },
        "tried": { "\(text($0.triedLow, $0.key)) – \(text($0.triedHigh, $0.key))" },
      ])
  }

  static func note(_ ranges: FitRanges) -> String {
    let what = ranges.values.isEmpty ? "No policy near the fit is plausible" : "90 % ranges"
    let unmet = ranges.unmet.map(\.name).joined(separator: ", ")
    return """
      \(what): history matching of \(ranges.policies) simulated policies with the log.\
      \(unmet.isEmpty ? "" : " No simulated policy comes near the log’s \(unmet).")
      """
  }

  private static func name(_ key: FitRanges.Key) -> String {
    switch key {
    case .seconds: "interval between fixes"
    case .meters: "distance between fixes"
    case .sendSeconds: "time between batches"
    case .offline: "time offline"
    case .switchedOff: "time switched off"
    }
  }

  private static func text(_ value: Double, _ key: FitRanges.Key) -> String {
    switch key {
    case .seconds, .sendSeconds: time(value)
    case .meters: "\(Figure.quantity(value)) m"
    case .offline, .switchedOff: Figure.percent(value)
    }
  }

  // MARK: The table

  static func table(_ record: FitRecord) -> Table {
    let isSimulated = record.fitted != nil
    let isHeld = record.log.heldPhones > 0
    var head = ["figure", "values", "log p10", "p50", "p90"]
    if isSimulated { head += ["simulated p10", "p50", "p90"] }
    if isSimulated { head.append(isHeld ? "distance" : "own distance") }
    if isHeld { head.append("halves") }
    return Table(
      head: head,
      rows: record.figures.filter { $0.log != nil }.map { figure in
        var row = [figure.figure.name, Figure.grouped(figure.log?.count ?? 0)]
        row += quantiles(figure.log, figure.figure)
        if isSimulated {
          row += quantiles(figure.simulated, figure.figure)
          row.append(distance(isHeld ? figure.heldDistance : figure.fittedDistance, figure.measure))
        }
        if isHeld { row.append(distance(figure.floor, figure.measure)) }
        return row
      })
  }

  static func trials(_ record: FitRecord) -> Table {
    Table(
      record.trials,
      [
        "service": { $0.candidate.service.rawValue }, "every": { time($0.candidate.seconds) },
        "or": { $0.candidate.meters.map { "\(Figure.quantity($0)) m" } },
        "accuracy": { $0.candidate.accuracy.rawValue },
        "sends": { time($0.candidate.sendSeconds) },
        "batch": { Figure.grouped($0.candidate.maxFixes) },
        "offline": { Figure.percent($0.candidate.offline) },
        "off": { Figure.percent($0.candidate.switchedOff) },
        "distance": { Figure.plain($0.loss) },
      ])
  }

  static func missing(_ record: FitRecord) -> [String] {
    record.figures.compactMap { figure in
      figure.missing.map {
        "No \(figure.log == nil ? "" : "distance of the ")\(figure.figure.name): \($0)."
      }
    }
  }

  static let note = """
    Distance: between the held-out half and the simulation. Halves: distance between the two \
    halves of the log, a lower limit for any model. Both are Kolmogorov–Smirnov distances (0 to \
    1) or, marked h, Wasserstein distances in hours.
    """

  static func distance(_ distance: Double?, _ measure: DistanceMeasure) -> String {
    guard let distance else { return "—" }
    switch measure {
    case .kolmogorovSmirnov: return Figure.plain((distance * 1_000).rounded() / 1_000)
    case .wasserstein: return "\(Figure.quantity(distance)) h"
    }
  }

  private static func quantiles(_ values: FitRecord.Values?, _ figure: FitFigure) -> [String] {
    [values?.p10, values?.p50, values?.p90].map { $0.map { text($0, figure) } ?? "—" }
  }

  static func text(_ value: Double, _ figure: FitFigure) -> String {
    switch figure {
    case .intervals, .delays, .silences, .hours: time(value)
    case .accuracy: "\(Figure.quantity(value)) m"
    case .batches: Figure.quantity(value)
    }
  }

  /// Returns a time such as "2.5 s", "3.2 min", "5 h" or "3.1 d".
  static func time(_ seconds: Double) -> String {
    switch seconds {
    case ..<120: "\(Figure.quantity(seconds)) s"
    case ..<7_200: "\(Figure.quantity(seconds / 60)) min"
    case ..<172_800: "\(Figure.quantity(seconds / 3_600)) h"
    default: "\(Figure.quantity(seconds / 86_400)) d"
    }
  }
}
