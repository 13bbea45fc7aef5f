import TestSupport
import Testing
@testable import Run

@Suite("Metrics of a target's server", .quick)
struct MetricsWatchTests {
  private static let page = """
    # HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.
    # TYPE process_cpu_seconds_total counter
    process_cpu_seconds_total 12.5
    process_cpu_seconds_total_of_others 99
    process_resident_memory_bytes 4.5e+07 1795265539000
    requests{path="/fixes",code="200"} 3
    requests{path="/ {odd} ",code="500"} 4

    """

  @Test("samples are found by their whole name, with labels and times or without")
  func values() {
    for page in [
      Self.page, Self.page.replacing("\n", with: "\r\n"), "\u{FEFF}requests 0\r\n" + Self.page,
    ] {
      func value(_ name: String) -> Double? { MetricsWatch.value(of: name, in: Array(page.utf8)) }
      #expect(value("process_cpu_seconds_total") == 12.5)
      #expect(value("process_resident_memory_bytes") == 45_000_000)
      #expect(value("requests") == 7)
      #expect(value("process") == nil)
    }
    let none = Array("<html>".utf8)
    #expect(MetricsWatch.value(of: "process_cpu_seconds_total", in: none) == nil)
  }
}
