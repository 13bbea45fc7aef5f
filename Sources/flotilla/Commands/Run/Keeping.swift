internal import Commands

/// Writes a command's files. A failure is thrown after the figures are printed.
struct Keeping {
  private var failure: (any Error)?

  /// Calls `write`, unless an earlier write failed. Returns nil after a failure.
  mutating func callAsFunction<Value>(_ write: () throws -> Value) -> Value? {
    guard failure == nil else { return nil }
    do { return try write() } catch {
      failure = error
      return nil
    }
  }

  func end() throws {
    guard let failure else { return }
    if let failure = failure as? any ExitError { throw failure }
    throw CommandError(exit: .cannotListenOrWrite, message: "\(failure)")
  }
}
