internal import Commands

/// Writes what a command leaves. What cannot be written is an error after the figures, which took
/// their time, have been printed.
struct Keeping {
  private var failure: (any Error)?

  /// Writes something, unless something before could not be written.
  ///
  /// - Returns: nil where it could not be written.
  mutating func callAsFunction<Value>(_ write: () throws -> Value) -> Value? {
    guard failure == nil else { return nil }
    do { return try write() } catch {
      failure = error
      return nil
    }
  }

  /// Throws why not all could be written, if that is so.
  func end() throws {
    guard let failure else { return }
    if let failure = failure as? any ExitError { throw failure }
    throw CommandError(exit: .cannotListenOrWrite, message: "\(failure)")
  }
}
