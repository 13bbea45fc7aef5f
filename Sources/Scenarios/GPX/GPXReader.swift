internal import SimulationCore

/// A GPX file's points as they stand in it, before anything is made of them.
struct GPXContent: Equatable {
  struct Point: Equatable {
    /// nil: none, or none that can be read.
    var time: SimInstant?
    var latitude: Double
    var longitude: Double
  }

  /// One entry a `trkseg`; for a file that has only routes, one a `rte`.
  var segments: [[Point]] = []
  var isRoute = false
  var points = 0
  /// Points whose `time` is there but cannot be read.
  var unreadableTimes = 0
  /// Points whose coordinate is missing, no number, off the globe, at 0/0 or near a pole.
  var impossible = 0
}

/// Reads the tracks of a GPX file, 1.0 or 1.1: `gpx/trk/trkseg/trkpt/time`, where each element
/// stands in GPX's namespace right under the one before. What else there is (waypoints,
/// extensions, foreign elements) is walked over.
struct GPXReader: ~Copyable {
  /// Eleven days at a fix a second; 32 bytes each.
  static let pointsMax = 1_000_000
  /// Nearer to a pole a degree of longitude is too short for a flat map.
  static let latitudeMax = 85.0

  private var scanner: XMLScanner
  private var content = GPXContent()
  private var routes: [[GPXContent.Point]] = []
  private var routePoints = 0
  private var routeImpossible = 0
  private var point: GPXContent.Point?

  private enum Role { case gpx, trk, trkseg, trkpt, rte, rtept, time, other }
  /// What each open element is.
  private var roles: [Role] = []

  init(_ source: consuming ByteSource) { scanner = XMLScanner(source) }

  /// Reads to the end of the file.
  consuming func read() throws(GPXError) -> GPXContent {
    while true {
      switch try scanner.next() {
      case .start: try begin()
      case .end: end()
      case .endOfFile: return try result()
      }
    }
  }

  private func result() throws(GPXError) -> GPXContent {
    guard scanner.hasRoot else { throw .empty("holds no XML at all") }
    var result = content
    if content.points == 0 && routes.contains(where: { !$0.isEmpty }) {
      result.segments = routes
      result.isRoute = true
      result.points = routePoints
      result.impossible = routeImpossible
    }
    return result
  }

  private mutating func begin() throws(GPXError) {
    let role = try role()
    roles.append(role)
    switch role {
    case .trkseg: content.segments.append([])
    case .rte: routes.append([])
    case .trkpt, .rtept:
      guard content.points + routePoints < Self.pointsMax else {
        throw .tooLarge("has more than \(Self.pointsMax) points; split it")
      }
      point = coordinate()
      let isImpossible = point == nil ? 1 : 0
      if role == .trkpt {
        content.points += 1
        content.impossible += isImpossible
      } else {
        routePoints += 1
        routeImpossible += isImpossible
      }
    case .time: scanner.wantsText = point != nil
    case .gpx, .trk, .other: break
    }
  }

  private mutating func end() {
    switch roles.removeLast() {
    case .time:
      guard point != nil else { return }
      point?.time = GPXTime.instant(scanner.text)
      if point?.time == nil { content.unreadableTimes += 1 }
    case .trkpt:
      if let point { content.segments[content.segments.count - 1].append(point) }
      point = nil
    case .rtept:
      if let point { routes[routes.count - 1].append(point) }
      point = nil
    case .gpx, .trk, .trkseg, .rte, .other: break
    }
  }

  private func role() throws(GPXError) -> Role {
    let name = scanner.open[scanner.open.count - 1]
    guard let parent = roles.last else {
      guard name.local.elementsEqual("gpx".utf8) else { throw Self.foreign(name.local) }
      return .gpx
    }
    guard name.isGPX else { return .other }
    func isCalled(_ word: String) -> Bool { name.local.elementsEqual(word.utf8) }
    switch parent {
    case .gpx: return isCalled("trk") ? .trk : isCalled("rte") ? .rte : .other
    case .trk: return isCalled("trkseg") ? .trkseg : .other
    case .trkseg: return isCalled("trkpt") ? .trkpt : .other
    case .rte: return isCalled("rtept") ? .rtept : .other
    case .trkpt, .rtept: return isCalled("time") ? .time : .other
    case .time, .other: return .other
    }
  }

  private static func foreign(_ root: [UInt8]) -> GPXError {
    let name = XMLScanner.printable(root)
    return switch name.lowercased() {
    case "kml": .foreign("is KML, not GPX; convert it")
    case "trainingcenterdatabase": .foreign("is TCX, not GPX; convert it")
    case "html": .foreign("is a web page, not GPX")
    default: .foreign("has the root element <\(name)>, not <gpx>")
    }
  }

  private func coordinate() -> GPXContent.Point? {
    guard let latitude = Self.degrees(scanner.latitude),
      let longitude = Self.degrees(scanner.longitude),
      abs(latitude) <= Self.latitudeMax, abs(longitude) <= 180,
      // Where receivers without a position say that they are.
      latitude != 0 || longitude != 0
    else { return nil }
    return GPXContent.Point(time: nil, latitude: latitude, longitude: longitude)
  }

  private static func degrees(_ text: [UInt8]?) -> Double? {
    guard let text else { return nil }
    var digits = text.drop(while: XMLScanner.isSpace)
    while let last = digits.last, XMLScanner.isSpace(last) { digits.removeLast() }
    // Some writers use the comma of their language.
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
