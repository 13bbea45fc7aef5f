internal import Foundation

enum GapLogarithm {
  /// ln(1 + x), exact for small x.
  static func log1p(_ x: Double) -> Double { Foundation.log1p(x) }

  static func log(_ x: Double) -> Double { Foundation.log(x) }
}
