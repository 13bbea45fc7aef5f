package import SimulationCore

/// A place that a phone keeps for long, in half the bytes of a `PlanePoint`: 100 km from the
/// centre of the plane it is right to 8 mm, far less than any phone can tell.
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
