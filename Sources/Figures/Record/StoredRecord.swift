internal import Core
package import Foundation

/// A record stored as a JSON file with a schema version.
package protocol StoredRecord: Codable {
  static var schemaVersion: Int { get }
  var schema: Int { get }
  /// The reason why a decoded record is damaged; nil if it is whole.
  var damage: String? { get }
  init(json data: Data) throws
  func json() throws -> Data
}

extension StoredRecord {
  package var damage: String? { Facts(self).damage }

  package func json() throws -> Data { try text() }

  package init(json data: Data) throws { self = try JSONDecoder().decode(Self.self, from: data) }

  /// - Throws: `RunRecordError` if the file cannot be read, is no such record, has another schema
  ///   or is damaged.
  package static func read(from file: URL) throws(RunRecordError) -> Self {
    let data: Data
    do { data = try Data(contentsOf: file) } catch {
      throw .unreadable(path: file.path, why: FileErrorText.reason(error))
    }
    let record: Self
    do { record = try Self(json: data) } catch {
      throw .notARecord(path: file.path, why: (error as? DecodingError)?.words ?? "\(error)")
    }
    guard record.schema == schemaVersion else {
      throw .otherSchema(path: file.path, found: record.schema)
    }
    if let damage = record.damage { throw .notARecord(path: file.path, why: damage) }
    return record
  }
}

extension DecodingError {
  /// A description of the error, such as "offered.batches is not a number".
  package var words: String {
    func path(_ context: Context, _ last: (any CodingKey)? = nil) -> String {
      let keys = context.codingPath + (last.map { [$0] } ?? [])
      let words = keys.map { $0.intValue.map(String.init) ?? $0.stringValue }
      return words.isEmpty ? "the file" : words.joined(separator: ".")
    }
    func kind(_ type: Any.Type) -> String {
      switch type {
      case is String.Type: "a text"
      case is Bool.Type: "true or false"
      case is any BinaryInteger.Type: "a whole number"
      case is any BinaryFloatingPoint.Type: "a number"
      case is any Collection.Type: "a list"
      case _: "an object"
      }
    }
    switch self {
    case .typeMismatch(let type, let context): return "\(path(context)) is not \(kind(type))"
    case .valueNotFound(_, let context): return "\(path(context)) has no value"
    case .keyNotFound(let key, let context): return "\(path(context, key)) is missing"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty
        ? "the file is not JSON" : "\(path(context)) cannot be read: \(context.debugDescription)"
    @unknown default: return "\(self)"
    }
  }
}

extension Encodable {
  /// Returns JSON with sorted keys, two-space indentation and a final line feed.
  func text() throws -> Data { Data((try jsonText(isPretty: true) + "\n").utf8) }
}

/// A study's record. Studies of one scenario, seed and question, with any number of threads, differ
/// only in `command`, `machine` and `timing`.
package protocol StudyRecord: StoredRecord, Sendable {
  init()
  var tool: RunRecord.Tool { get set }
  var command: [String] { get set }
  var scenario: RunRecord.ScenarioFacts { get set }
  var seed: UInt64 { get set }
  var machine: RunRecord.Machine { get set }
  var timing: RunRecord.Timing { get set }
}
