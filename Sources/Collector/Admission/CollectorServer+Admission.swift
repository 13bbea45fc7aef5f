internal import Measure
internal import SimulationCore
package import Transport
package import Wire

/// Which uploads come in. Calls that the run itself needs (registration, sweeps, snapshots, health)
/// always do: they are few, and without them nobody could say what is wrong.
extension CollectorServer {
  package func refusal(of opening: CallOpening) -> CallStatus? {
    guard opening.method == .upload else { return nil }
    figures.loopQueue.record(opening.queueingDelay.microseconds)
    admission.observe(opening.queueingDelay)
    if admission.isDue(at: opening.at) {
      let stored = storeQueue.delay(
        waiting: desk.uploadsWaiting, oldest: store.oldestWaiting, at: opening.at)
      admission.update(delay: stored, at: opening.at)
      rpc.expectRefusals(of: admission.isShedding ? admission.dropProbability : 0)
    }
    guard !admission.admits(rate: opening.connectionRate) else { return nil }
    figures.shed += 1
    return CallStatus(
      .resourceExhausted, "admission", pushbackMilliseconds: admission.pushbackMilliseconds())
  }

  /// Notes what the uploads of a commit have waited for its begin.
  func noteQueue(of report: CommitReport) {
    var worst = WallDuration.zero
    for token in report.tokens {
      guard let upload = desk.upload(token) else { continue }
      let waited = max(.zero, report.began - upload.call.receivedAt)
      worst = max(worst, waited)
      figures.storeQueue.record(waited.microseconds)
    }
    storeQueue.committed(records: report.tokens.count, took: report.took, worst: worst)
  }
}
