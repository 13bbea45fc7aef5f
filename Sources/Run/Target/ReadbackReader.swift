internal import Core
internal import Dispatch
internal import Figures
internal import Foundation
internal import Scenarios
internal import Synchronization
internal import Transport
internal import Uploads
internal import Targets

/// Reads back what a target has stored of some phones during the run, and of all phones or a sample
/// at its end. Used from the run's own thread; answers are parsed on another queue.
final class ReadbackReader {
  private let sender: TargetSender
  private let shift: SimDuration
  private let phones: Range<Int>
  private let queue = DispatchQueue(label: "flotilla.readback")
  private let sampler: Sampler
  private let pause: WallDuration
  private let perSecondMax: Double
  private(set) var nextLook = WallInstant.distantPast
  private var looks: Int64 = 0
  private var saidCount = 0
  private let seed: UInt64
  private var readsFixes: Bool { sender.setup.target.readback != nil }

  /// The minimum pause between phones during a run, for at most 200 phones per minute.
  private static let pause = WallDuration.milliseconds(300)
  /// The waits before each read, because a server may store a batch after acknowledging it.
  private static let grace: [DispatchTimeInterval] = [.seconds(2), .seconds(5)]
  /// The maximum number of phones read at the end, a sample if there are more.
  private static let phonesMax = 5_000
  private static let endsWithin = WallDuration.seconds(60)
  private static let saidMax = 5

  init?(_ setup: TargetSetup, _ sender: TargetSender, _ plan: RunPlan) {
    guard setup.target.readback != nil || setup.target.events?.readback != nil else { return nil }
    self.sender = sender
    shift = sender.shift
    phones = plan.phones
    sampler = Sampler(sender, queue, phones)
    seed = plan.scenario.seed
    // Reading may use at most a twentieth of the server's rate limit.
    let limit = setup.rateLimit.map {
      WallDuration(seconds: 20 / ($0.perSecond * plan.phonesShare))
    }
    pause = max(Self.pause, limit ?? .zero)
    perSecondMax = setup.rateLimit.map { $0.perSecond * plan.phonesShare } ?? 1e6
    wall = plan.wall
  }

  private let wall: @Sendable () -> WallInstant

  // MARK: While the run is live

  /// Reports the problems found so far, and reads a phone back if a read is due.
  func look(at now: WallInstant, say: (String) -> Void) {
    for line in sampler.found.withLock({ lines in
      defer { lines = [] }
      return lines
    }) where saidCount < Self.saidMax {
      saidCount += 1
      say(line)
    }
    guard readsFixes, now >= nextLook else { return }
    nextLook = now + pause
    looks += 1
    for attempt in 0..<20 {
      var draw = Draw(seed: seed, phone: UInt32(attempt), .uploadRetry, looks, 2)
      let place = min(phones.count - 1, Int(draw.uniform() * Double(phones.count)))
      let stored = sender.stored(place)
      guard !stored.isEmpty else { continue }
      return sampler.read(place, stored, Self.grace[...])
    }
  }

  // MARK: At the end

  /// What the server acknowledged to a phone, and the comparison of rows with it.
  private struct Held: Sendable {
    var place: Int
    var compare: @Sendable (ReadbackRows) -> TargetFigures.Readback
  }

  /// Returns nil without a read-back of fixes.
  func compareFixes(say: (String) -> Void) -> TargetFigures.Readback? {
    guard readsFixes else { return nil }
    let (shift, startsAt) = (shift, sender.startsAt / 1_000)
    let held = sender.allStored().map { phone in
      Held(place: phone.place) { rows in
        var rows = rows
        rows.drop(before: startsAt)
        return rows.compare(
          phone.fixes, unknown: phone.unknown, partly: phone.partly, shift: shift)
      }
    }
    return compareAll(held, .readback, "fixes", say: say)
  }

  /// Returns nil without a read-back of events.
  func compareEvents(say: (String) -> Void) -> TargetFigures.Readback? {
    guard sender.setup.target.events?.readback != nil else { return nil }
    let held = sender.allStoredEvents().map { phone in
      Held(place: phone.place) { $0.compare(phone.events) }
    }
    return compareAll(held, .eventReadback, "events", say: say)
  }

