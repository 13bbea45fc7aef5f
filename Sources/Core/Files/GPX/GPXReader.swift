/// The points of a GPX file, unprocessed.
package struct GPXContent: Equatable {
  /// The source of the points: tracks, else routes, else waypoints (all that Xcode plays).
  package enum Kind: String, CaseIterable { case segment, route, waypoint }

  package struct Point: Equatable {
    /// The point's time; nil if absent or unreadable.
    package var time: SimInstant?
    /// The speed in m/s; nil if absent or unreadable.
    package var speed: Double?
    /// The latitude in degrees, -85 ... 85.
    package var latitude: Double
    /// The longitude in degrees, -180 ... 180.
    package var longitude: Double
  }

  /// A position in the file's text, counted from 1.
  package struct Place: Equatable {
    package var line: Int
    package var column: Int
  }

  package var kind = Kind.segment
  /// The number of the track in its file, from 1, if the file's tracks are read apart.
  package var track: Int?
  /// The points of each `trkseg` or `rte`; all waypoints are in one list.
  package var segments: [[Point]] = []
  package var points = 0
  package var unreadableTimes = 0
  package var unreadableSpeeds = 0
  /// The points whose coordinate is missing, not a number, off the globe, at 0/0 or near a pole.
  package var impossible = 0
  /// The position after the tag of the first impossible point.
  package var firstImpossible: Place?
}

