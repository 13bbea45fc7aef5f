package enum LogColumn: String, CaseIterable, Codable, Sendable, CodingKeyRepresentable {
  case phone, time, date, received, latitude, longitude, accuracy, battery, version

  /// The headers that mean this column, normalised: of `flotilla export` and of common formats.
  var headers: [String] {
    switch self {
    case .phone:
      [
        "phone", "phoneid", "device", "deviceid", "user", "userid", "uniqueid", "tid", "vehicle",
        "vehicleid", "trace", "track", "trackid", "installation", "installationid", "devicetag",
      ]
    case .time:
      [
        "time", "timestamp", "fixtime", "fixedat", "tst", "recordedat", "capturedat", "datetime",
        "eventtime", "devicetime", "utctime", "gpstime", "localtime", "timeofday",
        "timestampms",
      ]
    case .date: ["date", "day", "fixdate", "utcdate", "gpsdate", "localdate"]
    case .received:
      [
        "received", "receivedat", "receivedtime", "servertime", "createdat", "insertedat",
        "storedat", "servertimestamp",
      ]
    case .latitude: ["latitude", "lat"]
    case .longitude: ["longitude", "lon", "lng", "long"]
    case .accuracy:
      [
        "accuracy", "accuracym", "acc", "hacc", "horizontalaccuracy", "accuracymeters",
        "accuracymetres",
      ]
    case .battery: ["battery", "batt", "batterylevel", "batterypercent"]
    case .version: ["appversion", "version", "app", "build"]
    }
  }

  static func named(_ header: String) -> LogColumn? {
    let plain = plain(header)
    return allCases.first { $0.headers.contains(plain) }
  }

  /// Returns a header in lower case, with letters and digits only.
  static func plain(_ header: String) -> String {
    String(header.lowercased().filter { $0.isLetter || $0.isNumber })
  }
}

package struct ColumnMapping: Equatable, Sendable {
  enum Place: Equatable, Sendable {
    case name(String)
    case number(Int)
  }

  /// The columns that the user named; the header gives the other columns.
  private(set) var places: [LogColumn: Place] = [:]

  package init() {}

  /// Parses `COLUMN=NAME` or `COLUMN=NUMBER`, separated by commas.
  /// - Throws: `LogError.columns` with the allowed forms.
  package init(_ text: String) throws(LogError) {
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { Self.trimmed($0) }
      guard pieces.count == 2, !pieces[1].isEmpty else {
        throw .columns("'\(part)' is not COLUMN=HEADER or COLUMN=NUMBER; \(Self.allowed)")
      }
      let named = LogColumn(rawValue: pieces[0].lowercased()) ?? LogColumn.named(pieces[0])
      guard let column = named else {
        throw .columns("'\(pieces[0])' is not a column of a log; \(Self.allowed)")
      }
      guard places[column] == nil else {
        throw .columns("'\(column.rawValue)' is given twice; remove one.")
      }
      if let number = Int(pieces[1]) {
        guard (1...10_000).contains(number) else {
          throw .columns("'\(part)': columns are counted from 1.")
        }
        places[column] = .number(number)
      } else {
        places[column] = .name(pieces[1])
      }
    }
  }

  private static var allowed: String {
    "columns are \(LogColumn.allCases.map(\.rawValue).joined(separator: ", "))."
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }

  var isNumbered: Bool {
    !places.isEmpty
      && places.values.allSatisfy { place in
        switch place {
        case .number: true
        case .name: false
        }
      }
  }

  /// The indices, from 0, of the columns given by number.
  var numbered: [LogColumn: Int] {
    places.compactMapValues { place in
      switch place {
      case .number(let number): number - 1
      case .name: nil
      }
    }
  }

  func resolve(_ header: [String]) throws(LogError) -> [LogColumn: Int] {
    var found: [LogColumn: Int] = [:]
    for (column, place) in places {
      switch place {
      case .number(let number):
        guard number <= header.count else {
          throw .columns(
            "\(column.rawValue)=\(number): the header has \(header.count) columns.")
        }
        found[column] = number - 1
      case .name(let name):
        let exact = header.firstIndex(of: name)
        let near = header.firstIndex { LogColumn.plain($0) == LogColumn.plain(name) }
        guard let index = exact ?? near else {
          throw .columns(
            "\(column.rawValue)=\(name): the header has no '\(name)'; it has "
              + "\(Self.listed(header)).")
        }
        found[column] = index
      }
    }
    for column in LogColumn.allCases where found[column] == nil {
      // The order of `headers` is one of preference: `fixTime` before `deviceTime`.
      let plain = header.map { LogColumn.plain($0) }
      for word in column.headers {
        guard let index = plain.firstIndex(of: word), !found.values.contains(index) else {
          continue
        }
        found[column] = index
        break
      }
    }
    if found[.time] == nil {
      // A column such as `Date` may have the time of day as well.
      found[.time] = found.removeValue(forKey: .date)
    }
    guard found[.time] != nil else {
      throw .columns(
        "no column has the time of the fix; the header has \(Self.listed(header)). Set it with "
          + "--columns time=HEADER, or time=NUMBER where there is no header.")
    }
    return found
  }

  private static func listed(_ header: [String]) -> String {
    let names = header.prefix(20).map { "'\($0.prefix(40))'" }.joined(separator: ", ")
    return header.count > 20 ? names + ", …" : names
  }
}
