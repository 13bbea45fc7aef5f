package import Scenarios
package import SimulationCore
package import Telemetry

/// Models the time that an upload takes on an ideal network, as the phone perceives it.
///
/// Every engine uses the same draw: in virtual time the answer comes at that instant, and in a live
/// run a real answer that came earlier is held back until then.
package struct DataPath: Sendable {
  let seed: UInt64
  let model: NetworkModel

  /// Makes a data path from the scenario's seed and its network model.
  package init(seed: UInt64, model: NetworkModel) {
    self.seed = seed
    self.model = model
  }

  /// Returns the round-trip time of one attempt: the path's floor plus an exponential draw keyed by
  /// phone and attempt.
  package func roundTrip(wifi: Bool, phone: PhoneID, attempt: UInt32) -> SimDuration {
    let path = wifi ? model.wifi : model.cellular
    var draw = Draw(seed: seed, phone: phone.rawValue, .networkTime, Int64(attempt))
    return path.floor + SimDuration(seconds: draw.exponential(mean: path.mean.seconds))
  }

  /// Returns the share of a round trip that has passed when the server has the batch.
  package func uplink(of trip: SimDuration) -> SimDuration { model.uplink(of: trip) }
}
