/// A small curve without axes for a tile, whose values are in the time line below the tiles.
enum TileCurve {
  private static let (width, height) = (120.0, 28.0)
  private static let pointsMax = 60

  /// Returns the curve, of means if there are many values; nil for fewer than two values.
  static func html(_ values: [Double?]) -> HTML? {
    let size = max(1, (values.count + pointsMax - 1) / pointsMax)
    let values = stride(from: 0, to: values.count, by: size).map { first -> Double? in
      let some = values[first..<min(first + size, values.count)].compactMap(\.self)
      return some.isEmpty ? nil : some.reduce(0, +) / Double(some.count)
    }
    let known = values.compactMap(\.self)
    guard known.count > 1, let high = known.max(), let low = known.min() else { return nil }
    let floor = min(0, low)
    let span = max(high - floor, 1e-9)
    var svg = ""
    var begins = true
    for (i, value) in values.enumerated() {
      guard let value else {
        begins = true
        continue
      }
      let x = Double(i) / Double(values.count - 1) * width
      let y = height - 1 - (value - floor) / span * (height - 2)
      svg += "\(begins ? "M" : "L")\(tenth(x)) \(tenth(y))"
      begins = false
    }
    return """
      <svg class="spark" viewBox="0 0 \(Int(width)) \(Int(height))" preserveAspectRatio="none" \
      aria-hidden="true"><path d="\(svg)" fill="none" stroke="var(--blue)" stroke-width="1.5" \
      vector-effect="non-scaling-stroke"/></svg>

      """
  }

  private static func tenth(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
