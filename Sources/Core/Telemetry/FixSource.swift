/// The source of a fix, for Flotilla's accounts only. Neither the app nor the server learns the
/// source (SL6), which is stored beside the fix and not in it.
package enum FixSource: UInt8, CaseIterable, Codable, Sendable, BitwiseCopyable {
  case satellites, wifi, cell
  case reduced
  /// A position that the system made earlier (SL5, NO3).
  case cached

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