  private func compareAll(
    _ held: [Held], _ kind: RequestKind, _ what: String, say: (String) -> Void
  ) -> TargetFigures.Readback {
    var result = TargetFigures.Readback()
    let most = max(1, min(Self.phonesMax, Int(Self.endsWithin.seconds * 0.8 * perSecondMax)))
    let step = max(1, (held.count + most - 1) / most)
    var left = stride(from: 0, to: held.count, by: step).map { held[$0] }
    guard !left.isEmpty else { return result }
    say("reading back the \(what) of \(Figure.grouped(left.count)) phones")
    let limit = wall() + Self.endsWithin
    // The last result of each phone. Without time left, a phone keeps its earlier result.
    var ends: [Int: Read] = [:]
    for round in 0..<4 where !left.isEmpty {
      if round > 0 { Waiter.shared.pause(.seconds(1)) }
      for (phone, end) in zip(left, readAll(left, kind, until: limit)) {
        if let end { ends[phone.place] = end }
      }
      left.removeAll { ends[$0.place]?.isWhole == true }
    }
    for place in stride(from: 0, to: held.count, by: step).map({ held[$0].place }) {
      switch ends[place] {
      case .success(let found)?:
        result.merge(found)
        if found.missing > 0 { result.phonesMissing.append(phones.lowerBound + place) }
      case .failure(let fault)?: result.note(unread: fault.description)
      case nil: result.unasked = (result.unasked ?? 0) + 1
      }
    }
    result.phonesMissing = Array(result.phonesMissing.prefix(20))
    return result
  }

  /// Returns the read-backs of phones, read concurrently; nil for phones not read before `limit`.
  private func readAll(_ all: [Held], _ kind: RequestKind, until limit: WallInstant) -> [Read?] {
    let results = Mutex([Read?](repeating: nil, count: all.count))
    let free = DispatchSemaphore(value: Self.atOnce)
    let group = DispatchGroup()
    for (number, phone) in all.enumerated() where wall() < limit {
      free.wait()
      group.enter()
      sender.readBack(phone.place, kind, on: queue, mayGoOn: { [wall] in wall() < limit }) { end in
        let found = end.map(phone.compare)
        results.withLock { $0[number] = found }
        free.signal()
        group.leave()
      }
    }
    group.wait()
    return results.withLock { $0 }
  }

  private static let atOnce = 32
}

private typealias Read = Result<TargetFigures.Readback, ReadbackError>

extension Read {
  /// Whether all fixes were found. If not, the phone is read again, as the server may store late.
  fileprivate var isWhole: Bool {
    guard let found = try? get() else { return false }
    return found.missing == 0 && found.unreadable?.fixes ?? 0 == 0
  }
}

private final class Sampler: Sendable {
  let found = Mutex<[String]>([])
  private let sender: TargetSender
  private let queue: DispatchQueue
  private let phones: Range<Int>

  init(_ sender: TargetSender, _ queue: DispatchQueue, _ phones: Range<Int>) {
    self.sender = sender
    self.queue = queue
    self.phones = phones
  }

  /// Compares a phone's fixes after each wait, until all of them are present.
  func read(_ place: Int, _ stored: [Fix], _ waits: ArraySlice<DispatchTimeInterval>) {
    guard let wait = waits.first else { return }
    queue.asyncAfter(deadline: .now() + wait) { [self] in
      sender.readBack(place, on: queue) { [self] end in
        guard let problem = problem(end, stored) else { return }
        guard waits.count == 1 else { return read(place, stored, waits.dropFirst()) }
        let phone = "\(sender.setup.target.name): phone \(phones.lowerBound + place)"
        found.withLock { $0.append("\(phone) \(problem)") }
        Waiter.shared.wake()
      }
    }
  }

  private func problem(
    _ end: Result<ReadbackRows, ReadbackError>, _ stored: [Fix]
  ) -> String? {
    switch end {
    case .failure(let fault): return "could not be read back: \(fault)"
    case .success(var rows):
      rows.drop(before: sender.startsAt / 1_000)
      let result = rows.compare(stored, shift: sender.shift)
      if result.missing > 0 {
        let displaced = result.displaced.map { ". \($0.sentence)" } ?? ""
        return "has \(result.confirmed) of the \(stored.count) fixes that were answered "
          + "as stored\(displaced)"
      }
      guard let unreadable = result.unreadable, unreadable.fixes > 0 else { return nil }
      return "has \(unreadable.rows) rows that cannot be read, such as "
        + unreadable.example
    }
  }
}
