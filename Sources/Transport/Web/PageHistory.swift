/// The events of a live page: every row and kept map since the start, and the newest state. Each
/// browser has a `Place` (a position) instead of a queue. A slow browser later gets all rows and
/// kept maps, but only the newest state.
struct PageHistory {
  /// The limit of rows: two hours of one row per second. At the limit every second row is dropped,
  /// so that rows of the whole run fit in bounded memory.
  static let rowsMax = 7_200
  /// The size limit in bytes of the events sent to one browser at once.
  private static let pieceBytesMax = 65_536

  /// The position of a browser in the history: the last events sent.
  struct Place: Equatable, Sendable {
    /// The number of the last row sent, or 0 before the first row.
    fileprivate(set) var row = 0
    fileprivate(set) var map = 0
    fileprivate(set) var state = 0
    fileprivate var passingMap = 0
    fileprivate var beat = 0
    /// Whether a map was sent after the last event id.
    fileprivate var isUnnamed = false
    /// Whether the browser named an event of another server, such as an earlier run on this port.
    fileprivate(set) var isForeign = false
    fileprivate(set) var hasBegun = false
    fileprivate(set) var isAtEnd = false

    init() {}
  }

  /// A text that distinguishes this server's events from an earlier server's on the same port.
  private let epoch: String
  private(set) var rows: [(number: Int, text: String)] = []
  private var rowsTaken = 0
  /// Kept maps as encoded events, which all browsers share. The caller limits the kept maps.
  private var maps: [[UInt8]] = []
  /// The newest map since the last kept map, or nil without such a map.
  private var passingMap: String?
  private var passingMapsTaken = 0
  private var beats = 0
  private var state = ""
  private var statesTaken = 0
  /// The text of the last event, or nil before the end.
  private var end: String?

  init(epoch: String) { self.epoch = epoch }

  /// - Parameter row: one line of text.
  mutating func append(row: String) {
    if rows.count == Self.rowsMax {
      rows = stride(from: 0, to: rows.count, by: 2).map { rows[$0] }
    }
    rowsTaken += 1
    rows.append((rowsTaken, row))
  }

  /// - Parameter map: one line of text, replaced by the next map unless `isKept`.
  mutating func append(map: String, isKept: Bool) {
    passingMap = isKept ? nil : map
    if isKept {
      maps.append(Array("event: map\ndata: \(map)\n\n".utf8))
    } else {
      passingMapsTaken += 1
    }
  }

  /// Adds a comment, so that proxies keep idle connections and dead connections are noticed.
  mutating func beat() { beats += 1 }

  /// - Parameter state: one line of text.
  mutating func set(state: String) {
    self.state = state
    statesTaken += 1
  }

  mutating func end(_ text: String) { end = text }

  /// Returns the place after the event that a browser names when it reconnects (`Last-Event-ID`).
  func place(after lastEvent: String?) -> Place {
    var place = Place()
    guard let lastEvent else { return place }
    let numbers = lastEvent.dropFirst(epoch.count + 1)
      .split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard lastEvent.hasPrefix(epoch + "."), numbers.count == 2,
      let row = numbers[0], let map = numbers[1],
      (0...rowsTaken).contains(row), (0...maps.count).contains(map)
    else {
      place.isForeign = true
      return place
    }
    (place.row, place.map) = (row, map)
    return place
  }

  /// Returns the next events as encoded bytes and advances `place`, or nil without new events.
  func next(_ place: inout Place) -> [UInt8]? {
    guard !place.isAtEnd else { return nil }
    if place.isForeign {
      place.isAtEnd = true
      return Array("event: reload\ndata:\n\n".utf8)
    }
    var text = ""
    if !place.hasBegun {
      place.hasBegun = true
      text = "retry: 2000\n\n"
    }
    text += rows(&place)
    if place.row == rowsTaken {
      if place.map < maps.count {
        // A kept map is sent alone, so that its bytes are not copied for each browser.
        guard text.isEmpty else { return Array(text.utf8) }
        place.map += 1
        place.isUnnamed = true
        return maps[place.map - 1]
      }
      text += newest(&place)
    }
    if place.beat < beats {
      place.beat = beats
      if text.isEmpty { text = ":\n\n" }
    }
    return text.isEmpty ? nil : Array(text.utf8)
  }

  private func newest(_ place: inout Place) -> String {
    var text = ""
    if place.isUnnamed {
      place.isUnnamed = false
      text += "id: \(epoch).\(place.row).\(place.map)\n\n"
    }
    if place.passingMap < passingMapsTaken {
      place.passingMap = passingMapsTaken
      if let passingMap { text += "event: now\ndata: \(passingMap)\n\n" }
    }
    if place.state < statesTaken {
      place.state = statesTaken
      text += "event: state\ndata: \(state)\n\n"
    }
    if let end {
      place.isAtEnd = true
      text += "event: end\ndata: \(end)\n\n"
    }
    return text
  }

  private func rows(_ place: inout Place) -> String {
    var low = rows.startIndex
    var high = rows.endIndex
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].number > place.row { high = middle } else { low = middle + 1 }
    }
    guard low < rows.endIndex else { return "" }
    var text = "event: rows\n"
    while low < rows.endIndex, text.utf8.count < Self.pieceBytesMax {
      text += "data: \(rows[low].text)\n"
      place.row = rows[low].number
      low += 1
    }
    return text + "id: \(epoch).\(place.row).\(place.map)\n\n"
  }
}
