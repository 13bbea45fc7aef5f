import Core
import Foundation
import Testing
import Wire

@testable import Collector

extension LiveCollector {
  /// Polls the result of the store's read-back until it is complete.
  func stored(
    limit: UInt32 = 20_000
  ) throws -> (ids: Set<BatchID>, reading: StoreReading) {
    var ids: Set<BatchID> = []
    var next = HoldingsRequest(
      phone: PhoneID(rawValue: 0), epoch: 0, limit: limit, stored: true)
    while true {
      let page = try call(.holdings, next, as: HoldingsReply.self)
      let reading = try #require(page.store)
      guard !reading.isUnderWay else {
        usleep(2_000)
        continue
      }
      for row in page.rows {
        for sequence in Array(row.first...row.contiguous) + row.extra {
          ids.insert(BatchID(phone: row.phone, epoch: row.epoch, sequence: sequence))
        }
      }
      guard page.more, let last = page.rows.last else { return (ids, reading) }
      (next.phone, next.epoch) = (last.phone, last.epoch + 1)
    }
  }

  /// Retries for as long as it fails.
  func patiently<Answer>(_ body: () throws -> Answer) throws -> Answer {
    for _ in 0..<600 {
      if let answer = try? body() { return answer }
      usleep(50_000)
    }
    return try body()
  }
}
