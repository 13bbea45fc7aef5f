internal import Core
package import Foundation

/// A record stored as a JSON file with a schema version.
package protocol StoredRecord: Codable {
  static var schemaVersion: Int { get }
  var schema: Int { get }
  /// The inconsistency of a decoded record; nil if there is none.
  var damage: String? { get }
  init(json data: Data) throws
  func json() throws -> Data
}

extension StoredRecord {
  package var damage: String? { nil }

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
      throw .notARecord(path: file.path, why: "\(error)")
    }
    guard record.schema == schemaVersion else {
      throw .otherSchema(path: file.path, found: record.schema)
    }
    if let damage = record.damage { throw .notARecord(path: file.path, why: damage) }
    return record
  }
}

extension Encodable {
  /// Sorted keys and two-space indentation, with a final line feed.
  func text() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var data = try encoder.encode(self)
    data.append(0x0A)
    return data
  }
}

package protocol StudyRecord: StoredRecord, Sendable {
  init()
  var tool: RunRecord.Tool { get set }
  var command: [String] { get set }
  var scenario: RunRecord.ScenarioFacts { get set }
  var seed: UInt64 { get set }
  var machine: RunRecord.Machine { get set }
  var timing: RunRecord.Timing { get set }
}
