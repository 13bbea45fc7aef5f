package import Foundation

/// The figures of a record that stand in its JSON by the keys of their lines in `Count`.
package struct RecordedCounts: Equatable, Sendable {
  /// What the record says of each figure; one that is missing is not in the file.
  package var counts: [Count: Int] = [.bytesSent: 0, .bytesReceived: 0, .connects: 0]
  /// How many uploads failed, by what they met; stands among `errors`.
  package var failures: [String: Int] = [:]

  private static let errors = "errors"

  /// Kinds of error that the record names, with how often each was met.
  package var errors: [String: Int] {
    counts.reduce(into: failures) { errors, figure in
      let path = figure.key.row.path
      if path.first == Self.errors, let name = path.last { errors[name] = figure.value }
    }
  }

  /// Takes from a record's JSON what stands there.
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

  /// Makes the figures of a run that sent nothing.
  package init() {}

  /// Writes the figures into a record's JSON.
  func write(to record: inout JSONValue) {
    record[[Self.errors]] = .object(failures.mapValues { .integer($0) })
    for (count, value) in counts { record[count.row.path] = .integer(value) }
  }
}

extension RunRecord {
  /// A figure of the record; nil where it does not have it.
  package subscript(_ count: Count) -> Int? {
    get { figures.counts[count] }
    set { figures.counts[count] = newValue }
  }

  /// Kinds of error with how often each was met.
  package var errors: [String: Int] { figures.errors }

  /// Takes from a sheet what one counter has counted.
  package mutating func take(_ sheet: Sheet, of counter: Count.Counter) {
    for count in Count.allCases where count.row.counter == counter && !count.row.path.isEmpty {
      self[count] = sheet[count]
    }
  }

  /// Reads a record from JSON, of any schema and unchecked.
  /// - Throws: `DecodingError` where it is no run record.
  package init(json data: Data) throws {
    let decoder = JSONDecoder()
    self = try decoder.decode(RunRecord.self, from: data)
    figures = RecordedCounts(from: try decoder.decode(JSONValue.self, from: data))
  }

  /// Sorted keys and two-space lines, so that records can be compared as text.
  package func json() throws -> Data {
    var value = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(self))
    figures.write(to: &value)
    return try value.text()
  }
}

/// A property of a record that its own coding leaves out.
@propertyWrapper
package struct Uncoded<Value: Equatable & Sendable>: Codable, Equatable, Sendable {
  /// The property's value.
  package var wrappedValue: Value

  /// Makes the property from its first value.
  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// Is not called: containers leave the property out.
  package init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: ""))
  }

  /// Writes nothing.
  package func encode(to encoder: any Encoder) throws {}
}

extension KeyedEncodingContainer {
  /// Leaves the property out.
  package mutating func encode<Value>(_ value: Uncoded<Value>, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
  /// Gives the property its first value.
  package func decode(
    _ type: Uncoded<RecordedCounts>.Type, forKey key: Key
  ) throws -> Uncoded<RecordedCounts> { Uncoded(wrappedValue: RecordedCounts()) }
}

extension JSONValue {
  /// The value at a path of members; nil where there is none. Setting it makes what is missing on
  /// the way.
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
