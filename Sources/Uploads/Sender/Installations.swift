internal import Core
internal import Phone
internal import Synchronization

/// Maps attempts to installations, for phones whose app was reinstalled during a live run (LC16).
/// Written on the shards' queues, read on the event loop's thread.
final class Installations: Sendable {
  private let first: UInt32
  private let later: Mutex<[PhoneID: [(attempt: UInt32, epoch: UInt32)]]>

  init(first: UInt32) {
    self.first = first
    later = Mutex([:])
  }

  func note(_ orders: [UploadOrder]) {
    guard orders.contains(where: { $0.id.epoch != first }) else { return }
    later.withLock { later in
      for order in orders where order.id.epoch != first {
        if later[order.id.phone]?.last?.epoch == order.id.epoch { continue }
        later[order.id.phone, default: []].append((order.attempt, order.id.epoch))
      }
    }
  }

  func epoch(of phone: PhoneID, attempt: UInt32) -> UInt32 {
    later.withLock { later in
      later[phone]?.last { $0.attempt <= attempt }?.epoch ?? first
    }
  }
}
