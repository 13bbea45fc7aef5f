package import Core
package import Foundation

/// The counts of a record by `Count`, and the upload failures.
package struct RecordedCounts: Equatable, Sendable {
  package var counts: [Count: Int] = [.bytesSent: 0, .bytesReceived: 0, .connects: 0]
  /// The number of failed uploads by cause, which the file stores under `errors`.
  package var failures: [String: Int] = [:]

  private static let errors = "errors"

  package var errors: [String: Int] {
    counts.reduce(into: failures) { errors, figure in
      let path = figure.key.row.path
      if path.first == Self.errors, let name = path.last { errors[name] = figure.value }
    }
  }

  init(from record: JSONValue) {
    counts = [:]
    for count in Count.allCases where !count.row.path.isEmpty {
      if case .integer(let value)? = record[count.row.path] { counts[count] = value }
    }
    guard case .object(let errors)? = record[[Self.errors]] else { return }
    let known = Set(Count.allCases.map(\.row.path))
    for (name, value) in errors where !known.contains([Self.errors, name]) {
      if case .integer(let value) = value { failures[name] = value }
    }
  }

  package init() {}

  func write(to record: inout JSONValue) {
    record[[Self.errors]] = .object(failures.mapValues { .integer($0) })
    for (count, value) in counts { record[count.row.path] = .integer(value) }
  }
}

extension RunRecord {
  package subscript(_ count: Count) -> Int? {
    get { figures.counts[count] }
    set { figures.counts[count] = newValue }
  }

  package var errors: [String: Int] { figures.errors }

  package mutating func take(_ sheet: Sheet, of counter: Count.Counter) {
    for count in Count.allCases where count.row.counter == counter && !count.row.path.isEmpty {
      self[count] = sheet[count]
    }
  }

  /// Reads a record of any schema from JSON, without validation.
  /// - Throws: `DecodingError` if it is no run record.
  package init(json data: Data) throws {
    let decoder = JSONDecoder()
    self = try decoder.decode(RunRecord.self, from: data)
    figures = RecordedCounts(from: try decoder.decode(JSONValue.self, from: data))
  }

  /// Returns JSON with sorted keys and two-space indentation, for comparison as text.
  package func json() throws -> Data {
    var value = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(self))
    figures.write(to: &value)
    return try value.text()
  }
}

@propertyWrapper
package struct Uncoded<Value: Equatable & Sendable>: Codable, Equatable, Sendable {
  package var wrappedValue: Value

  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  package init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: ""))
  }

  package func encode(to encoder: any Encoder) throws {}
}

extension KeyedEncodingContainer {
  package mutating func encode<Value>(_ value: Uncoded<Value>, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
  package func decode(
    _ type: Uncoded<RecordedCounts>.Type, forKey key: Key
  ) throws -> Uncoded<RecordedCounts> { Uncoded(wrappedValue: RecordedCounts()) }
}

extension JSONValue {
  /// The value at a path of members; nil if absent. The setter creates missing members.
  fileprivate subscript(_ path: [String]) -> JSONValue? {
    get {
      guard let first = path.first else { return self }
      guard case .object(let members) = self else { return nil }
      return members[first]?[Array(path.dropFirst())]
    }
    set {
      guard let first = path.first, let newValue else { return }
      var members: [String: JSONValue] = [:]
      if case .object(let own) = self { members = own }
      if path.count == 1 {
        members[first] = newValue
      } else {
        members[first, default: .object([:])][Array(path.dropFirst())] = newValue
      }
      self = .object(members)
    }
  }
}