/// Reads the points of a GPX file, 1.0 or 1.1: `gpx/trk/trkseg/trkpt`, `gpx/rte/rtept` and
/// `gpx/wpt` with their `time` and `speed`, where each element is in GPX's namespace directly under
/// the one before. Points directly in `trk` or `gpx` count too, since some writers leave out
/// `trkseg` and `trk`. Extensions, foreign elements, and waypoints beside a track or a route (which
/// mark places) are skipped.
package final class GPXReader {
  /// The maximum number of points, 48 bytes each: eleven days with a fix per second.
  package static let pointsMax = 1_000_000
  /// The limit in degrees; nearer to a pole a degree of longitude is too short for a flat map.
  static let latitudeMax = 85.0
  /// The limit in m/s: the maximum of a scenario, 1080 km/h.
  static let speedMax = 300.0

  private let scanner = XMLScanner()
  private var contents = GPXContent.Kind.allCases.map { GPXContent(kind: $0) }
  private var point: GPXContent.Point?
  /// The number of points so far, of all kinds and tracks.
  private var points = 0
  private var isBareTrack = false

  private enum Role: Equatable {
    case gpx, trk
    case way(GPXContent.Kind)
    case point(GPXContent.Kind)
    case time, speed, other
  }
  private var roles: [Role] = []

  /// The tracks that have ended and have points, and the number of all so far, if tracks are read
  /// apart.
  private var tracks: [GPXContent] = []
  private var trackCount = 0
  private var splitsTracks = false

  package init() {}

  package func read(_ source: consuming ByteSource) throws(GPXError) -> GPXContent {
    scanner.begins = { [unowned self] (element) throws(GPXError) in try begin(element) }
    scanner.ends = { [unowned self] in end() }
    try scanner.read(source)
    return contents.first { $0.points > 0 } ?? contents[0]
  }

  /// Returns the content of each track with points; without one, that of the file.
  package func readTracks(_ source: consuming ByteSource) throws(GPXError) -> [GPXContent] {
    splitsTracks = true
    let rest = try read(source)
    endTrack()
    return tracks.isEmpty ? [rest] : tracks
  }

  private func endTrack() {
    if contents[0].points > 0 { tracks.append(contents[0]) }
    contents[0] = GPXContent()
  }

  private static func place(_ kind: GPXContent.Kind) -> Int {
    switch kind {
    case .segment: 0
    case .route: 1
    case .waypoint: 2
    }
  }

  private func begin(_ element: XMLScanner.Element) throws(GPXError) {
    let role = try role(of: element)
    roles.append(role)
    switch role {
    case .trk:
      isBareTrack = true
      guard splitsTracks else { break }
      endTrack()
      trackCount += 1
      contents[0].track = trackCount
    case .way(let kind):
      isBareTrack = false
      contents[Self.place(kind)].segments.append([])
    case .point(let kind): try beginPoint(kind)
    case .time, .speed: scanner.wantsText = point != nil
    case .gpx, .other: break
    }
  }

  private func beginPoint(_ kind: GPXContent.Kind) throws(GPXError) {
    guard points < Self.pointsMax else {
      throw .tooLarge("has more than \(Self.pointsMax) points; split it")
    }
    points += 1
    let place = Self.place(kind)
    if contents[place].segments.isEmpty || (kind == .segment && isBareTrack) {
      isBareTrack = false
      contents[place].segments.append([])
    }
    contents[place].points += 1
    point = coordinate()
    guard point == nil else { return }
    contents[place].impossible += 1
    guard contents[place].firstImpossible == nil else { return }
    contents[place].firstImpossible = scanner.place
  }

  private func end() {
    switch roles.removeLast() {
    case .time:
      guard point != nil, let place = openPoint else { return }
      point?.time = GPXTime.instant(scanner.text) ?? GPXTime.seconds(scanner.text)
      if point?.time == nil { contents[place].unreadableTimes += 1 }
    case .speed:
      guard point != nil, let place = openPoint else { return }
      point?.speed = Self.speed(scanner.text)
      if point?.speed == nil { contents[place].unreadableSpeeds += 1 }
    case .point(let kind):
      let place = Self.place(kind)
      if let point { contents[place].segments[contents[place].segments.count - 1].append(point) }
      point = nil
    case .gpx, .trk, .way, .other: break
    }
  }

  private var openPoint: Int? {
    guard case .point(let kind)? = roles.last else { return nil }
    return Self.place(kind)
  }

  private func role(of element: XMLScanner.Element) throws(GPXError) -> Role {
    guard let parent = roles.last else {
      guard element.isCalled("gpx") else { throw Self.foreign(element.name) }
      return .gpx
    }
    guard element.isGPX else { return .other }
    func isCalled(_ word: StaticString) -> Bool { element.isCalled(word) }
    var ofTrack: Role {
      isCalled("trkseg") ? .way(.segment) : isCalled("trkpt") ? .point(.segment) : .other
    }
    switch parent {
    case .gpx:
      if isCalled("trk") { return .trk }
      if isCalled("rte") { return .way(.route) }
      return isCalled("wpt") ? .point(.waypoint) : ofTrack
    case .trk: return ofTrack
    case .way(.segment): return isCalled("trkpt") ? .point(.segment) : .other
    case .way(.route): return isCalled("rtept") ? .point(.route) : .other
    case .point: return isCalled("time") ? .time : isCalled("speed") ? .speed : .other
    case .way(.waypoint), .time, .speed, .other: return .other
    }
  }

  private static func foreign(_ root: String) -> GPXError {
    switch root.lowercased() {
    case "kml": .foreign("is KML, not GPX; convert it")
    case "trainingcenterdatabase": .foreign("is TCX, not GPX; convert it")
    case "html": .foreign("is a web page, not GPX")
    default: .foreign("has the root element <\(root.prefix(40))>, not <gpx>")
    }
  }

  private func coordinate() -> GPXContent.Point? {
    guard let latitude = scanner.latitude.flatMap(Self.number),
      let longitude = scanner.longitude.flatMap(Self.number),
      // Some writers exceed 180 degrees beyond the date line, or count from 0 to 360.
      abs(latitude) <= Self.latitudeMax, abs(longitude) <= 360,
      // Receivers without a position report 0/0.
      latitude != 0 || longitude != 0
    else { return nil }
    return GPXContent.Point(
      time: nil, speed: nil, latitude: latitude, longitude: Projection.wrapped(longitude))
  }

  private static func speed(_ text: [UInt8]) -> Double? {
    number(text).flatMap { (0...speedMax).contains($0) ? $0 : nil }
  }

  private static func number(_ text: [UInt8]) -> Double? {
    var digits = text.drop(while: XMLScanner.isSpace)
    while let last = digits.last, XMLScanner.isSpace(last) { digits.removeLast() }
    // Some writers use a decimal comma.
    let number = digits.map { $0 == 0x2C ? 0x2E : $0 }
    // Double(_:) would also take "inf", "nan" and hexadecimal.
    guard number.allSatisfy({ isPartOfNumber($0) }) else { return nil }
    return Double(String(decoding: number, as: UTF8.self))
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
