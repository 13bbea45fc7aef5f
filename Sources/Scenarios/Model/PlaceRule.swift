package import SimulationCore

/// The places round which an app keeps regions, to hear when its user arrives and leaves (RG5, RG9,
/// RG10): home, work, and others from the favourite on.
package struct PlaceRule: Equatable, Sendable, BitwiseCopyable {
  /// Which regions an app sets that knows more places than the system takes.
  package enum Choice: String, CaseIterable, Sendable, BitwiseCopyable {
    /// RG10: Those nearest to the last known position; beyond their edge it chooses again.
    case nearest
    /// The first of its list, and the rest in vain.
    case first
  }

  /// Says through which of the system's interfaces an app sets its regions.
  package enum Interface: String, CaseIterable, Sendable, BitwiseCopyable {
    /// The location manager's, which tells of crossings.
    case regions
    /// CLMonitor's, which tells of changes of state (CM1); a system without it has the other.
    case monitor
  }

  /// The radius of each region; at least 100 m (RG1).
  package var radius: Distance
  /// The number of places beside home and work, from the favourite on.
  package var others: Int
  /// Which regions are set if there are too many places.
  package var choose: Choice
  /// Says through which interface the regions are set.
  package var interface = Interface.regions
  /// CM2: Is true if the app opens its monitor whenever it is launched in the background.
  package var opensMonitor = true

  /// The number of places that the app knows.
  package var count: Int { 2 + others }

  /// The most places that an app knows: a phone counts them in 32 bits.
  package static let most = 32

  /// Regions of 150 m round home, work and three favourites.
  package static var standard: PlaceRule {
    PlaceRule(radius: .meters(150), others: 3, choose: .nearest)
  }
}
