import Core
import Foundation
import Synchronization
import Testing

@testable import Run
@testable import Uploads

/// The processes of one run, as threads of this one: each has its own link, and messages travel as
/// text.
final class ThreadShares: Sendable {
  private struct Content {
    /// Values given by threads that wait in the present exchange.
    var given: [Int: Data] = [:]
    /// Results of every exchange so far, in order.
    var exchanges: [[Data?]] = []
    var ends: [Int: Data] = [:]
    var rounds: IntervalRounds
    var isStopped = false
  }
  private let count: Int
  private let condition = NSCondition()
  private let content: Mutex<Content>

  init(_ count: Int) {
    self.count = count
    content = Mutex(Content(rounds: IntervalRounds(processes: count)))
  }

  func link(_ number: Int) -> ThreadLink { ThreadLink(self, SharePlace(number: number, of: count)) }

  /// Values of the shares in every exchange; nil for one that had ended.
  func exchanges<Value: Codable>(of type: Value.Type) throws -> [[Value?]] {
    let exchanges = content.withLock { $0.exchanges }
    return try exchanges.map { round in
      try round.map { data in try data.map { try Self.value($0) } }
    }
  }

  /// Runs `body` for every share on a separate thread.
  ///
  /// - Returns: the results, in the order of their phones.
  func run<Result: Sendable>(_ body: @escaping @Sendable (ThreadLink) -> Result) -> [Result] {
    let results = Mutex<[Int: Result]>([:])
    let box = Box(results)
    let done = DispatchSemaphore(value: 0)
    for number in 0..<count {
      let link = link(number)
      Thread {
        let result = body(link)
        box.value.withLock { $0[number] = result }
        done.signal()
      }.start()
    }
    for _ in 0..<count { done.wait() }
    return box.value.withLock { results in (0..<count).compactMap { results[$0] } }
  }

  private final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
  }

  // MARK: The side of the links

  fileprivate func exchange<Value: Codable>(_ mine: Value, from number: Int) -> [Value?] {
    let data = Self.data(mine)
    condition.lock()
    defer { condition.unlock() }
    let round = content.withLock { content in
      content.given[number] = data
      return content.exchanges.count
    }
    completeExchange()
    while content.withLock({ $0.exchanges.count }) == round { condition.wait() }
    return content.withLock { $0.exchanges[round] }.map { $0.flatMap { try? Self.value($0) } }
  }

  /// Ends the present exchange if all threads that have not ended are in it.
  private func completeExchange() {
    let isComplete = content.withLock { content in
      guard !content.given.isEmpty,
        (0..<count).allSatisfy({ content.given[$0] != nil || content.ends[$0] != nil })
      else { return false }
      content.exchanges.append((0..<count).map { content.given[$0] })
      content.given = [:]
      return true
    }
    if isComplete { condition.broadcast() }
  }

  fileprivate func end(_ mine: ShareEnd, of number: Int) -> [ShareEnd] {
    let data = Self.data(mine)
    condition.lock()
    defer { condition.unlock() }
    content.withLock { content in
      #expect(content.ends[number] == nil, "a share ends once")
      content.ends[number] = data
    }
    completeExchange()
    condition.broadcast()
    guard number == 0 else { return [mine] }
    while content.withLock({ $0.ends.count }) < count { condition.wait() }
    let ends = content.withLock { content in (0..<count).compactMap { content.ends[$0] } }
    return ends.compactMap { try? Self.value($0) }
  }

  fileprivate func post(_ interval: ShareInterval?, from number: Int) {
    let travelled = interval.flatMap { try? Self.value(Self.data($0)) as ShareInterval }
    let packed = travelled.map(PackedInterval.init)
    content.withLock { $0.rounds.add(packed, from: number) }
  }

  fileprivate func takeInterval() -> ShareInterval? { content.withLock { $0.rounds.next() } }

  fileprivate func stop() { content.withLock { $0.isStopped = true } }
  fileprivate var isStopped: Bool { content.withLock { $0.isStopped } }

  // MARK: Encoded form

  private static func data(_ value: some Encodable) -> Data {
    do { return try JSONEncoder().encode([value]) } catch {
      preconditionFailure("what shares give each other can be written: \(error)")
    }
  }

  private static func value<Value: Decodable>(_ data: Data) throws -> Value {
    try JSONDecoder().decode([Value].self, from: data)[0]
  }
}

/// The link of one thread to the others.
struct ThreadLink: ShareLink {
  private let shares: ThreadShares
  let place: SharePlace

  init(_ shares: ThreadShares, _ place: SharePlace) {
    self.shares = shares
    self.place = place
  }

  func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?] {
    shares.exchange(mine, from: place.number)
  }

  /// Threads have one clock: the last of them sets the instant.
  func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant {
    let instants = exchange((wall() + lead).microseconds).compactMap(\.self)
    return WallInstant(microseconds: instants.max() ?? (wall() + lead).microseconds)
  }

  func post(_ interval: ShareInterval?) { shares.post(interval, from: place.number) }

  func takeInterval() -> ShareInterval? { place.isFirst ? shares.takeInterval() : nil }

  func stop() { shares.stop() }
  var notes: [String] { [] }
  func send(_ parcel: Data, to process: Int) {}
  func takeParcels() -> [(from: Int, parcel: Data)] { [] }

  var isStopped: Bool { shares.isStopped }

  func end(_ mine: ShareEnd) -> [ShareEnd] { shares.end(mine, of: place.number) }
}

/// The link of a thread that does not fulfil all of a link's duties.
struct AlteredLink: ShareLink {
  let link: ThreadLink
  /// False: it never exchanges values with the others.
  var exchanges = true
  /// Why it cannot hand over its part; nil: it can.
  var failure: String?
  var place: SharePlace { link.place }

  func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?] {
    guard !exchanges else { return link.exchange(mine) }
    return (0..<place.count).map { $0 == place.number ? mine : nil }
  }

  func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant { link.startInstant(in: lead, wall: wall) }

  func post(_ interval: ShareInterval?) { link.post(interval) }
  func takeInterval() -> ShareInterval? { link.takeInterval() }
  func stop() { link.stop() }
  var notes: [String] { link.notes }
  func send(_ parcel: Data, to process: Int) {}
  func takeParcels() -> [(from: Int, parcel: Data)] { [] }
  var isStopped: Bool { link.isStopped }

  func end(_ mine: ShareEnd) -> [ShareEnd] {
    let ends = link.end(failure.map(ShareEnd.failed) ?? mine)
    return place.isFirst ? ends : [mine]
  }
}
