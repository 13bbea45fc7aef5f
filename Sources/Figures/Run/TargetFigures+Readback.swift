package import Core

extension TargetFigures {
  /// The fixes that the server holds, compared one by one with the fixes that it acknowledged.
  package struct Readback: Equatable, Sendable, Codable {
    package var phones = 0
    package var unread = 0
    /// The number of `unread` phones by cause; null without such phones.
    @Nullable package var unreadBy: [String: Int]?
    /// Phones not read back for lack of time; null without such phones.
    @Nullable package var unasked: Int?
    /// Acknowledged fixes that the server holds.
    package var confirmed = 0
    /// Acknowledged fixes that the server lacks, or holds with another place or time.
    package var missing = 0
    package var twice = 0
    /// Fixes that the server holds although their upload had no answer.
    package var heldUnknown = 0
    /// The numbers of at most twenty phones with missing fixes.
    package var phonesMissing: [Int] = []
    /// The rows that could not be parsed; null if there were none.
    @Nullable package var unreadable: Unreadable?
    /// The fixes of `missing` that the server holds with another place or time; null without any.
    @Nullable package var displaced: Displaced?

    package init() {}

    package mutating func merge(_ other: Readback) {
      phones += other.phones
      unread += other.unread
      if let by = other.unreadBy { unreadBy = (unreadBy ?? [:]).merging(by, uniquingKeysWith: +) }
      if let more = other.unasked { unasked = (unasked ?? 0) + more }
      confirmed += other.confirmed
      missing += other.missing
      twice += other.twice
      heldUnknown += other.heldUnknown
      phonesMissing = Array((phonesMissing + other.phonesMissing).prefix(20))
      if let more = other.unreadable { unreadable.add(more) }
      if let more = other.displaced { displaced.add(more) }
    }

    package mutating func note(unread reason: String) {
      unread += 1
      unreadBy = (unreadBy ?? [:]).merging([reason: 1], uniquingKeysWith: +)
    }
  }

  package struct Unreadable: Equatable, Sendable, Codable {
    package var rows: Int
    /// The acknowledged fixes that the unreadable rows may contain.
    package var fixes: Int
    package var example: String

    package init(rows: Int, fixes: Int, example: String) {
      (self.rows, self.fixes, self.example) = (rows, fixes, example)
    }
  }

  /// Fixes that the server holds with another place or time than was sent.
  package struct Displaced: Equatable, Sendable, Codable {
    /// Fixes held at the right time, with latitude and longitude exchanged.
    package var mirrored = 0
    /// Fixes held at the right time, at another place.
    package var elsewhere = 0
    /// Fixes held at the right place, with a time off by whole quarters of an hour.
    package var otherTime = 0
    /// The least distance of `elsewhere` fixes from where they were sent, in metres; null if none.
    @Nullable package var metersMin: Double?
    @Nullable package var metersMax: Double?
    package var example = ""

    package init() {}

    package var count: Int { mirrored + elsewhere + otherTime }

    package mutating func note(elsewhere meters: Double) {
      elsewhere += 1
      metersMin = min(metersMin ?? meters, meters)
      metersMax = max(metersMax ?? meters, meters)
    }
  }
}

extension TargetFigures.Unreadable? {
  fileprivate mutating func add(_ other: TargetFigures.Unreadable) {
    guard var sum = self else { return self = other }
    sum.rows += other.rows
    // Prefers an example from rows that leave a fix unverified.
    if sum.fixes == 0, other.fixes > 0 { sum.example = other.example }
    sum.fixes += other.fixes
    self = sum
  }
}

extension TargetFigures.Displaced? {
  fileprivate mutating func add(_ other: TargetFigures.Displaced) {
    guard var sum = self else { return self = other }
    sum.mirrored += other.mirrored
    sum.elsewhere += other.elsewhere
    sum.otherTime += other.otherTime
    sum.metersMin = [sum.metersMin, other.metersMin].compactMap(\.self).min()
    sum.metersMax = [sum.metersMax, other.metersMax].compactMap(\.self).max()
    if sum.example.isEmpty { sum.example = other.example }
    self = sum
  }
}

