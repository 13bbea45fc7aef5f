package enum ProgramVersion {
  /// The version in `--version`, records, metrics, the manual and the changelog's top entry.
  package static let text = "0.1.0"
}
