package import Core
package import Foundation
internal import Synchronization
package import Uploads

/// Connects the processes of a run over a port, such as MPI's. A separate thread uses the port and
/// monitors the other processes, so that neither event loops nor phones wait for them.
package final class RankLink: ShareLink {
  package let place: SharePlace
  private let service: RankService
  private let rounds: Mutex<IntervalRounds>
  private let clock = Mutex<[ClockBound]>([])
  private let hasEnded = Mutex(false)

  /// Connects to the other processes. Returns after all have connected.
  /// - Parameter patience: the time from mpirun's first signal to its second. mpirun kills the
  ///   processes after twice `patience`.
  package init<Port: RankPort>(
    wall: @escaping @Sendable () -> WallInstant, patience: WallDuration = .seconds(1),
    open: @escaping @Sendable () throws(RankPortError) -> Port
  ) throws(RankPortError) {
    service = try RankService(wall: wall, patience: patience, open: open)
    place = service.place
    rounds = Mutex(IntervalRounds(processes: service.place.count))
  }

  // MARK: ShareLink

  package func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?] {
    let data = RankText.data(mine)
    service.change { $0.give(data) }
    let list = service.wait { $0.takeAnswer() }
    // A list of another length means that the first process has exited.
    guard list.count == place.count else {
      return (0..<place.count).map { $0 == place.number ? mine : nil }
    }
    return list.map { data in data.flatMap(RankText.value) }
  }

  /// Returns the common start of the live part, converted to this machine's clock.
  package func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant {
    let mine = place.isFirst ? ClockBound(ahead: 0, bound: 0) : compareClocks(wall)
    let all = exchange(mine)
    clock.withLock { $0 = all.map { $0 ?? ClockBound(ahead: 0, bound: 0) } }
    let ready = exchange((wall() + lead).microseconds - mine.ahead).compactMap(\.self)
    let start = ready.max() ?? ((wall() + lead).microseconds - mine.ahead)
    return WallInstant(microseconds: start + mine.ahead)
  }

  private func compareClocks(_ wall: () -> WallInstant) -> ClockBound {
    var best: ClockBound?
    for _ in 0..<Self.clockQuestions {
      let asked = wall().microseconds
      service.change { $0.outbox.append((0, .asksTime)) }
      let first: Int64? = service.wait { table in
        if table.gone.contains(0) { return .some(nil) }
        return table.times.isEmpty ? nil : .some(table.times.removeFirst())
      }
      guard let first else { break }
      let answered = wall().microseconds
      let bound = ClockBound(
        ahead: (asked + answered) / 2 - first, bound: (answered - asked + 1) / 2)
      if bound.bound < best?.bound ?? .max { best = bound }
    }
    return best ?? ClockBound(ahead: 0, bound: 0)
  }

  private static let clockQuestions = 20

  package var notes: [String] {
    clock.withLock { clocks in
      clocks.enumerated().dropFirst().map { number, clock in
        """
        the clock of \(place.name(of: number)) is \(abs(clock.ahead)) µs \
        \(clock.ahead < 0 ? "behind" : "ahead of") the first's, ± \(clock.bound) µs
        """
      }
    }
  }

  package func post(_ interval: ShareInterval?) {
    let data = interval.map { Data(PackedInterval($0).bytes) }
    service.change { $0.post(data) }
  }

  package func takeInterval() -> ShareInterval? {
    guard place.isFirst else { return nil }
    let arrived = service.change { $0.takeIntervals() }
    return rounds.withLock { rounds in
      for (from, data) in arrived {
        rounds.add(data.flatMap { PackedInterval(bytes: [UInt8]($0)) }, from: from)
      }
      return rounds.next()
    }
  }

  package func send(_ parcel: Data, to process: Int) {
    service.change { $0.send(parcel, to: process) }
  }

  package func takeParcels() -> [(from: Int, parcel: Data)] { service.change { $0.takeParcels() } }

  package func stop() { service.change { $0.stop() } }

  package var isStopped: Bool { service.look { $0.isStopped } }

  package func end(_ mine: ShareEnd) -> [ShareEnd] {
    hasEnded.withLock { $0 = true }
    // The first process keeps its own result and sends no copy.
    let data = place.isFirst ? Data() : RankText.data(mine)
    service.change { $0.end(data) }
    guard place.isFirst else { return [mine] }
    let ends = service.wait { $0.allEnds }
    return ends.enumerated().map { number, data in
      if number == place.number { return mine }
      guard let data else { return .failed("it exited") }
      return RankText.value(data) ?? .failed("its result cannot be read")
    }
  }

  // MARK: Leaving

  /// Leaves the run, and releases processes that wait for this one. If all are alive, waits until
  /// all leave. Returns false if another process has exited, which makes the run fail.
  package func leave() -> Bool {
    if !hasEnded.withLock({ $0 }) {
      stop()
      _ = end(.failed("it could not start"))
    }
    return service.leave()
  }
}

/// The offset of a process's clock from the first process's, in microseconds.
private struct ClockBound: Codable, Sendable {
  var ahead: Int64
  /// The maximum error of the offset, in microseconds.
  var bound: Int64
}

private enum RankText {
  static func data(_ value: some Encodable) -> Data {
    do { return try JSONEncoder().encode([value]) } catch {
      preconditionFailure("messages between processes can be encoded: \(error)")
    }
  }

  static func value<Value: Decodable>(_ data: Data) -> Value? {
    try? JSONDecoder().decode([Value].self, from: data)[0]
  }
}
