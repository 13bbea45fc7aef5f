import Core
import Phone
import PhoneSupport
@testable import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Sources of fixes", .quick)
struct FixSourcesTests {
  /// A service that is always on and keeps every fix.
  static var continuous: PolicySettings {
    var settings = PolicySettings.quiet
    settings.background.service.pattern = .continuous
    settings.background.service.accuracy = .best
    return settings
  }

  @Test("sources add, and each has its own errors")
  func sums() {
    var (a, b) = (FixSources(), FixSources())
    for _ in 0..<10 { a.add(.wifi, offMeters: 40) }
    b.add(.cell, offMeters: 700)
    a.merge(b)
    #expect(a[.wifi] == 10 && a[.cell] == 1 && a[.satellites] == 0 && a.sum == 11)
    #expect((32.0...46).contains(a.errorMeters(.wifi, 0.5) ?? 0))
    #expect((512.0...1_025).contains(a.errorMeters(.cell, 0.95) ?? 0))
    #expect(a.errorMeters(.cached, 0.5) == nil)
  }

  @Test("SL10: changes that do not scan for Wi-Fi come from cells, and every kept fix has a source")
  func significantChanges() {
    var settings = PolicySettings.quiet
    settings.significantChange = true
    settings.background.filter = .everything
    var sources = FixSources()
    for seed in 1...20 as ClosedRange<UInt64> {
      let bench = PhoneBench(settings, way: Stretch.rides, seed: seed) {
        $0.fleet.cohorts[0].significantChange.value.wifiShare = 0
      }
      bench.advance(.hours(2))
      let metrics = bench.metrics
      #expect(metrics.sources.sum == metrics[.fixesPersisted] - metrics[.fixesCarried])
      sources.merge(bench.metrics.sources)
    }
    #expect(sources[.cell] > 20 && sources[.wifi] == 0 && sources[.satellites] == 0)
    #expect((150...700).contains(sources.errorMeters(.cell, 0.5) ?? 0))
  }

  @Test("NO6: a service that finds no position causes stale time of a separate cause")
  func noPosition() {
    var os = OSProfile.standard
    os.firstFix.indoorFailure = 1
    let bench = PhoneBench(Self.continuous, os: os)
    bench.advance(.hours(3))
    bench.shard.startDraining()
    #expect(bench.metrics.sources.sum == 0)
    #expect(bench.metrics.stale[.noPosition] > .minutes(175))
    let received = PhoneBench(Self.continuous)
    received.advance(.hours(3))
    received.shard.startDraining()
    #expect(received.metrics.stale[.noPosition] < .minutes(1))
    #expect(received.metrics.sources.sum > 1_000)
  }
}
