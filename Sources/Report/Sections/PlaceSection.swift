internal import Core
package import Figures

extension RunSections {
  /// A map of a sample of phones, coloured by state at each instant, and the days of a few phones.
  var places: HTML? {
    guard let phones = files.phones else {
      return files.record.map == nil
        ? nil : missing("This run has no phones.json, which a whole fleet writes.")
    }
    guard page.libraries.leaflet != nil else {
      return missing(
        "Leaflet was not found when this page was written; make deps installs it.")
    }
    guard !phones.instants.isEmpty, !phones.phones.isEmpty else { return nil }
    let all = Figure.grouped(files.record.scenario.phones)
    let shown = Figure.grouped(phones.phones.count)
    let count: HTML =
      phones.phones.count < files.record.scenario.phones
      ? "\(shown) of \(all) phones, spread evenly over the phone IDs" : "All \(shown) phones"
    return """
      <section id="places">
      <h2>Map</h2>
      <p>\(count), at their true positions at \(phones.instants.count) instants of the run.</p>
      <div class="places"></div>
      <p class="note">\(PlaceData.key(minutes: "\(Figure.plain(Double(phones.freshSeconds) / 60))")) An \
      outline marks the phones whose events are in this page.</p>
      \(PlaceData(phones, midnight: midnight(phones)).html)</section>

      """
  }

  private func midnight(_ phones: PhoneSample) -> Int {
    ClockAxis(files).map { -Int($0.seconds(0)) } ?? phones.instants[0]
  }

  private func missing(_ why: HTML) -> HTML {
    """
    <section id="places">
    <h2>Map</h2>
    <p class="note">\(why) Where phones were stale is shown below.</p>
    </section>

    """
  }
}

/// The data that the script of a map reads.
struct PlaceData: Encodable {
  private let sample: PhoneSample
  /// The colours of the phones' states.
  private let inks: [String]
  private let sourceInks = PlaceData.sourceInks.map { "\($0)" }
  /// The scenario second at which the axis of the charts is zero.
  private let midnight: Int

  init(_ sample: PhoneSample, midnight: Int) {
    self.sample = sample
    inks = sample.states.map { "\(Self.ink($0))" }
    self.midnight = midnight
  }

  /// The tag with which the data of a map begins.
  static let start = "<script type=\"application/json\" id=\"places-data\">"

  var html: HTML { ChartData.script(self, id: "places-data") }

  static func key(minutes: HTML) -> HTML {
    """
    Fresh: the newest position at the server is at most \(minutes) minutes old; ageing: at most \
    twice as old. All other phones show why they are silent. Click a phone for details.
    """
  }

  private static func ink(_ state: String) -> Ink {
    guard let cause = StaleCause(rawValue: state) else {
      return state == PhoneSample.states[PhoneSample.fresh] ? .green : .yellow
    }
    return switch cause {
    case .switchedOff, .batteryEmpty, .reinstalled: .text
    case .noPermission, .preciseOff: .grey
    case .policySilent, .noPosition: .vermilion
    case .forceQuit, .endedForMemory, .updated, .beforeFirstUnlock: .purple
    case .offline, .inOutbox, .waitingForWifi: .blue
    case .pushGate: .orange
    case .server: .sky
    }
  }

  /// The colours of the fix sources, in the order of `FixSource.allCases`.
  private static let sourceInks: [Ink] = FixSource.allCases.map { source in
    switch source {
    case .satellites: .green
    case .wifi: .sky
    case .cell: .orange
    case .reduced: .purple
    case .cached: .grey
    }
  }
}

/// Returns a page of one phone's day, as `flotilla explain` describes the day.
/// - Parameter midnight: The scenario seconds of the city's midnight before the day.
package func phonePage(
  _ sample: PhoneSample, midnight: Int, _ libraries: PageLibraries
) -> String {
  let page = Page(libraries: libraries)
  let title = "Phone \(sample.days.first?.phone ?? 0)"
  let lines = sample.days.first?.lines.joined(separator: "\n") ?? ""
  let body: HTML =
    libraries.leaflet == nil
    ? """
    <p class="note">The map is missing: Leaflet was not found when this page was written; make \
    deps installs it.</p>
    <pre>\(lines)</pre>

    """
    : """
    <section id="places">
    <div class="places day"></div>
    <noscript><pre>\(lines)</pre></noscript>
    \(PlaceData(sample, midnight: midnight).html)</section>

    """
  return document(title: title, page, "<h1>\(title)</h1>\n\(body)")
}
