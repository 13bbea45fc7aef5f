/// A fix of a JSON file as text, or why an object could not be read.
struct JSONFix {
  var line: Int
  var number: Int
  var fields: [LogColumn: ArraySlice<UInt8>] = [:]
  /// The time, where another field than `time` has it.
  var time: Int64?
  /// Whether the fix is a point of a path that Google thinned out.
  var isOfPath = false
  var fault: String?
}

/// Finds the fixes in JSON of OwnTracks, Overland, Google and others, by the names of keys. An
/// inner object's keys count like those of the outer object.
struct JSONLog {
  private struct Field {
    var text: ArraySlice<UInt8>
    /// The preference among the keys of a column; the least is the best.
    var rank: Int
  }

  private let mapping: ColumnMapping
  private var splitter = JSONSplitter()
  /// The column and the rank that a path of keys has.
  private var known: [String: (column: LogColumn, rank: Int)?] = [:]
  private(set) var found: Set<LogColumn> = []
  /// The number of objects without a fix.
  private(set) var others = 0

  init(_ mapping: ColumnMapping) throws(LogError) {
    self.mapping = mapping
    guard let column = LogColumn.allCases.first(where: { mapping.numbered[$0] != nil }) else {
      return
    }
    throw .columns(
      "JSON has no numbered columns; write \(column.rawValue)=KEY, such as "
        + "phone=properties.device_id.")
  }

  mutating func read(
    _ chunk: [UInt8], _ take: (JSONFix) throws(LogError) -> Void
  ) throws(LogError) {
    var splitter = splitter
    self.splitter = JSONSplitter()
    try splitter.split(chunk) { (element) throws(LogError) in try self.take(element, take) }
    self.splitter = splitter
  }

  mutating func finish(_ take: (JSONFix) throws(LogError) -> Void) throws(LogError) {
    var splitter = splitter
    try splitter.finish { (element) throws(LogError) in try self.take(element, take) }
    guard !found.isEmpty else { return }
    for column in LogColumn.allCases where !found.contains(column) {
      if case .name(let name)? = mapping.places[column] {
        throw .columns("\(column.rawValue)=\(name): no fix has the key '\(name)'.")
      }
    }
  }

  private mutating func take(
    _ element: JSONElement, _ take: (JSONFix) throws(LogError) -> Void
  ) throws(LogError) {
    var fix = JSONFix(line: element.line, number: element.number)
    func refuse(_ text: String) throws(LogError) {
      fix.fault = text
      try take(fix)
    }
    if element.isCut {
      return try refuse("the file ends within the JSON; read a file that is whole.")
    }
    if element.bytes.isEmpty { return try refuse("is no JSON object; write one per fix.") }
    let node: JSONNode
    do throws(JSONSyntaxError) { node = try JSONNode(element.bytes) } catch {
      return try refuse("is no JSON: it \(error.text).")
    }
    if case .list(let points)? = node["timelinePath"] {
      return try takePath(points, node["startTime"]?.text, fix, take)
    }
    fix.fields = fields(of: node)
    let received = element.prefix.prefix { $0 != 0x09 }
    if !received.isEmpty { fix.fields[.received] = received }
    let hasPlace = fix.fields[.latitude] != nil && fix.fields[.longitude] != nil
    // A log may have no places, but then its owner names the time: other objects have times, too.
    let isFix = hasPlace || (mapping.places[.time] != nil && fix.fields[.time] != nil)
    guard isFix, !Self.isEvent(node) else {
      others += 1
      return
    }
    found.formUnion(fix.fields.keys)
    try take(fix)
  }

  /// Returns whether an object is an event of OwnTracks or Overland, which may have a place, too.
  private static func isEvent(_ node: JSONNode) -> Bool {
    if let kind = node["_type"]?.text { return !kind.elementsEqual("location".utf8) }
    guard let properties = node["properties"] else { return false }
    return properties["action"] != nil
      || properties["type"]?.text?.elementsEqual("trip".utf8) == true
  }

  // MARK: Fields

  private mutating func fields(of node: JSONNode) -> [LogColumn: ArraySlice<UInt8>] {
    var fields: [LogColumn: Field] = [:]
    // OwnTracks' `created_at` is the phone's time, and `topic` names user and device.
    let isOwnTracks = node["_type"] != nil
    collect(node, "", into: &fields)
    if isOwnTracks {
      if mapping.places[.received] == nil { fields[.received] = nil }
      if mapping.places[.phone] == nil, let topic = node["topic"]?.text {
        fields[.phone] = Field(text: topic, rank: 0)
      }
    }
    if fields[.time] == nil { fields[.time] = fields.removeValue(forKey: .date) }
    return fields.mapValues(\.text)
  }

  /// The keys of objects that are no fixes, in Google's exports.
  private static let otherKeys: Set = [
    "activity", "activityRecord", "timelineMemory", "visit", "wifiScan",
  ]

