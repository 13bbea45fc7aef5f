package import Core
package import Wire

/// A server's totals since its creation, for its snapshot.
package struct ServerCounters: Equatable, Sendable {
  package private(set) var sheet = Sheet()
  package var statuses = [UInt64](repeating: 0, count: StatusCode.allCases.count)
  /// The calls by method (`index(of:)`), counted when their headers arrive.
  package var started = [UInt64](repeating: 0, count: Self.methods)
  /// The ended calls by method and status (`handledIndex`). Lost calls count as CANCELLED.
  package var handled = [UInt64](
    repeating: 0, count: Self.methods * StatusCode.allCases.count)

  package init() {}

  package subscript(_ count: Count) -> Int {
    get { sheet[count] }
    set { sheet[count] = newValue }
  }

  package func hits(_ limit: ServerLimit) -> Int { sheet[.limits][limit.rawValue] ?? 0 }

  package var limitHits: [(name: String, count: Int)] {
    ServerLimit.allCases.map { ($0.rawValue, hits($0)) }
  }

  mutating func hit(_ limit: ServerLimit) { sheet.count(.limits, limit.rawValue) }

  /// The number of known methods plus one, which stands for all other methods.
  package static let methods = CollectorMethod.allCases.count + 1

  /// - Parameter method: the method, or nil if unknown.
  package static func index(of method: CollectorMethod?) -> Int {
    method.map { Int($0.rawValue) } ?? methods - 1
  }

  /// Returns an index in `handled`. A nil method stands for all unknown methods.
  package static func handledIndex(_ method: CollectorMethod?, _ code: StatusCode) -> Int {
    index(of: method) * StatusCode.allCases.count + Int(code.rawValue)
  }

  mutating func countEnd(of method: CollectorMethod?, _ code: StatusCode) {
    handled[Self.handledIndex(method, code)] += 1
  }
}
