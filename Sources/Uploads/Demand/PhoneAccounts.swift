package import Core
package import Figures
package import Fleet
internal import Phone
internal import Scenarios
internal import Wire

package struct ComparedTable: Equatable, Sendable {
  package internal(set) var rows: [ComparisonRecord.Population: [Double]] = [:]
  package internal(set) var phones: [ComparisonRecord.Population: Int] = [:]
}

/// Accounts for each phone of a simulation: the shard's tallies, and the phone's bytes and stays at
/// the server. Not thread-safe.
package final class PhoneAccounts {
  private let fleet: PhoneFleet
  private let finder: StayFinder
  private let encoder: BatchEncoder
  private var buffer = ByteBuffer(capacity: 4_096)
  private var bytes: [Int64]

  package init(_ fleet: PhoneFleet, finder: StayFinder) {
    self.fleet = fleet
    encoder = BatchEncoder(BatchCodec(fleet.context.scenario.encoding))
    self.finder = finder
    bytes = [Int64](repeating: 0, count: fleet.phones.count)
    fleet.inOrder { $0.startTallying() }
  }

  /// Counts a received batch, encoded to get its exact size.
  package func received(_ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>) {
    finder.take(id, fixes)
    buffer.removeAll()
    do throws(WireError) {
      try encoder.encode(id, fixes, into: &buffer)
    } catch {
      // The tracker's limits are below the wire's, so a batch that does not fit is a bug.
      preconditionFailure("batch \(id) cannot be encoded: \(error)")
    }
    bytes[Int(id.phone.rawValue) - fleet.phones.lowerBound] += Int64(buffer.count)
  }

  package func table(measuredUntil end: SimInstant) -> ComparedTable {
    let scenario = fleet.context.scenario
    let phones = scenario.fleet.phones
    let blocks = min(phones, PairedBootstrap.blocksMax)
    let stays = finder.stays()
    let birth = scenario.start - scenario.warmStart
    let window = Window(start: scenario.measureStart, end: end)
    let days = (end - scenario.start).seconds / 86_400
    var table = ComparedTable()
    for population in ComparisonRecord.Population.allCases {
      table.phones[population] = 0
      table.rows[population] = [Double](repeating: 0, count: blocks * ComparedTally.columns)
    }
    fleet.inOrder { shard in
      shard.forEachTally { phone, isReachable, tally in
        let rests = fleet.context.rests(of: PhoneID(rawValue: phone), from: birth, to: end)
        let account = StayAccount(
          lived: rests, found: stays[Int(phone)], endingWithin: window)
        let row = ComparedTally(
          tally, account, bytes: bytes[Int(phone) - fleet.phones.lowerBound], days: days)
        let block = PairedBootstrap.block(of: phone, phones: phones)
        for population in ComparisonRecord.Population.allCases
        where population == .installed || isReachable {
          table.add(row, block, to: population)
        }
      }
    }
    return table
  }
}

extension ComparedTable {
  fileprivate mutating func add(
    _ tally: ComparedTally, _ block: Int, to population: ComparisonRecord.Population
  ) {
    phones[population, default: 0] += 1
    let first = block * ComparedTally.columns
    for (column, value) in tally.row.enumerated() where value != 0 {
      rows[population]?[first + column] += value
    }
  }
}

extension ComparedTally {
  fileprivate init(_ tally: PhoneTally, _ stays: StayAccount, bytes: Int64, days: Double) {
    self.init()
    self[.phoneDays] = days
    self[.fixes] = Double(tally.fixes)
    self[.batches] = Double(tally.batches)
    self[.bytes] = Double(bytes)
    self[.batteryPercent] = tally.batteryPercent
    self[.joules] = tally.joules
    self[.pushes] = Double(tally.pushes)
    self[.total] = tally.total.seconds
    self[.fresh] = tally.fresh.seconds
    self[.located] = tally.located.seconds
    self[.moving] = tally.moving.seconds
    self[.movingFresh] = tally.movingFresh.seconds
    self[.never] = tally.never.seconds
    self[.error] = tally.errorMeterSeconds
    for cause in StaleCause.allCases { self[cause] = tally.stale[cause].seconds }
    for cause in WakeCause.allCases { self[cause] = Double(tally.wakes(cause)) }
    for bucket in 0..<ErrorScale.buckets {
      self[error: bucket] = tally.errorSeconds(bucket)
      self[.errorTime] += tally.errorSeconds(bucket)
    }
    self[.stays] = Double(stays.lived)
    self[.staysMissed] = Double(stays.missed)
    self[.staysInvented] = Double(stays.invented)
  }
}
