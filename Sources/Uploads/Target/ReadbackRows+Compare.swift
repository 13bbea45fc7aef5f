package import Core
package import Figures
internal import Foundation
internal import Targets

/// A request whose answer tells how many fixes were stored, but not which.
package struct PartlyStored: Sendable {
  package var fixes: [Fix]
  package var taken: Int
}

/// An event that the server has acknowledged.
package struct StoredEvent: Equatable, Sendable {
  /// The `$uuid` of the event.
  package var id: String
  /// The time of the callback, and the true time if there is one, in milliseconds since 1970.
  package var times: [Int64]

  package init(id: String, times: [Int64]) { (self.id, self.times) = (id, times) }
}

extension ReadbackRows {
  /// Compares the rows of a phone with its events, each row with one event at most: by id if rows
  /// have ids, and by time otherwise.
  package func compare(_ events: [StoredEvent]) -> TargetFigures.Readback {
    var result = TargetFigures.Readback()
    result.phones = 1
    var left = rows
    func take(_ event: StoredEvent) -> Bool {
      let row = left.firstIndex { row in
        guard let id = row.id else {
          return event.times.contains { abs($0 - row.milliseconds) <= Self.timeTolerance }
        }
        return id.lowercased() == event.id
      }
      guard let row else { return false }
      left.remove(at: row)
      return true
    }
    let found = events.filter(take)
    result.confirmed = found.count
    for event in found { while take(event) { result.twice += 1 } }
    let absent = events.count - found.count
    let among = min(absent, unreadable)
    if unreadable > 0 {
      result.unreadable = .init(rows: unreadable, fixes: among, example: example ?? "")
    }
    result.missing = absent - among
    return result
  }

  /// The tolerance in milliseconds, because servers may round times to seconds.
  package static let timeTolerance: Int64 = 1_000
  private static let placeTolerance = 2e-5

  /// Drops rows of earlier runs, which were received before an instant in milliseconds since 1970.
  /// Rows with times of fixes are kept, because these times identify the run.
  package mutating func drop(before instant: Int64) {
    switch timeOf {
    case .fix: break
    case .arrival: rows.removeAll { $0.milliseconds < instant - Self.timeTolerance }
    }
  }

  /// Compares the rows of a phone with its fixes, each row with one fix at most.
  /// - Parameter partly: the partly acknowledged requests.
  /// - Parameter shift: the difference from a fix's scenario time to wall-clock time.
  package func compare(
    _ stored: [Fix], unknown: [Fix] = [], partly: [PartlyStored] = [], shift: SimDuration
  ) -> TargetFigures.Readback {
    var result = TargetFigures.Readback()
    result.phones = 1
    func shifted(_ fix: Fix) -> Fix {
      var fix = fix
      fix.time = FixTime(centiseconds: fix.time.centiseconds + shift.microseconds / 10_000)
      return fix
    }
    var matching = Matching(self)
    let fixes = stored.map(shifted).sorted { $0.time < $1.time }
    let absent = fixes.filter { !matching.take($0) }
    result.confirmed = fixes.count - absent.count
    var absentPartly = 0
    for request in partly {
      let held = request.fixes.count { matching.take(shifted($0)) }
      result.confirmed += min(held, request.taken)
      absentPartly += max(0, request.taken - held)
    }
    result.heldUnknown = unknown.map(shifted).count { matching.take($0) }
    for fix in fixes { while matching.take(fix) { result.twice += 1 } }
    let (displaced, zoneless) = matching.displaced(absent, isNoneConfirmed: result.confirmed == 0)
    result.displaced = displaced
    let unexplained = absent.count + absentPartly - (displaced?.count ?? 0) - zoneless.count
    // Unreadable rows may hold the missing fixes.
    let among = min(unexplained, unreadable) + zoneless.count
    if unreadable > 0 || !zoneless.isEmpty {
      let zone = zoneless.first.map {
        "\($0): the times have no zone and are not in UTC"
      }
      result.unreadable = TargetFigures.Unreadable(
        rows: unreadable + zoneless.count, fixes: among, example: example ?? zone ?? "")
    }
    result.missing = absent.count + absentPartly - among
    return result
  }

  private struct Matching {
    private let timeOf: Readback.TimeOf
    private let sorted: [Row]
    private var isTaken: [Bool]

    init(_ all: ReadbackRows) {
      timeOf = all.timeOf
      sorted = all.rows.sorted { $0.milliseconds < $1.milliseconds }
      isTaken = [Bool](repeating: false, count: sorted.count)
    }

