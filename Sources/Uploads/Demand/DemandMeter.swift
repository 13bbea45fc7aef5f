package import Capacity
package import Core
package import Phone
package import Scenarios

/// Records the demand of a simulated fleet on the server. Used by the simulation's thread only.
package final class DemandMeter {
  /// The recorded demand; empty while `log` takes the batches.
  package private(set) var recorder: DemandRecorder
  /// The batches of one part of a fleet; nil if this process has all phones.
  package private(set) var log: DemandLog?
  private let begin: SimInstant
  private let encoding: BatchEncoding
  /// The policy index of each cohort and, in `rollouts`, of each rollout.
  private let cohorts: [Int]
  private let rollouts: [Int]
  private let streams: DemandStreams

  /// One batch in 16 is sized, because encoding each would cost as much as simulating it.
  private static let sized = 16
  private let requests: RequestMeter?
  private var number = 0
  private var bytesPerFix = 12.0

  package init(_ scenario: Scenario, keepsLog: Bool = false, requests: RequestMeter? = nil) {
    self.requests = requests
    let streams = DemandStreams(scenario)
    self.streams = streams
    recorder = DemandRecorder(
      policies: streams.names, systems: streams.systems,
      seconds: (scenario.measureEnd - scenario.measureStart).seconds)
    log = keepsLog ? DemandLog() : nil
    begin = scenario.measureStart
    encoding = scenario.encoding
    cohorts = scenario.fleet.cohorts.map(\.policy)
    rollouts = scenario.rollouts.map(\.policy)
  }

  package func arrived(_ order: UploadOrder, _ fixes: UnsafeBufferPointer<Fix>) {
    let policy = order.rollout > 0 ? rollouts[Int(order.rollout) - 1] : cohorts[Int(order.cohort)]
    var batch = MeteredBatch(
      at: (order.reachesServer - begin).microseconds, phone: order.id.phone.rawValue,
      policy: streams.place(policy, cohort: Int(order.cohort)), fixes: fixes.count, bytes: 0,
      opens: (order.intended - begin).microseconds,
      closes: (order.perceivedAt - begin).microseconds)
    requests?.arrived(order, fixes)
    guard batch.at >= 0 else { return }
    guard log == nil else {
      batch.bytes = size(of: fixes)
      log?.append(batch)
      return
    }
    record(batch) { size(of: fixes) }
  }

  /// Takes an event that a phone sends, before the uploads of the same window.
  package func sent(_ event: EventOrder) { requests?.sent(event) }

  /// Records the batches of all parts of a fleet; throws if a log cannot be read.
  package func record(_ logs: [DemandLog]) throws(DemandLogError) {
    var isKnown = true
    try DemandLog.forEach(in: logs) { batch in
      isKnown = isKnown && recorder.policies.indices.contains(batch.policy)
      if isKnown { record(batch) { batch.bytes } }
    }
    guard isKnown else { throw DemandLogError() }
  }

  private func record(_ batch: MeteredBatch, size: () -> Int) {
    func seconds(_ instant: Int64) -> Double { SimDuration(microseconds: instant).seconds }
    recorder.add(
      seconds(batch.at), phone: batch.phone, policy: batch.policy, fixes: batch.fixes,
      bytes: bytes(batch.fixes, size: size),
      open: seconds(batch.opens)...max(seconds(batch.opens), seconds(batch.closes)))
  }

  private func bytes(_ fixes: Int, size: () -> Int) -> Int {
    number += 1
    if number % Self.sized == 1 || fixes == 1 {
      let bytes = size()
      if fixes > 1 { bytesPerFix += (Double(bytes) / Double(fixes) - bytesPerFix) / 64 }
      return bytes
    }
    return Int(bytesPerFix * Double(fixes))
  }

  private func size(of fixes: UnsafeBufferPointer<Fix>) -> Int {
    var size = BatchSize()
    for fix in fixes { size.add(fix) }
    return size.bytes(as: encoding)
  }

  package func pushed(_ instants: [SimInstant]) {
    for instant in instants { recorder.addPush((instant - begin).seconds) }
  }
}

/// The streams of batches that a recorder counts: one for each policy, and for a policy of both
/// systems one for each system.
private struct DemandStreams {
  private(set) var names: [String] = []
  private(set) var systems: [SystemKind] = []
  private let kinds: [SystemKind]
  private var places: [[SystemKind: Int]] = []

  init(_ scenario: Scenario) {
    kinds = scenario.fleet.cohorts.map(\.os.value.system.kind)
    for (policy, name) in scenario.policies.map(\.name).enumerated() {
      let used = SystemKind.allCases.filter { kind in
        kinds.indices.contains { kinds[$0] == kind && scenario.hasPolicy(policy, cohort: $0) }
      }
      var own: [SystemKind: Int] = [:]
      for kind in used.isEmpty ? [.iOS] : used {
        own[kind] = names.count
        names.append(used.count > 1 ? "\(name) on \(kind.rawValue)" : name)
        systems.append(kind)
      }
      places.append(own)
    }
  }

  func place(_ policy: Int, cohort: Int) -> Int { places[policy][kinds[cohort]] ?? 0 }
}
