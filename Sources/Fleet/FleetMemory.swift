internal import SimulationCore
internal import Telemetry
internal import Tracker

/// What a fleet's phones take of the machine's memory.
extension Shard {
  /// What it has allocated for its phones, in bytes: their records, outboxes and due instants, and
  /// what they hand over between two windows. Logs of what happened are a run's, not the phones'.
  package var bytes: Int {
    phones.bytes + pool.bytes + wheel.bytes + taken.capacity * MemoryLayout<Int32>.stride
      + orders.capacity * MemoryLayout<UploadOrder>.stride
      + orderFixes.capacity * MemoryLayout<Fix>.stride
      + tallies.capacity * MemoryLayout<PhoneTally>.stride
  }
}

extension PhoneFleet {
  /// Bytes that the fleet has allocated a phone.
  package var bytesPerPhone: Double {
    var bytes = 0
    var phones = 0
    inOrder {
      bytes += $0.bytes
      phones += $0.count
    }
    return Double(bytes) / Double(max(1, phones))
  }
}
