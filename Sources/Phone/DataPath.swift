package import Core
package import Scenarios

/// The common settings of a fleet's uploads: their identity, their format on the wire, and their
/// duration on an ideal network. Every engine uses the same draw: in a live run a real answer that
/// arrives earlier is held back until then.
package struct DataPath: Sendable {
  let seed: UInt64
  let model: NetworkModel
  let encoding: BatchEncoding
  /// The epoch with which the phones begin; each new installation adds one (LC16).
  package let epoch: UInt32
  /// The key of the hash over batches.
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
