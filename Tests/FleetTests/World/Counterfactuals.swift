@testable import Fleet
import Core

extension PhoneFleet {
  /// Simulates the counterfactual of every push, and hands over none of them.
  func runCounterfactuals(_ pushes: [SilentPush]) {
    forEachShard(with: pushes) { shard, push in shard.runCounterfactual(of: push) }
  }
}
