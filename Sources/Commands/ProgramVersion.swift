/// The version of both programs.
package enum ProgramVersion {
  /// `--version`, run records, metrics and the manual state it, and the changelog's top entry is
  /// about it.
  package static let text = "0.1.0"
}
