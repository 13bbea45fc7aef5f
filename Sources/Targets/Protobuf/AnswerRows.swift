package import Scenarios
package import Wire

package struct AnswerRows: Sendable {
  private let path: [Int]
  private let row: AnswerPaths

  /// - Throws: all invalid paths, each with its line in the target's file.
  package init(
    _ rows: AnswerPaths.Wanted, columns: [AnswerPaths.Wanted], of message: Int,
    in schema: MessageSchema
  ) throws(ScenarioError) {
    let places: [AnswerPaths.Place]
    do throws(AnswerPaths.PathError) {
      places = try AnswerPaths.places(on: rows.path, message, schema)
    } catch {
      throw ScenarioError([Diagnostic(origin: rows.origin, text: error.text)])
    }
    guard let last = places.last?.field, last.isRepeated, case .message(let index) = last.type
    else {
      throw ScenarioError([
        Diagnostic(
          origin: rows.origin, text: "'\(rows.path)' is not a repeated message, as 'rows' must be.")
      ])
    }
    path = places.map(\.field.number)
    row = try AnswerPaths(columns, of: index, in: schema)
  }

  /// - Throws: `malformed` if the bytes are no message.
  package func forEach(
    _ bytes: UnsafeRawBufferPointer, _ body: ([AnswerValue]) -> Void
  ) throws(ProtobufError) {
    try forEach(bytes, path[...], body)
  }

  private func forEach(
    _ bytes: UnsafeRawBufferPointer, _ path: ArraySlice<Int>, _ body: ([AnswerValue]) -> Void
  ) throws(ProtobufError) {
    guard let wanted = path.first else { return body(try row.read(bytes)) }
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      guard number == wanted, case .bytes(let part) = value else { continue }
      try forEach(part, path.dropFirst(), body)
    }
  }
}
