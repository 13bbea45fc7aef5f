package import Core
package import Scenarios

/// The duration of an upload on an ideal network. Every engine uses the same draw: in a live run a
/// real answer that came earlier is held back until then.
package struct DataPath: Sendable {
  let seed: UInt64
  let model: NetworkModel

  package init(seed: UInt64, model: NetworkModel) {
    self.seed = seed
    self.model = model
  }

  package func roundTrip(wifi: Bool, phone: PhoneID, attempt: UInt32) -> SimDuration {
    let path = wifi ? model.wifi : model.cellular
    var draw = Draw(seed: seed, phone: phone.rawValue, .networkTime, Int64(attempt))
    return path.floor + SimDuration(seconds: draw.exponential(mean: path.mean.seconds))
  }

  package func uplink(of trip: SimDuration) -> SimDuration { model.uplink(of: trip) }
}
