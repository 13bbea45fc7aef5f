@testable import Core
import TestSupport
import Testing
@testable import Figures

@Suite("The map of a record", .quick)
struct MapTests {
  @Test("a place belongs to one square; places beyond the map are counted apart")
  func map() {
    var map = SilenceMap(radius: 12_000)
    #expect(map.cellMeters == 1_000 && map.cellsAcross == 30)
    map.add(at: PlanePoint(x: -15_000, y: -15_000), present: .minutes(2), silent: .minutes(1))
    map.add(at: PlanePoint(x: 0, y: 0), present: .minutes(4), silent: .zero)
    map.add(at: PlanePoint(x: 15_000, y: 0), present: .minutes(8), silent: .minutes(8))
    let record = RunRecord.Map(map)
    #expect(record.presentMinutes[0] == 2 && record.silentMinutes[0] == 1)
    #expect(record.presentMinutes[15 * 30 + 15] == 4)
    #expect(record.outsideMinutes == 8)
    #expect(record.presentMinutes.reduce(0, +) == 6)
  }
}
