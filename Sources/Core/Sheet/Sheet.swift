/// A set of counters. Sheets can be added, and subtracted to count an interval.
package struct Sheet: Equatable, Sendable {
  /// Groups of counts whose names are known only at run time.
  package enum Named: String, CaseIterable, Sendable {
    case statuses
    case failures
    case limits
    /// Silent pushes that have ended, by outcome.
    case outcomes
    /// Requests for one position, by outcome.
    case asks
  }

  @usableFromInline var values: [Int64]
  private var named: [Named: [String: Int]] = [:]

  package init() { values = Array(repeating: 0, count: Count.allCases.count) }

  @inlinable package subscript(_ count: Count) -> Int {
    get { Int(values[count.place]) }
    set { values[count.place] = Int64(newValue) }
  }

  package subscript(_ named: Named) -> [String: Int] {
    get { self.named[named] ?? [:] }
    set { self.named[named] = newValue.isEmpty ? nil : newValue }
  }

  package mutating func count(_ kind: Named, _ name: String) {
    named[kind, default: [:]][name, default: 0] += 1
  }

  package mutating func reset() {
    for place in values.indices { values[place] = 0 }
    named = [:]
  }

  package static func += (sum: inout Sheet, other: Sheet) {
    for place in sum.values.indices { sum.values[place] &+= other.values[place] }
    for (kind, counts) in other.named { sum[kind].merge(counts, uniquingKeysWith: +) }
  }

  package static func - (now: Sheet, earlier: Sheet) -> Sheet {
    var grown = now
    for place in grown.values.indices { grown.values[place] &-= earlier.values[place] }
    for (kind, counts) in earlier.named {
      grown[kind] = now[kind].merging(counts.mapValues { -$0 }, uniquingKeysWith: +)
        .filter { $0.value != 0 }
    }
    return grown
  }
}

extension Sheet: Codable {
  private enum CodingKeys: String, CodingKey {
    case counts, named
  }

  /// Encodes nonzero counts by the names of their cases.
  package func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: CodingKeys.self)
    let counts = Count.allCases.filter { self[$0] != 0 }.map { ("\($0)", self[$0]) }
    try box.encode(Dictionary(uniqueKeysWithValues: counts), forKey: .counts)
    let named = named.map { ($0.key.rawValue, $0.value) }
    try box.encode(Dictionary(uniqueKeysWithValues: named), forKey: .named)
  }

  /// Decodes a sheet; ignores unknown names.
  package init(from decoder: any Decoder) throws {
    self.init()
    let box = try decoder.container(keyedBy: CodingKeys.self)
    let counts = try box.decode([String: Int].self, forKey: .counts)
    for count in Count.allCases { self[count] = counts["\(count)"] ?? 0 }
    for (name, counts) in try box.decode([String: [String: Int]].self, forKey: .named) {
      if let kind = Named(rawValue: name) { self[kind] = counts }
    }
  }
}

extension Sheet {
  package mutating func pass(_ columns: inout PackedColumns) {
    columns.pass(&values)
    for kind in Named.allCases {
      let own = self[kind].sorted { $0.key < $1.key }
      let count = columns.agree(Int64(own.count))
      guard (0...Self.namesMax).contains(count) else { return columns.refuse() }
      for place in 0..<Int(count) where columns.isSound {
        let (name, value) = own.indices.contains(place) ? own[place] : ("", 0)
        let (agreed, term) = (columns.agree(name), columns.agree(Int64(value)))
        if columns.adds { self[kind][agreed, default: 0] &+= Int(term) }
      }
    }
  }

  private static let namesMax: Int64 = 4_096
}
