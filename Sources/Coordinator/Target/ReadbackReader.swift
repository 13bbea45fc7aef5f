internal import Dispatch
internal import Fleet
internal import Foundation
internal import Measure
internal import Records
internal import Scenarios
internal import SimulationCore
internal import Synchronization
internal import Targets
internal import Telemetry
internal import Transport
internal import Uploads

/// Reads back what a target holds and compares it with what it said to have: some phones while the
/// run is live, all of them at its end.
///
/// Used from the run's own thread; answers are read on a queue of its own, since a long one would
/// make requests late.
final class ReadbackReader {
  private let sender: TargetSender
  private let shift: SimDuration
  private let phones: Range<Int>
  private let queue = DispatchQueue(label: "flotilla.readback")
  private let sampler: Sampler
  private let pause: WallDuration
  private var nextLook = WallInstant.distantPast
  private var looks: Int64 = 0
  private var saidCount = 0
  private let seed: UInt64

  /// Two hundred phones a minute are read while a run is live.
  private static let pause = WallDuration.milliseconds(300)
  /// A server may store a moment later what it has acknowledged.
  private static let grace: [DispatchTimeInterval] = [.seconds(2), .seconds(5)]
  /// The most phones that are read at the end; of more, as many are drawn.
  private static let phonesMax = 5_000
  /// Bounds the time for it.
  private static let endsWithin = WallDuration.seconds(60)
  private static let saidMax = 5

  init?(_ setup: TargetSetup, _ sender: TargetSender, _ plan: RunPlan) {
    guard setup.target.readback != nil else { return nil }
    self.sender = sender
    shift = sender.shift
    phones = plan.phones
    sampler = Sampler(sender, queue, phones)
    seed = plan.scenario.seed
    // Reading shall take no more than a twentieth of what the server may be asked.
    let limit = setup.rateLimit.map {
      WallDuration(seconds: 20 / ($0.perSecond * plan.phonesShare))
    }
    pause = max(Self.pause, limit ?? .zero)
    wall = plan.wall
  }

  private let wall: @Sendable () -> WallInstant

  // MARK: While the run is live

  /// Reads a phone back where it is time for one, and says what was found.
  func look(at now: WallInstant, say: (String) -> Void) {
    for line in sampler.found.withLock({ lines in
      defer { lines = [] }
      return lines
    }) where saidCount < Self.saidMax {
      saidCount += 1
      say(line)
    }
    guard now >= nextLook else { return }
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

  /// Compares every phone's fixes as sets, once nothing is in flight.
  func compareAll(say: (String) -> Void) -> TargetFigures.Readback {
    var result = TargetFigures.Readback()
    let held = sender.allStored()
    let step = max(1, (held.count + Self.phonesMax - 1) / Self.phonesMax)
    var left = stride(from: 0, to: held.count, by: step).map { held[$0] }
    guard !left.isEmpty else { return result }
    say("reading back the fixes of \(Figure.grouped(left.count)) phones")
    let limit = wall() + Self.endsWithin
    for round in 0..<4 {
      if round > 0 { usleep(1_000_000) }
      let isLast = round == 3
      var again: [TargetSender.Stored] = []
      for (phone, outcome) in zip(left, readAll(left, until: limit)) {
        guard let outcome else {
          if isLast { result.unread += 1 } else { again.append(phone) }
          continue
        }
        guard outcome.missing == 0 || isLast else {
          again.append(phone)
          continue
        }
        add(outcome, of: phone, to: &result)
      }
      left = again
      if left.isEmpty { break }
    }
    result.phonesMissing.sort()
    result.phonesMissing = Array(result.phonesMissing.prefix(20))
    return result
  }

  private func add(
    _ outcome: ReadbackRows.Comparison, of phone: TargetSender.Stored,
    to result: inout TargetFigures.Readback
  ) {
    result.phones += 1
    result.confirmed += outcome.confirmed
    result.missing += outcome.missing
    result.twice += outcome.twice
    result.heldUnknown += outcome.heldUnknown
    if outcome.missing > 0 { result.phonesMissing.append(phones.lowerBound + phone.place) }
  }

  /// Reads some phones at once and waits for them; nil for each that could not be read.
  private func readAll(
    _ all: [TargetSender.Stored], until limit: WallInstant
  ) -> [ReadbackRows.Comparison?] {
    let results = Mutex([ReadbackRows.Comparison?](repeating: nil, count: all.count))
    let free = DispatchSemaphore(value: Self.atOnce)
    let group = DispatchGroup()
    for (number, phone) in all.enumerated() where wall() < limit {
      free.wait()
      group.enter()
      let (shift, startsAt) = (shift, sender.startsAt / 1_000)
      sender.readBack(phone.place) { [queue] end in
        queue.async {
          if var rows = end.rows?() {
            rows.drop(before: startsAt)
            let outcome = rows.compare(phone.fixes, unknown: phone.unknown, shift: shift)
            results.withLock { $0[number] = outcome }
          }
          free.signal()
          group.leave()
        }
      }
    }
    group.wait()
    return results.withLock { $0 }
  }

  private static let atOnce = 32
}

/// Reads single phones back, on a queue.
private final class Sampler: Sendable {
  /// Holds lines of what was found, for the observer of the run.
  let found = Mutex<[String]>([])
  private let sender: TargetSender
  private let queue: DispatchQueue
  private let phones: Range<Int>

