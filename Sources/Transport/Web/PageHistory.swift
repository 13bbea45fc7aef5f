/// What a live page is sent: every row since the start, and the newest state. Each browser has a
/// `Place` in it and no queue: a slow one gets all rows when it reads on, and skips states.
struct PageHistory {
  /// Two hours of a row a second. From there on every second row of those kept is dropped, so that
  /// the whole run stays in bounded memory.
  static let rowsMax = 7_200
  /// Of one piece for one browser.
  private static let pieceBytesMax = 65_536

  /// How far a browser has come.
  struct Place: Equatable, Sendable {
    /// The number of the last row sent; 0 for none.
    fileprivate(set) var row = 0
    fileprivate(set) var state = 0
    /// Whether its last event was of a server that no longer runs.
    fileprivate(set) var isForeign = false
    fileprivate(set) var hasBegun = false
    fileprivate(set) var isAtEnd = false

    init() {}
  }

  /// Distinguishes this server's events from those of an earlier one on the same port.
  private let epoch: String
  private(set) var rows: [(number: Int, text: String)] = []
  private var rowsTaken = 0
  private var state = ""
  private var statesTaken = 0
  /// The last event: the end of what the page shows.
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

  /// - Parameter state: one line of text, as the following ends.
  mutating func set(state: String) {
    self.state = state
    statesTaken += 1
  }

  mutating func end(_ text: String) { end = text }

  /// The place behind the event that a browser names when it connects again.
  func place(after lastEvent: String?) -> Place {
    var place = Place()
    guard let lastEvent else { return place }
    guard lastEvent.hasPrefix(epoch + "."),
      let row = Int(lastEvent.dropFirst(epoch.count + 1)), (0...rowsTaken).contains(row)
    else {
      place.isForeign = true
      return place
    }
    place.row = row
    return place
  }

  /// Returns the next events as bytes of the stream; nil if there is nothing new.
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
      if place.state < statesTaken {
        place.state = statesTaken
        text += "event: state\ndata: \(state)\n\n"
      }
      if let end {
        place.isAtEnd = true
        text += "event: end\ndata: \(end)\n\n"
      }
    }
    return text.isEmpty ? nil : Array(text.utf8)
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
    return text + "id: \(epoch).\(place.row)\n\n"
  }
}
