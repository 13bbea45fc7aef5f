internal import Foundation

/// A point on the city's plane, in metres east and north of the city's centre.
@frozen public struct PlanePoint: Hashable, Sendable, BitwiseCopyable {
  public var x: Double
  public var y: Double

  @inlinable public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// Returns the squared distance in m², which is cheaper to compare than the distance.
  @inlinable public func distanceSquared(to other: Self) -> Double {
    let dx = x - other.x
    let dy = y - other.y
    return dx * dx + dy * dy
  }

  @inlinable public func distance(to other: Self) -> Double {
    distanceSquared(to: other).squareRoot()
  }

  @inlinable public static func + (a: Self, b: Self) -> Self { Self(x: a.x + b.x, y: a.y + b.y) }
  @inlinable public static func - (a: Self, b: Self) -> Self { Self(x: a.x - b.x, y: a.y - b.y) }
  @inlinable public static func * (a: Self, k: Double) -> Self { Self(x: a.x * k, y: a.y * k) }
}

/// A coordinate as transmitted: WGS 84, in 1e-6 degree (0.11 m of latitude), finer than any noise.
@frozen public struct Coordinate: Hashable, Sendable, BitwiseCopyable {
  public var latitudeE6: Int32
  public var longitudeE6: Int32

  @inlinable public init(latitudeE6: Int32, longitudeE6: Int32) {
    self.latitudeE6 = latitudeE6
    self.longitudeE6 = longitudeE6
  }

  @inlinable public var latitude: Double { Double(latitudeE6) / 1e6 }
  @inlinable public var longitude: Double { Double(longitudeE6) / 1e6 }
}

/// A local equirectangular projection about a point. At the latitudes of cities, distances are true
/// within 1 % up to 50 km from the point; the error grows with the distance north or south.
@frozen public struct Projection: Hashable, Sendable, BitwiseCopyable {
  public let centreLatitude: Double
  public let centreLongitude: Double
  @usableFromInline let metersPerDegreeOfLatitude: Double
  @usableFromInline let metersPerDegreeOfLongitude: Double

  /// Creates a projection from degrees (WGS 84), with the mean Earth radius 6,371,008.8 m (IUGG).
  public init(centreLatitude: Double, centreLongitude: Double) {
    self.centreLatitude = centreLatitude
    self.centreLongitude = centreLongitude
    metersPerDegreeOfLatitude = 6_371_008.8 * .pi / 180
    metersPerDegreeOfLongitude = metersPerDegreeOfLatitude * cos(centreLatitude * .pi / 180)
  }

  /// Returns the coordinate of a point, rounded to millionths of a degree.
  @inlinable public func coordinate(of point: PlanePoint) -> Coordinate {
    let latitude = centreLatitude + point.y / metersPerDegreeOfLatitude
    let longitude = Self.wrapped(centreLongitude + point.x / metersPerDegreeOfLongitude)
    return Coordinate(
      latitudeE6: Int32((latitude * 1e6).rounded()), longitudeE6: Int32((longitude * 1e6).rounded())
    )
  }

  @inlinable public func point(of coordinate: Coordinate) -> PlanePoint {
    point(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// Returns the point at a latitude and longitude in degrees (WGS 84).
  @inlinable public func point(latitude: Double, longitude: Double) -> PlanePoint {
    PlanePoint(
      x: Self.wrapped(longitude - centreLongitude) * metersPerDegreeOfLongitude,
      y: (latitude - centreLatitude) * metersPerDegreeOfLatitude)
  }

  /// Returns the same meridian between -180° and 180°, since a city may be on the date line.
  @inlinable public static func wrapped(_ longitude: Double) -> Double {
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
  }
}