// MARK: Sentences

extension TargetFigures.Displaced {
  package var sentence: String {
    var parts: [String] = []
    if mirrored > 0 {
      parts.append("\(Figure.grouped(mirrored)) with latitude and longitude swapped")
    }
    if elsewhere > 0, let metersMin, let metersMax {
      let (least, most) = (Figure.quantity(metersMin), Figure.quantity(metersMax))
      let far = least == most ? "\(least) m" : "\(least) to \(most) m"
      parts.append("\(Figure.grouped(elsewhere)) with the right time, \(far) off")
    }
    if otherTime > 0 {
      parts.append("\(Figure.grouped(otherTime)) with the right place and another time")
    }
    let keys =
      mirrored + elsewhere > 0 ? "readback.latitude and readback.longitude" : "readback.time"
    return "The server has \(parts.joined(separator: ", ")). Example: \(example). If the server "
      + "is right, check \(keys)."
  }
}

extension TargetFigures.Readback {
  package var isDisplaced: Bool { displaced.map { $0.count == missing } ?? false }

  /// Returns a sentence for each reason why fixes or events could not be verified.
  package func doubts(of name: String, _ what: String = "fixes") -> [String] {
    var doubts: [String] = []
    if unread > 0 {
      let reasons = (unreadBy ?? [:]).ranked.prefix(5)
        .map { "\($0.key) (\(Figure.grouped($0.value)))" }
      doubts.append(
        "\(Figure.grouped(unread)) of \(Figure.grouped(phones + unread)) phones could not be read "
          + "back from \(name): \(reasons.joined(separator: ", ")).")
    }
    if let unreadable, unreadable.fixes > 0 {
      doubts.append(
        "\(Figure.grouped(unreadable.rows)) rows from \(name) cannot be parsed and may contain "
          + "\(Figure.grouped(unreadable.fixes)) stored \(what). Example: \(unreadable.example).")
    }
    if phones + unread == 0, let unasked {
      doubts.append(
        "\(Figure.grouped(unasked)) phones were not read back from \(name): out of time.")
    }
    return doubts
  }
}

extension TargetFigures {
  package var knowsLosses: Bool {
    guard let readback else { return false }
    return readback.missing > 0 || readback.doubts(of: name).isEmpty
  }

  package var storedLabel: String {
    acknowledges == false ? "sent, not acknowledged" : "stored"
  }

  /// The first line of a report: how certain the counts are.
  package var sureness: String {
    guard fixes.stored > 0 else { return "\(name) acknowledged no fix as stored." }
    if acknowledges == false {
      return
        "Sent, not acknowledged: \(Figure.grouped(fixes.stored)) fixes were written to \(name) "
        + "with QoS 0, which has no acknowledgement. Not verified."
    }
    guard let readback else {
      return "Acknowledged, not verified: \(name) acknowledged \(Figure.grouped(fixes.stored)) "
        + "fixes; it has no read-back."
    }
    let rest =
      readback.unasked.map {
        let all = $0 + readback.phones + readback.unread
        return "; \(Figure.grouped($0)) of \(Figure.grouped(all)) phones not read for lack of time"
      } ?? ""
    let confirmed =
      "\(Figure.grouped(readback.confirmed)) of \(Figure.grouped(fixes.stored)) stored fixes"
    if readback.missing > 0 {
      let what = readback.isDisplaced ? "stored as sent" : "stored"
      return "Acknowledged but missing: \(Figure.grouped(readback.missing)) fixes that \(name) "
        + "acknowledged are not \(what), \(Figure.grouped(readback.confirmed)) are\(rest)."
    }
    guard readback.doubts(of: name).isEmpty else {
      return "Not verified: the read-back found \(confirmed)\(rest)."
    }
    return "Verified by read-back: \(confirmed) found, "
      + "\(Figure.grouped(readback.twice)) twice\(rest)."
  }
}

extension RunRecord {
  /// Whether the number of lost acknowledged fixes is known.
  package var knowsLosses: Bool { target?.knowsLosses ?? !isUnverified }
}
