package enum ProgramVersion {
  /// Used by `--version`, records, metrics and the manual; the changelog's top entry describes it.
  package static let text = "0.1.0"
}
