package import Figures
package import Wire

/// What a server has seen, for its snapshot, since it was made.
package struct ServerCounters: Equatable, Sendable {
  /// Connections, calls and bytes, and how often each limit was met.
  package private(set) var sheet = Sheet()
  /// Answers by status code.
  package var statuses = [UInt64](repeating: 0, count: StatusCode.allCases.count)
  /// Calls by method, `unknownMethod` last; counted when their headers have come.
  package var started = [UInt64](repeating: 0, count: Self.methods)
  /// Calls that have ended, by method and status code: `handledIndex`. One that the client gave up
  /// or lost its connection for counts as CANCELLED.
  package var handled = [UInt64](
    repeating: 0, count: Self.methods * StatusCode.allCases.count)

  /// Makes counters at zero.
  package init() {}

  /// The value of a figure.
  package subscript(_ count: Count) -> Int {
    get { sheet[count] }
    set { sheet[count] = newValue }
  }

  /// Returns how often a limit was met.
  package func hits(_ limit: ServerLimit) -> Int { sheet[.limits][limit.rawValue] ?? 0 }

  /// Every limit by its name, and how often it was met.
  package var limitHits: [(name: String, count: Int)] {
    ServerLimit.allCases.map { ($0.rawValue, hits($0)) }
  }

  mutating func hit(_ limit: ServerLimit) { sheet.count(.limits, limit.rawValue) }

  /// The known ones, and one place for all others.
  package static let methods = CollectorMethod.allCases.count + 1

  /// - Parameter method: nil for one that is not known.
  package static func index(of method: CollectorMethod?) -> Int {
    method.map { Int($0.rawValue) } ?? methods - 1
  }

  /// Returns the place in `handled` of a method and a status; `nil` stands for every unknown
  /// method.
  package static func handledIndex(_ method: CollectorMethod?, _ code: StatusCode) -> Int {
    index(of: method) * StatusCode.allCases.count + Int(code.rawValue)
  }

  mutating func countEnd(of method: CollectorMethod?, _ code: StatusCode) {
    handled[Self.handledIndex(method, code)] += 1
  }
}
