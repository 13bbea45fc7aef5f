package import Core
package import Scenarios

/// The settings that all uploads of a fleet share, such as the wire format and the network model.
/// Simulations and live runs draw the same duration for an attempt. A live run holds back each
/// answer until the drawn duration is over.
package struct DataPath: Sendable {
  let seed: UInt64
  let model: NetworkModel
  let encoding: BatchEncoding
  /// The epoch of each phone's first installation, to which each reinstall adds 1 (LC16).
  package let epoch: UInt32
  /// The key of the batch hashes.
  package let hashKey: UInt64
  package let outages: OutagePlan

  package init(
    seed: UInt64, model: NetworkModel, encoding: BatchEncoding = .packed, epoch: UInt32 = 1,
    hashKey: UInt64 = 0, outages: OutagePlan = OutagePlan([])
  ) {
    self.seed = seed
    self.model = model
    self.encoding = encoding
    self.epoch = epoch
    self.hashKey = hashKey
    self.outages = outages
  }

  package func roundTrip(wifi: Bool, phone: PhoneID, attempt: UInt32) -> SimDuration {
    let path = wifi ? model.wifi : model.cellular
    var draw = Draw(seed: seed, phone: phone.rawValue, .networkTime, Int64(attempt))
    return path.floor + SimDuration(seconds: draw.exponential(mean: path.mean.seconds))
  }

  package func uplink(of trip: SimDuration) -> SimDuration { model.uplink(of: trip) }
}
