internal import Collector
internal import Dispatch
package import Targets

/// Reads rows back from PostgreSQL. Thread-safe; `rows` blocks its caller, `ask` does not.
package final class TargetDatabase: Sendable {
  private let readback: Readback
  private let statement: UploadProgram
  private let reader: PostgresRows
  /// The queue of the only connection, which runs one statement at a time.
  private let queue = DispatchQueue(label: "flotilla.database")

  /// Returns nil without a statement for the read-back. Throws for a bad address. Does not connect.
  package init?(
    _ target: Target, _ programs: TargetPrograms, _ files: TargetFiles
  ) throws(TargetError) {
    guard let readback = target.readback, let statement = programs.statement,
      let secret = readback.database
    else { return nil }
    let text = try files.secret(secret)
    guard let address = PostgresAddress(text) else {
      throw TargetError("readback.database must be of the form postgresql://user@host/database.")
    }
    self.readback = readback
    self.statement = statement
    reader = PostgresRows(address)
  }

  package var name: String { reader.name }

  func sql(_ context: UploadContext) -> String {
    String { statement.write(text: context, .sql, into: &$0) }
  }

  package func rows(_ context: UploadContext) -> Result<ReadbackRows, ReadbackError> {
    queue.sync { read(sql(context)) }
  }

  private func read(_ sql: String) -> Result<ReadbackRows, ReadbackError> {
    do throws(StoreError) {
      return .success(ReadbackRows(rows: try reader.json(sql), readback))
    } catch {
      return .failure(ReadbackError(description: error.description))
    }
  }

  /// Reads a phone's rows and calls `then` on another thread.
  package func ask(_ context: UploadContext, then: @escaping @Sendable (TargetExchange) -> Void) {
    let sql = sql(context)
    queue.async { [self] in
      switch read(sql) {
      case .success(let rows):
        var end = TargetExchange(
          .answered(Targets.Answer(rule: nil, outcome: .stored), status: "rows", kept: []))
        end.rows = { () throws(ReadbackError) in rows }
        then(end)
      case .failure(let problem):
        then(
          TargetExchange(
            .unanswered(kind: "database error", reason: "\(problem)", isReached: true)))
      }
    }
  }
}
