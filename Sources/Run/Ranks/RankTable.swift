internal import Core
internal import Foundation
internal import Uploads

/// Decides what a process sends and what it waits for. All exchanges go through the first process.
/// Callers pass the time and messages, and take outgoing messages from `outbox`.
struct RankTable: Sendable {
  let place: SharePlace
  var outbox: [(to: Int, message: RankMessage)] = []
  private(set) var answers: [[Data?]] = []
  private(set) var intervals: [(from: Int, interval: Data?)] = []
  private(set) var parcels: [(from: Int, parcel: Data)] = []
  private(set) var isStopped = false
  var times: [Int64] = []
  private(set) var mayLeave = false

  private var begun: [Int]
  private var given: [[Int: Data]] = []
  private var exchangesOver = 0
  private var ends: [Int: Data] = [:]
  /// The processes that have exited without an `ends` message.
  private(set) var gone: Set<Int> = []
  private var seen: [WallInstant]
  private var nextSign: WallInstant

  /// The interval between heartbeats.
  static let signEvery = WallDuration.milliseconds(100)
  /// The silence after which a process counts as gone.
  static let silenceMax = WallDuration.seconds(4)
  /// The silence limit after a stop, short enough to write results before mpirun kills.
  private let silenceMaxOnceStopped: WallDuration

  init(_ place: SharePlace, at now: WallInstant, patience: WallDuration = .seconds(1)) {
    self.place = place
    silenceMaxOnceStopped = min(
      Self.silenceMax, WallDuration(microseconds: patience.microseconds / 5 * 4))
    begun = Array(repeating: 0, count: place.count)
    seen = Array(repeating: now, count: place.count)
    nextSign = now
  }

  // MARK: This process

  mutating func give(_ data: Data) { send(.gives(data)) }

  mutating func takeAnswer() -> [Data?]? {
    if !answers.isEmpty { return answers.removeFirst() }
    // Without the first process, an exchange ends with an empty list.
    return gone.contains(0) ? [] : nil
  }

  mutating func post(_ interval: Data?) { send(.saw(interval)) }

  mutating func takeIntervals() -> [(from: Int, interval: Data?)] {
    defer { intervals.removeAll() }
    return intervals
  }

  /// Sends a parcel; a parcel for this process is delivered directly.
  mutating func send(_ parcel: Data, to rank: Int) {
    if rank == place.number { return parcels.append((rank, parcel)) }
    guard !gone.contains(rank) else { return }
    outbox.append((rank, .parcel(parcel)))
  }

  mutating func takeParcels() -> [(from: Int, parcel: Data)] {
    defer { parcels.removeAll() }
    return parcels
  }

  mutating func stop() { if !isStopped { send(.stops) } }

  mutating func end(_ data: Data) { send(.ends(data)) }

  /// Lets the other processes leave. A process that left earlier would busy-wait for the first.
  mutating func leave() {
    guard place.isFirst else { return }
    mayLeave = true
    for other in 1..<place.count where !gone.contains(other) { outbox.append((other, .leaves)) }
  }

  /// The ends in phone order, nil for an exited process. The list is nil until all have ended.
  var allEnds: [Data?]? {
    guard (0..<place.count).allSatisfy({ ends[$0] != nil || gone.contains($0) }) else {
      return nil
    }
    return (0..<place.count).map { ends[$0] }
  }

  private mutating func send(_ message: RankMessage) {
    // A message of the first process to itself is delivered directly.
    if place.isFirst { take(message, from: 0) } else { outbox.append((0, message)) }
  }

  // MARK: The others

  mutating func notice(_ rank: Int, at now: WallInstant) { seen[rank] = now }

  /// - Parameter now: this process's wall clock; the first process answers `asksTime` with it.
  mutating func receive(_ message: RankMessage, from rank: Int, at now: WallInstant) {
    notice(rank, at: now)
    // A message of an exited process is ignored, because the others have continued without it.
    guard !gone.contains(rank) else { return }
    if case .asksTime = message { return outbox.append((rank, .time(now.microseconds))) }
    take(message, from: rank)
  }

  private mutating func take(_ message: RankMessage, from rank: Int) {
    switch message {
    case .gives(let data):
      let place = begun[rank] - exchangesOver
      begun[rank] += 1
      while given.count <= place { given.append([:]) }
      given[place][rank] = data
      completeExchanges()
    case .given(let list): answers.append(list)
    case .saw(let interval): intervals.append((rank, interval))
    case .ends(let data):
      ends[rank] = data
      completeExchanges()
    case .stops: stopAll()
    case .lives, .asksTime: break
    case .time(let time): times.append(time)
    case .leaves: mayLeave = true
    case .parcel(let parcel): parcels.append((rank, parcel))
    }
  }

  private mutating func stopAll() {
    guard !isStopped else { return }
    isStopped = true
    guard place.isFirst else { return }
    for other in 1..<place.count where !gone.contains(other) { outbox.append((other, .stops)) }
  }

  private mutating func completeExchanges() {
    while let round = given.first, !round.isEmpty,
      (0..<place.count).allSatisfy({ round[$0] != nil || isOver($0) })
    {
      given.removeFirst()
      exchangesOver += 1
      let list = (0..<place.count).map { round[$0] }
      for rank in round.keys.sorted() {
        if rank == 0 { answers.append(list) } else { outbox.append((rank, .given(list))) }
      }
    }
  }

  private func isOver(_ rank: Int) -> Bool { ends[rank] != nil || gone.contains(rank) }

  // MARK: Time

  /// Sends a heartbeat if it is due, and checks which processes have become silent.
  mutating func tick(at now: WallInstant) {
    guard place.count > 1 else { return }
    let limit = isStopped ? silenceMaxOnceStopped : Self.silenceMax
    for other in place.isFirst ? Array(1..<place.count) : [0]
    where !isOver(other) && !mayLeave && now - seen[other] > limit { lose(other) }
    if now >= nextSign {
      nextSign = now + Self.signEvery
      for other in place.isFirst ? Array(1..<place.count) : [0] where !gone.contains(other) {
        outbox.append((other, .lives))
      }
    }
  }

  private mutating func lose(_ rank: Int) {
    gone.insert(rank)
    if rank == 0 { mayLeave = true }
    intervals.append((rank, nil))
    stopAll()
    completeExchanges()
  }
}
