internal import Foundation

/// A place on the city's plane, in metres east and north of its centre.
@frozen public struct PlanePoint: Hashable, Sendable, BitwiseCopyable {
  /// Is the distance east of the centre, in metres; negative to the west.
  public var x: Double
  /// Is the distance north of the centre, in metres; negative to the south.
  public var y: Double

  /// Makes a place from metres east and north of the centre.
  @inlinable public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// Is the square of the distance, in m²; cheaper than the distance where places are only
  /// compared.
  @inlinable public func distanceSquared(to other: Self) -> Double {
    let dx = x - other.x
    let dy = y - other.y
    return dx * dx + dy * dy
  }

  /// Metres.
  @inlinable public func distance(to other: Self) -> Double {
    distanceSquared(to: other).squareRoot()
  }

  /// Adds east to east and north to north.
  @inlinable public static func + (a: Self, b: Self) -> Self { Self(x: a.x + b.x, y: a.y + b.y) }
  /// Is the way from `b` to `a`, east and north.
  @inlinable public static func - (a: Self, b: Self) -> Self { Self(x: a.x - b.x, y: a.y - b.y) }
  /// Stretches a place's way from the centre by a factor.
  @inlinable public static func * (a: Self, k: Double) -> Self { Self(x: a.x * k, y: a.y * k) }
}

/// A coordinate as it travels: WGS 84, in millionths of a degree (0.11 m of latitude), which is
/// finer than any phone's own noise.
@frozen public struct Coordinate: Hashable, Sendable, BitwiseCopyable {
  /// Is the latitude in millionths of a degree, positive to the north.
  public var latitudeE6: Int32
  /// Is the longitude in millionths of a degree, positive to the east.
  public var longitudeE6: Int32

  /// Makes a coordinate from millionths of a degree.
  @inlinable public init(latitudeE6: Int32, longitudeE6: Int32) {
    self.latitudeE6 = latitudeE6
    self.longitudeE6 = longitudeE6
  }

  /// Is the latitude in degrees.
  @inlinable public var latitude: Double { Double(latitudeE6) / 1e6 }
  /// Is the longitude in degrees.
  @inlinable public var longitude: Double { Double(longitudeE6) / 1e6 }
}

/// Local equirectangular projection about a centre: distances are true within 1 % up to 50 km from
/// it at the latitudes of cities (the error grows with the distance north or south of the centre).
@frozen public struct Projection: Hashable, Sendable, BitwiseCopyable {
  /// Is the latitude of the plane's origin, in degrees.
  public let centreLatitude: Double
  /// Is the longitude of the plane's origin, in degrees.
  public let centreLongitude: Double
  @usableFromInline let metersPerDegreeOfLatitude: Double
  @usableFromInline let metersPerDegreeOfLongitude: Double

  /// - Parameters: degrees, WGS 84. Mean Earth radius 6,371,008.8 m (IUGG).
  public init(centreLatitude: Double, centreLongitude: Double) {
    self.centreLatitude = centreLatitude
    self.centreLongitude = centreLongitude
    metersPerDegreeOfLatitude = 6_371_008.8 * .pi / 180
    metersPerDegreeOfLongitude = metersPerDegreeOfLatitude * cos(centreLatitude * .pi / 180)
  }

  /// Returns the coordinate of a place on the plane, rounded to millionths of a degree.
  @inlinable public func coordinate(of point: PlanePoint) -> Coordinate {
    let latitude = centreLatitude + point.y / metersPerDegreeOfLatitude
    let longitude = Self.wrapped(centreLongitude + point.x / metersPerDegreeOfLongitude)
    return Coordinate(
      latitudeE6: Int32((latitude * 1e6).rounded()), longitudeE6: Int32((longitude * 1e6).rounded())
    )
  }

  /// Returns the place on the plane of a coordinate.
  @inlinable public func point(of coordinate: Coordinate) -> PlanePoint {
    point(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// - Parameters: degrees, WGS 84.
  @inlinable public func point(latitude: Double, longitude: Double) -> PlanePoint {
    PlanePoint(
      x: Self.wrapped(longitude - centreLongitude) * metersPerDegreeOfLongitude,
      y: (latitude - centreLatitude) * metersPerDegreeOfLatitude)
  }

  /// The same meridian between -180° and 180°: a city may lie on the date line.
  @inlinable public static func wrapped(_ longitude: Double) -> Double {
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
  }
}
