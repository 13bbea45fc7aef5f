package import Core

/// The places that an app monitors with regions (RG5, RG9, RG10): home, work, then favourites.
package struct PlaceRule: Equatable, Sendable, BitwiseCopyable {
  /// The regions that an app sets if it knows more places than the system accepts.
  package enum Choice: String, CaseIterable, Sendable, BitwiseCopyable {
    /// RG10: The places nearest to the phone, chosen again when the phone leaves their range.
    case nearest
    /// The first places of the list; the system refuses the rest.
    case first
  }

  package enum Interface: String, CaseIterable, Sendable, BitwiseCopyable {
    case regions
    /// CLMonitor, which reports changes of state (CM1). Systems without CLMonitor use `regions`.
    case monitor
  }

  /// The radius of each region; at least 100 m (RG1).
  package var radius: Distance
  /// The number of favourite places besides home and work, in the order of preference.
  package var others: Int
  package var choose: Choice
  package var interface = Interface.regions
  /// CM2: Whether the app opens its monitor at every background launch.
  package var opensMonitor = true
  /// CM5: Whether the app holds a `CLServiceSession`.
  package var holdsSession = true

  package var count: Int { 2 + others }

  /// The maximum number of places or regions of an app, which a phone keeps in 32 bits.
  package static let most = 32

  package static var standard: PlaceRule {
    PlaceRule(radius: .meters(150), others: 3, choose: .nearest)
  }
}
