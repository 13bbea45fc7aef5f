internal import Foundation

enum GapLogarithm {
  static func log1p(_ x: Double) -> Double { Foundation.log1p(x) }

  static func log(_ x: Double) -> Double { Foundation.log(x) }
}
