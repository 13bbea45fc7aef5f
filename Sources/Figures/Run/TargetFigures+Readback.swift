extension TargetFigures {
  /// The fixes that the server was found to hold, compared one by one with what it said to have.
  package struct Readback: Equatable, Sendable, Codable {
    /// Counts the phones that were read back.
    package var phones = 0
    /// Counts the phones whose fixes could not be read.
    package var unread = 0
    /// Counts the same by what was in the way; null: none was.
    @Nullable package var unreadBy: [String: Int]?
    /// Counts the phones that were not asked for, since time was over; null: none.
    @Nullable package var unasked: Int?
    /// Counts the fixes that it said to have and has.
    package var confirmed = 0
    /// Counts the fixes that it said to have and has not, or has with another place or time.
    package var missing = 0
    /// Counts the fixes that it has more than once.
    package var twice = 0
    /// Counts the fixes that had no answer and that it has.
    package var heldUnknown = 0
    /// Lists phones with missing fixes, twenty at most.
    package var phonesMissing: [Int] = []
    /// Describes the rows that could not be understood; null: all could.
    @Nullable package var unreadable: Unreadable?
    /// Describes the missing fixes that it has with another place or time; null: there are none.
    @Nullable package var displaced: Displaced?

    /// Creates the result of nothing read.
    package init() {}

    /// Adds what was found of other phones.
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

    /// Notes a phone whose fixes could not be read.
    package mutating func note(unread reason: String) {
      unread += 1
      unreadBy = (unreadBy ?? [:]).merging([reason: 1], uniquingKeysWith: +)
    }
  }

  /// Describes rows of a read-back that could not be understood.
  package struct Unreadable: Equatable, Sendable, Codable {
    /// Counts the rows.
    package var rows: Int
    /// Counts the fixes that it said to have and that may be among them.
    package var fixes: Int
    /// One of the rows, and what is wrong with it.
    package var example: String

    /// Describes rows.
    package init(rows: Int, fixes: Int, example: String) {
      (self.rows, self.fixes, self.example) = (rows, fixes, example)
    }
  }

  /// Describes fixes that the server holds with another place or time than they were sent with.
  package struct Displaced: Equatable, Sendable, Codable {
    /// Counts those with latitude and longitude exchanged, at their time.
    package var mirrored = 0
    /// Counts those at another place, at their time.
    package var elsewhere = 0
    /// Counts those at their place, with a time that is off by whole quarters of an hour.
    package var otherTime = 0
    /// The least distance of such a fix from its place, in metres; null: none is elsewhere.
    @Nullable package var metersMin: Double?
    /// The greatest distance of such a fix from its place, in metres; null: none is elsewhere.
    @Nullable package var metersMax: Double?
    /// Shows one of them as it was sent, and as it is held.
    package var example = ""

    /// Creates the description of none.
    package init() {}

    /// Counts all of them.
    package var count: Int { mirrored + elsewhere + otherTime }

    /// Notes one that is elsewhere.
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
    // The example is one that keeps a fix from being verified, where there is one.
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
  /// Sentences on how the fixes are held, with one as an example.
  package var sentence: String {
    var parts: [String] = []
    if mirrored > 0 {
      parts.append("\(Figure.grouped(mirrored)) with latitude and longitude exchanged")
    }
    if elsewhere > 0, let metersMin, let metersMax {
      let (least, most) = (Figure.quantity(metersMin), Figure.quantity(metersMax))
      let far = least == most ? "\(least) m" : "\(least) to \(most) m"
      parts.append("\(Figure.grouped(elsewhere)) at their time, but \(far) from their place")
    }
    if otherTime > 0 {
      parts.append("\(Figure.grouped(otherTime)) at their place, but with another time")
    }
    let keys =
      mirrored + elsewhere > 0 ? "readback.latitude and readback.longitude" : "readback.time"
    return "The server holds \(parts.joined(separator: ", ")). For example \(example). If the "
      + "server is right, look at \(keys)."
  }
}

extension TargetFigures.Readback {
  /// Whether all that is missing is held with another place or time.
  package var isDisplaced: Bool { displaced.map { $0.count == missing } ?? false }

  /// Returns sentences on what of the read-back could not be verified; empty: nothing.
  ///
  /// - Parameter name: the target's.
  package func doubts(of name: String) -> [String] {
    var doubts: [String] = []
    if unread > 0 {
      let reasons = (unreadBy ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .prefix(5).map { "\($0.key) (\(Figure.grouped($0.value)))" }
      doubts.append(
        "\(Figure.grouped(unread)) of \(Figure.grouped(phones + unread)) phones could not be read "
          + "back from \(name): \(reasons.joined(separator: ", ")).")
    }
    if let unreadable, unreadable.fixes > 0 {
      doubts.append(
        "\(Figure.grouped(unreadable.rows)) rows that \(name) gave back cannot be read, and "
          + "\(Figure.grouped(unreadable.fixes)) stored fixes may be among them. For example "
          + "\(unreadable.example).")
    }
    if phones + unread == 0, let unasked {
      doubts.append(
        "\(Figure.grouped(unasked)) phones were not read back from \(name): the time for it was "
          + "over.")
    }
    return doubts
  }
}

extension TargetFigures {
  /// Whether it is known how many of the fixes that it said to have are lost.
  package var knowsLosses: Bool {
    guard let readback else { return false }
    return readback.missing > 0 || readback.doubts(of: name).isEmpty
  }

  /// The label of `fixes.stored`.
  package var storedLabel: String {
    acknowledges == false ? "sent, not acknowledged" : "stored"
  }

  /// The first line of a report: how sure the counts are.
  package var sureness: String {
    guard fixes.stored > 0 else { return "\(name) has said of no fix that it is stored." }
    if acknowledges == false {
      return
        "Sent, not acknowledged: \(Figure.grouped(fixes.stored)) fixes were written to \(name) "
        + "with QoS 0, and nothing says that they arrived. Not verified."
    }
    guard let readback else {
      return "Acknowledged, not verified: \(Figure.grouped(fixes.stored)) fixes are stored by "
        + "the word of \(name) alone; it has no read-back."
    }
    let rest =
      readback.unasked.map {
        let all = $0 + readback.phones + readback.unread
        return "; for \(Figure.grouped($0)) of \(Figure.grouped(all)) phones there was no time"
      } ?? ""
    let confirmed =
      "\(Figure.grouped(readback.confirmed)) of \(Figure.grouped(fixes.stored)) stored fixes"
    if readback.missing > 0 {
      let what = readback.isDisplaced ? "held as they were sent" : "there"
      return "Not what it says: \(Figure.grouped(readback.missing)) fixes that \(name) answered as "
        + "stored are not \(what), \(Figure.grouped(readback.confirmed)) are\(rest)."
    }
    guard readback.doubts(of: name).isEmpty else {
      return "Not verified: \(confirmed) were found by reading back\(rest)."
    }
    return "Verified by reading back: \(confirmed) are there, "
      + "\(Figure.grouped(readback.twice)) twice\(rest)."
  }
}

extension RunRecord {
  /// Whether it is known how many acknowledged fixes are lost: what was to be read back was read.
  package var knowsLosses: Bool { target?.knowsLosses ?? !isUnverified }
}