  init(_ sender: TargetSender, _ queue: DispatchQueue, _ phones: Range<Int>) {
    self.sender = sender
    self.queue = queue
    self.phones = phones
  }

  /// Compares a phone after each of some waits, until what was stored is there.
  func read(_ place: Int, _ stored: [Fix], _ waits: ArraySlice<DispatchTimeInterval>) {
    guard let wait = waits.first else { return }
    queue.asyncAfter(deadline: .now() + wait) { [self] in
      sender.readBack(place) { [self] end in
        queue.async { [self] in
          guard var rows = end.rows?() else { return }
          rows.drop(before: sender.startsAt / 1_000)
          let result = rows.compare(stored, shift: sender.shift)
          guard result.missing > 0 else { return }
          guard waits.count == 1 else { return read(place, stored, waits.dropFirst()) }
          found.withLock {
            $0.append(
              "\(sender.setup.target.name): phone \(phones.lowerBound + place) is held with "
                + "\(result.confirmed) of the \(stored.count) fixes that were answered as stored")
          }
        }
      }
    }
  }
}

extension ReadbackRows {
  /// Is what a phone's rows say of what was sent.
  struct Comparison: Equatable, Sendable {
    var confirmed = 0
    var missing = 0
    var twice = 0
    var heldUnknown = 0
  }

  /// Compares the rows with fixes, each row with one fix at most.
  ///
  /// - Parameters:
  ///   - stored: the fixes that the server has said to have.
  ///   - unknown: those that were sent and had no answer.
  ///   - shift: is added to the time of each.
  func compare(_ stored: [Fix], unknown: [Fix] = [], shift: SimDuration) -> Comparison {
    var result = Comparison()
    let sorted = rows.sorted { $0.milliseconds < $1.milliseconds }
    var isTaken = [Bool](repeating: false, count: sorted.count)
    func shifted(_ fix: Fix) -> Fix {
      var fix = fix
      fix.time = FixTime(centiseconds: fix.time.centiseconds + shift.microseconds / 10_000)
      return fix
    }
    func places(_ fix: Fix) -> [Int] {
      switch timeOf {
      case .fix: break
      case .arrival: return sorted.indices.filter { isSame(sorted[$0], fix) }
      }
      let from = fix.time.centiseconds * 10 - Self.timeTolerance
      var low = 0
      var high = sorted.count
      while low < high {
        let middle = (low + high) / 2
        if sorted[middle].milliseconds < from { low = middle + 1 } else { high = middle }
      }
      return (low..<sorted.count).prefix {
        sorted[$0].milliseconds <= from + 2 * Self.timeTolerance
      }.filter { isSame(sorted[$0], fix) }
    }
    let fixes = stored.map(shifted).sorted { $0.time < $1.time }
    for fix in fixes {
      if let place = places(fix).first(where: { !isTaken[$0] }) {
        isTaken[place] = true
        result.confirmed += 1
      } else {
        result.missing += 1
      }
    }
    for fix in unknown.map(shifted) {
      guard let place = places(fix).first(where: { !isTaken[$0] }) else { continue }
      isTaken[place] = true
      result.heldUnknown += 1
    }
    for fix in fixes {
      for place in places(fix) where !isTaken[place] {
        isTaken[place] = true
        result.twice += 1
      }
    }
    return result
  }
}
