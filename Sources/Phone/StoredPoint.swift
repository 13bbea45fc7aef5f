package import Core

/// A position in half the bytes of a `PlanePoint`. The position is accurate to 8 mm within 100 km
/// of the plane's centre, far better than any fix.
package struct StoredPoint: Equatable, Sendable, BitwiseCopyable {
  private var x: Float = 0
  private var y: Float = 0

  package init() {}

  @inline(__always) package init(_ point: PlanePoint) {
    x = Float(point.x)
    y = Float(point.y)
  }

  @inline(__always) package var point: PlanePoint {
    PlanePoint(x: Double(x), y: Double(y))
  }
}
