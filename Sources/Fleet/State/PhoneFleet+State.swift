package import Core
package import Scenarios
package import ServerLogic
internal import Synchronization

/// A source of the pieces of a fleet's state; usable from any thread.
package protocol FleetStateSource: Sendable {
  var pieces: [Range<Int>] { get }
  var events: Int { get }
  func bytes(ofPiece number: Int) throws(FleetStateError) -> [UInt8]
}

extension PhoneFleet {
  /// The maximum number of phones in a piece of a state: about 3 MB before compression.
  static let pieceMax = 8_192

  /// Writes the state of all phones in pieces, some concurrently. `take` receives each piece on the
  /// thread that wrote it, in any order, and returns false to stop.
  package func writeState(
    after backend: Backend, _ take: @escaping @Sendable (Range<Int>, [UInt8]) -> Bool
  ) {
    let birth = context.scenario.start - context.scenario.warmStart
    forEachShard { _, shard in
      let form = PhoneTape(context, first: phones.lowerBound, birth: birth)
      let end = shard.firstPhone + shard.count
      var tape = RecordWriter()
      for first in stride(from: shard.firstPhone, to: end, by: Self.pieceMax) {
        let part = first..<min(first + Self.pieceMax, end)
        tape.removeAll()
        shard.write(part, &tape, by: form) { backend.snapshot(of: $0) }
        guard take(part, tape.bytes) else { return }
      }
    }
  }

  /// - Parameters:
  ///   - range: the scenario's phones to restore, not empty; the source has exactly these phones.
  ///   - former: the writer's scenario if its settings differ in ways that phones do not store. The
  ///     policies of that scenario determine the packing pattern of the records.
  /// - Returns: the fleet, and the server's rows in phone order, without sequence numbers.
  package static func restored(
    _ scenario: Scenario, phones range: Range<Int>, threads: Int, at instant: SimInstant,
    from source: any FleetStateSource, writtenIn former: Scenario? = nil
  ) throws(FleetStateError) -> (fleet: PhoneFleet, known: [PhoneSnapshot]) {
    let fleet = PhoneFleet(scenario, phones: range, threads: threads, emptyAt: instant)
    let birth = scenario.start - scenario.warmStart
    let written = former.map { FleetContext($0) } ?? fleet.context
    let rows = KnownRows(count: range.count)
    let problem = Mutex<FleetStateError?>(nil)
    let found = Mutex(0)
    fleet.forEachShard { _, shard in
      let form = PhoneTape(written, first: range.lowerBound, birth: birth)
      let mine = shard.firstPhone..<shard.firstPhone + shard.count
      do throws(FleetStateError) {
        for (number, piece) in source.pieces.enumerated() where piece.overlaps(mine) {
          let bytes = try source.bytes(ofPiece: number)
          var tape = StateReader(bytes)
          let taken = try shard.read(piece, &tape, by: form) {
            rows.set(Int($0.phone.rawValue) - range.lowerBound, $0)
          }
          found.withLock { $0 += taken }
        }
      } catch {
        problem.withLock { $0 = error }
      }
    }
    if let problem = problem.withLock({ $0 }) { throw problem }
    let count = found.withLock { $0 }
    guard count == range.count, let known = rows.all else {
      throw .notAllPhones(found: count, wanted: range.count)
    }
    fleet.inOrder { $0.metrics[.events] = 0 }
    fleet.owners[0].shard.metrics[.events] = source.events
    return (fleet, known)
  }

  /// Calls `body` with each row of `known`, in order, after filling in the sequence numbers that
  /// the row's phone knows to be acknowledged.
  package func forEachSnapshot(_ known: [PhoneSnapshot], _ body: (PhoneSnapshot) -> Void) {
    inOrder { shard in
      shard.acknowledged { newest in
        var snapshot = known[Int(newest.phone.rawValue) - phones.lowerBound]
        snapshot.sequences = SequenceRun(epoch: newest.epoch, low: 1, high: newest.sequence)
        body(snapshot)
      }
    }
  }
}

/// Lets shards fill the rows of their phones concurrently. `@unchecked Sendable`: no two shards
/// share a phone, and `all` is read after every shard has ended.
private final class KnownRows: @unchecked Sendable {
  private let places: UnsafeMutableBufferPointer<PhoneSnapshot?>

  init(count: Int) {
    places = .allocate(capacity: count)
    places.initialize(repeating: nil)
  }

  deinit {
    places.deinitialize()
    places.deallocate()
  }

  func set(_ n: Int, _ row: PhoneSnapshot) { places[n] = row }

  /// The rows in phone order; nil if a phone has no row.
  var all: [PhoneSnapshot]? {
    let rows = places.compactMap { $0 }
    return rows.count == places.count ? rows : nil
  }
}