    private func free(at milliseconds: Int64) -> [Int] {
      let rows: Range<Int>
      switch timeOf {
      case .arrival: rows = sorted.indices
      case .fix:
        rows =
          first(
            from: milliseconds - ReadbackRows.timeTolerance)..<first(
            from: milliseconds + ReadbackRows.timeTolerance + 1)
      }
      return rows.filter { !isTaken[$0] }
    }

    private func first(from milliseconds: Int64) -> Int {
      var (low, high) = (0, sorted.count)
      while low < high {
        let middle = (low + high) / 2
        if sorted[middle].milliseconds < milliseconds { low = middle + 1 } else { high = middle }
      }
      return low
    }

    private func isAt(_ row: Row, _ latitude: Double, _ longitude: Double) -> Bool {
      abs(row.latitude - latitude) <= ReadbackRows.placeTolerance
        && abs(row.longitude - longitude) <= ReadbackRows.placeTolerance
    }

    private func row(of fix: Fix, later: Int64 = 0) -> Int? {
      free(at: fix.milliseconds + later).first {
        isAt(sorted[$0], fix.coordinate.latitude, fix.coordinate.longitude)
      }
    }

    mutating func take(_ fix: Fix, later: Int64 = 0) -> Bool {
      guard let row = row(of: fix, later: later) else { return false }
      isTaken[row] = true
      return true
    }

    /// Finds fixes stored at another position or time, and rows shifted by a missing time zone.
    mutating func displaced(
      _ absent: [Fix], isNoneConfirmed: Bool
    ) -> (TargetFigures.Displaced?, zoneless: [String]) {
      var found = TargetFigures.Displaced()
      var left: [Fix] = []
      for fix in absent {
        let place = fix.coordinate
        let rows = free(at: fix.milliseconds)
        if let row = rows.first(where: { isAt(sorted[$0], place.longitude, place.latitude) }) {
          found.mirrored += 1
          note(row, fix, &found)
        } else if timeOf == .fix, let row = rows.min(by: { meters($0, fix) < meters($1, fix) }) {
          found.note(elsewhere: meters(row, fix))
          note(row, fix, &found)
        } else {
          left.append(fix)
        }
      }
      var zoneless: [String] = []
      if isNoneConfirmed, left.count == absent.count, let later = zone(left) {
        for fix in left {
          guard let row = row(of: fix, later: later) else { continue }
          if sorted[row].isZoneless {
            zoneless.append(Self.both(fix, sorted[row]))
            isTaken[row] = true
          } else {
            found.otherTime += 1
            note(row, fix, &found)
          }
        }
      }
      return (found.count > 0 ? found : nil, zoneless)
    }

    private mutating func note(_ row: Int, _ fix: Fix, _ found: inout TargetFigures.Displaced) {
      isTaken[row] = true
      if found.example.isEmpty { found.example = Self.both(fix, sorted[row]) }
    }

    private func zone(_ fixes: [Fix]) -> Int64? {
      let (quarter, most) = (Int64(900_000), Int64(14 * 3_600_000))
      guard timeOf == .fix, let first = fixes.first else { return nil }
      return stride(from: -most, through: most, by: Int64.Stride(quarter)).first { later in
        row(of: first, later: later) != nil
          && fixes.allSatisfy { row(of: $0, later: later) != nil }
      }
    }

    private func meters(_ row: Int, _ fix: Fix) -> Double {
      let perDegree = 111_195.0
      let north = sorted[row].latitude - fix.coordinate.latitude
      let east =
        (sorted[row].longitude - fix.coordinate.longitude)
        .remainder(dividingBy: 360) * cos(fix.coordinate.latitude * .pi / 180)
      return (hypot(north, east) * perDegree).rounded()
    }

    private static func both(_ fix: Fix, _ row: Row) -> String {
      func text(_ milliseconds: Int64, _ latitude: Double, _ longitude: Double) -> String {
        var time: [UInt8] = []
        time.append(iso: milliseconds * 1_000, milliseconds: true)
        func degrees(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
        // swift-format-ignore: it is ASCII.
        return "\(String(decoding: time, as: UTF8.self)) at \(degrees(latitude)), "
          + degrees(longitude)
      }
      return "sent \(text(fix.milliseconds, fix.coordinate.latitude, fix.coordinate.longitude)), "
        + "held \(text(row.milliseconds, row.latitude, row.longitude))"
    }
  }
}

extension Fix {
  fileprivate var milliseconds: Int64 { time.centiseconds * 10 }
}