  private mutating func collect(
    _ node: JSONNode, _ path: String, into fields: inout [LogColumn: Field]
  ) {
    guard case .object(let members) = node else { return }
    for (key, value) in members {
      switch value {
      case .text(let text): note(text, path.isEmpty ? key : "\(path).\(key)", into: &fields)
      case .object where !Self.otherKeys.contains(key):
        collect(value, path.isEmpty ? key : "\(path).\(key)", into: &fields)
      case .list(let values) where key == "coordinates":
        let kind = node["type"]?.text ?? ArraySlice("Point".utf8)
        guard kind.elementsEqual("Point".utf8), values.count >= 2, let longitude = values[0].text,
          let latitude = values[1].text
        else { continue }
        fields[.longitude] = Field(text: longitude, rank: 0)
        fields[.latitude] = Field(text: latitude, rank: 0)
      case .object, .list, .nothing: continue
      }
    }
  }

  private mutating func note(
    _ text: ArraySlice<UInt8>, _ path: String, into fields: inout [LogColumn: Field]
  ) {
    // An empty text is no value, such as the `device_id` of an Overland without a name.
    guard !text.isEmpty, let (column, rank) = place(of: path) else { return }
    if let field = fields[column], field.rank <= rank { return }
    switch rank {
    case Self.rankOfPair:
      guard let pair = Self.pair(text) else { return }
      fields[.latitude] = Field(text: pair.latitude, rank: rank)
      fields[.longitude] = Field(text: pair.longitude, rank: rank)
    case Self.rankOfE7:
      let degrees = Self.degrees(text, max: column == .latitude ? 90 : 180)
      fields[column] = Field(text: degrees ?? text, rank: rank)
    case _: fields[column] = Field(text: text, rank: rank)
    }
  }

  private static let rankOfPair = 1_000
  private static let rankOfE7 = 1_001
  /// Paths of strangers' objects may all differ.
  private static let knownMax = 10_000

  private mutating func place(of path: String) -> (column: LogColumn, rank: Int)? {
    if let known = known[path] { return known }
    let found = search(path)
    if known.count < Self.knownMax { known[path] = .some(found) }
    return found
  }

  private func search(_ path: String) -> (column: LogColumn, rank: Int)? {
    let keys = path.split(separator: ".", omittingEmptySubsequences: false)
    let key = LogColumn.plain(String(keys.last ?? ""))
    for column in LogColumn.allCases {
      guard case .name(let name)? = mapping.places[column] else { continue }
      if name == path || LogColumn.plain(name) == key { return (column, -1) }
    }
    if key == "latitudee7" { return (.latitude, Self.rankOfE7) }
    if key == "longitudee7" { return (.longitude, Self.rankOfE7) }
    if key == "latlng" || key == "point" { return (.latitude, Self.rankOfPair) }
    let pair = LogColumn.plain(keys.suffix(2).joined())
    for column in LogColumn.allCases where mapping.places[column] == nil {
      for (number, header) in column.headers.enumerated() where header == key || header == pair {
        // Of equal keys, that of the outer object counts.
        return (column, number * 10 + min(9, keys.count))
      }
    }
    return nil
  }

  /// Returns the degrees of a number in ten-millionths. Google's exports have some numbers that are
  /// 2³² too large.
  private static func degrees(_ text: ArraySlice<UInt8>, max: Double) -> ArraySlice<UInt8>? {
    guard let number = LogValue.number(text) else { return nil }
    let wrapped = number > max * 1e7 ? number - 4_294_967_296 : number
    return Array("\(wrapped / 1e7)".utf8)[...]
  }

  /// Splits `52.5°, 13.4°` and `geo:52.5,13.4`.
  private static func pair(
    _ text: ArraySlice<UInt8>
  ) -> (latitude: ArraySlice<UInt8>, longitude: ArraySlice<UInt8>)? {
    let scheme = Array("geo:".utf8)
    let degree = Array("°".utf8)
    // Parameters such as `;u=35` may follow.
    let plain = (text.starts(with: scheme) ? text.dropFirst(scheme.count) : text)
      .prefix { $0 != UInt8(ascii: ";") }.filter { !degree.contains($0) }
    let parts = plain.split(separator: UInt8(ascii: ","))
    guard parts.count >= 2 else { return nil }
    return (parts[0], parts[1])
  }

  // MARK: Paths of Google's timelines

  private mutating func takePath(
    _ points: [JSONNode], _ start: ArraySlice<UInt8>?, _ outer: JSONFix,
    _ take: (JSONFix) throws(LogError) -> Void
  ) throws(LogError) {
    let begin = start.flatMap { LogValue.time($0) }
    for point in points {
      guard let pair = point["point"]?.text.flatMap(Self.pair) else {
        others += 1
        continue
      }
      var fix = outer
      fix.isOfPath = true
      fix.fields = [.latitude: pair.latitude, .longitude: pair.longitude]
      fix.fields[.time] = point["time"]?.text ?? start
      if let begin, let text = point["durationMinutesOffsetFromStartTime"]?.text,
        let minutes = LogValue.number(text), abs(minutes) < 100_000
      {
        let time = begin + Int64((minutes * 60_000_000).rounded())
        if (0..<LogValue.endMicroseconds).contains(time) { fix.time = time }
      }
      found.formUnion(fix.fields.keys)
      try take(fix)
    }
  }
}
