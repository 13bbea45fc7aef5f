/// Names where a fix came from, as Flotilla's own accounts know it. Neither the app nor the server
/// ever learns it (SL6): it travels beside the fix, never in it.
package enum FixSource: UInt8, CaseIterable, Codable, Sendable, BitwiseCopyable {
  case satellites, wifi, cell
  /// Precise location is off, so the phone gives a place of interest nearby.
  case reduced
  /// The system hands out a position that it made earlier (SL5, NO3).
  case cached

  /// Is the name of the source in records, tables and plots.
  package var name: String {
    switch self {
    case .satellites: "satellites"
    case .wifi: "wifi"
    case .cell: "cell"
    case .reduced: "reduced"
    case .cached: "cached"
    }
  }
}
