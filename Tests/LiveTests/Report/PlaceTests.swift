import Figures
import Foundation
import LiveSupport
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

/// What a person finds who uses the map: headless Chromium drives it.
@Suite("The map in a browser", .live, .timeLimit(.minutes(10)))
struct PlaceTests {
  fileprivate struct Seen<Script: Decodable>: Decodable {
    struct Forms: Decodable {
      struct Keyboard: Decodable { var missed, unseen: [String] }
      var keyboard: Keyboard
    }
    var script: Script
    var forms: Forms?
    var requests: [String]
    var console: [String]
    var scrollWidth: Int
    var innerWidth: Int
  }

  fileprivate static func look<Script: Decodable>(
    _ page: URL, _ script: String, width: Int = 1_280, height: Int = 800, _ folder: TemporaryFolder,
    _ options: String...
  ) async throws -> Seen<Script> {
    try Data(script.utf8).write(to: folder["script.js"])
    let tool = Program.root.appendingPathComponent("Tests/LiveTests/Python/browser.py").path
    let ended = try await RunningProcess(
      URL(fileURLWithPath: "/usr/bin/python3"),
      [
        tool, page.absoluteString, "--script", folder["script.js"].path, "--width", "\(width)",
        "--height", "\(height)",
      ] + options
    ).end()
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return try JSONDecoder().decode(Seen<Script>.self, from: ended.output)
  }

  private struct Used: Decodable {
    var phones: Int
    var legend: [String]
    var earlier: [String]
    var clock: String
    var charts: [String]
    var phone: Int
    var title: String
    var introduction: String
    var lines: [String]
    var isPainted: Bool
    var without: Int
    var command: String
    var said: String
    var played: Int
  }

  /// Moves the slider, clicks on a phone with a day and on one without, filters and plays.
  private static let use = """
    const places = Flotilla.places;
    const map = document.querySelector('.places .map');
    const click = (phone) => {
      map.scrollIntoView({ block: 'center' });
      const box = map.getBoundingClientRect();
      const at = places.clickPoint(phone);
      map.querySelector('canvas').dispatchEvent(new MouseEvent('click', {
        bubbles: true, clientX: box.left + at.x, clientY: box.top + at.y }));
    };
    const legend = () => [...document.querySelectorAll('.places .legend button')]
      .map((one) => one.textContent);
    const total = () => [...document.querySelectorAll('.places .legend b')]
      .reduce((sum, one) => sum + Number(one.textContent), 0);
    const report = { phones: total(), legend: legend() };
    const slider = document.querySelector('.player input');
    slider.value = 5;
    slider.dispatchEvent(new Event('input'));
    report.earlier = legend();
    report.clock = document.querySelector('.player output').value;
    report.charts = [...document.querySelectorAll('.panel .readout .instant')]
      .map((one) => one.textContent);
    const { sample } = places;
    const box = map.getBoundingClientRect();
    const isInside = (phone) => {
      const at = places.clickPoint(phone);
      return at.x > 60 && at.y > 90 && at.x < box.width - 10 && at.y < box.height - 40;
    };
    const withDay = sample.days.map((day) => sample.phones.indexOf(day.phone)).find(isInside);
    click(withDay);
    report.phone = sample.phones[withDay];
    report.title = document.querySelector('.phone-panel h3').textContent;
    report.introduction = document.querySelector('.phone-day p').textContent;
    report.lines = [...document.querySelectorAll('.phone-day .lines div')]
      .map((one) => one.textContent);
    const timeline = document.querySelector('.timeline');
    timeline.focus();
    timeline.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
    report.said = document.querySelector('.phone-day .said').textContent;
    document.querySelector('.phone-panel .close').click();
    report.isPainted = [...map.querySelectorAll('canvas')].some((one) =>
      one.getContext('2d').getImageData(0, 0, one.width, one.height).data.some((byte) => byte));
    report.without = sample.phones[sample.phones.findIndex((number, phone) =>
      isInside(phone) && !sample.days.some((day) => day.phone === number))];
    places.open(sample.phones.indexOf(report.without));
    report.command = document.querySelector('.phone-panel pre').textContent;
    const play = document.querySelector('.player .play');
    play.click();
    await new Promise((done) => { setTimeout(done, 1000); });
    play.click();
    report.played = Number(slider.value);
    return report;
    """

  @Test(
    "the slider changes states and marks the charts, and a click opens a phone's day",
    .needs(.chromium), .needs(.selenium), .needs(.leaflet))
  func used() async throws {
    let folder = try TemporaryFolder()
    let settings = ["city", "--phones", "900", "--duration", "2h", "--set", "warmStart=2h"]
    let run = try await Program.run(
      ["simulate", "--out", folder.url.path, "--quiet"] + settings, of: Program.fast)
    #expect([0, 99].contains(run.code), "\(run.errorOutput)")
    let sample = try PhoneSample.read(from: folder["phones.json"])
    let page = folder["report.html"]
    let seen: Seen<Used> = try await Self.look(page, Self.use, folder, "--forms")
    #expect(seen.console == [] && seen.requests == [])
    let keyboard = try #require(seen.forms).keyboard
    #expect(keyboard.missed == [] && keyboard.unseen == [])
    let used = seen.script
    #expect(used.phones == sample.phones.count && used.phones == 900)
    #expect(used.legend != used.earlier)
    #expect(used.charts.count >= 3 && Set(used.charts).count == 1)
    #expect(used.charts.first?.prefix(5) == used.clock.prefix(5))
    let day = try #require(sample.days.first { $0.phone == used.phone })
    #expect(used.title == "Phone \(used.phone)")
    #expect(used.lines == day.lines && used.introduction == day.introduction)
    #expect(used.said == day.lines.last)
    #expect(used.isPainted && used.played > 5)
    let home = folder.url.path
    #expect(
      used.command
        == "flotilla explain \(home) --phone \(used.without) --html phone-\(used.without).html")
    let told = try await Program.run(
      ["explain", home, "--phone", "\(used.phone)", "--html", folder["day.html"].path],
      of: Program.fast)
    let lines = told.text.split(separator: "\n").map(String.init)
    let start = try #require(lines.lastIndex { $0.contains("warm start over") })
    #expect(Array(used.lines.dropFirst()) == Array(lines[(start + 1)...]))
    let alone: Seen<[String]> = try await Self.look(
      folder["day.html"],
      "return [...document.querySelectorAll('.lines div')].map((one) => one.textContent)",
      width: 390, height: 844, folder)
    #expect(alone.console == [] && alone.requests == [])
    #expect(alone.script == Array(lines.dropFirst()))
    #expect(alone.scrollWidth <= alone.innerWidth)
    let size = try FileManager.default.attributesOfItem(atPath: page.path)[.size] as? Int
    #expect((size ?? .max) < 1_500_000)
  }

  @Test(
    "HTML in the name of a cohort comes out as text",
    .needs(.chromium), .needs(.selenium), .needs(.leaflet))
  func foreign() async throws {
    let folder = try TemporaryFolder()
    let name = "</script><img src=x onerror=alert(1)>"
    var files = RunFixture.live()
    files.phones = Self.sample(phones: 3, cohort: name)
    let page = folder["report.html"]
    try Data(reportHTML(files, .installed).utf8).write(to: page)
    let seen: Seen<[String]> = try await Self.look(
      page,
      """
      document.querySelector('.places [value=cohort]').click();
      Flotilla.places.open(1);
      return [document.querySelector('.places .legend button').textContent,
        document.querySelector('.phone-panel dd').textContent,
        String(document.querySelectorAll('.places img').length)];
      """, folder)
    #expect(seen.script == ["\(name) 3", name, "0"])
    #expect(seen.console == [] && seen.requests == [])
  }

  /// Phones that go one step between two instants, all over a city.
  @Test(
    "Phones of two operating systems can be told apart and hidden by system",
    .needs(.chromium), .needs(.selenium), .needs(.leaflet))
  func systems() async throws {
    let folder = try TemporaryFolder()
    var files = RunFixture.live()
    files.phones = Self.sample(phones: 3, cohort: "pixels")
    files.phones?.cohorts = ["pixels", "iphones", "galaxies"]
    files.phones?.systems = ["Android", "iOS", "Android"]
    files.phones?.cohort = [0, 1, 2]
    let page = folder["report.html"]
    try Data(reportHTML(files, .installed).utf8).write(to: page)
    let script = """
      const legend = () => [...document.querySelectorAll('.places .legend button')]
        .map((one) => one.textContent.trim());
      document.querySelector('.places [value=system]').click();
      const systems = legend();
      document.querySelector('.places .legend button').click();
      document.querySelector('.places [value=cohort]').click();
      return [...systems, ...legend()];
      """
    let seen: Seen<[String]> = try await Self.look(page, script, folder)
    #expect(seen.script == ["Android 2", "iOS 1", "pixels 1", "iphones 1", "galaxies 1"])
    #expect(seen.console == [] && seen.requests == [])
    files.phones?.systems = ["iOS", "iOS", "iOS"]
    try Data(reportHTML(files, .installed).utf8).write(to: page)
    let one: Seen<Bool> = try await Self.look(
      page, "return document.querySelector('.places [value=system]') === null", folder)
    #expect(one.script)
  }

  fileprivate static func sample(phones: Int, cohort: String) -> PhoneSample {
    var sample = PhoneSample()
    sample.instants = [1_772_433_000, 1_772_434_800]
    sample.freshSeconds = 1_800
    sample.base = [52_520_000, 13_405_000]
    sample.cohorts = [cohort]
    for number in 0..<phones {
      let place = [number * 7_919 % 200_000 - 100_000, number * 104_729 % 300_000 - 150_000]
      sample.phones.append(number)
      sample.cohort.append(0)
      sample.home.append(place)
      sample.work.append([])
      sample.rests.append([])
      sample.places.append([0, place[0], place[1], 1, 900, 0])
      sample.state.append([0, number % 4])
      sample.newest.append([0, 0])
    }
    return sample
  }
}

extension Alone {
  @Suite("The pace of a map", .live, .timeLimit(.minutes(10)))
  struct MapPaceTests {
    private struct Pace: Decodable {
      var phones: Int
      var framesPerSecond: Double
      var isMoved: Bool
    }

    @Test(
      "20,000 phones stay above 30 frames a second when the map is dragged",
      .needs(.chromium), .needs(.selenium), .needs(.leaflet))
    func quick() async throws {
      let folder = try TemporaryFolder()
      var files = RunFixture.live()
      files.phones = PlaceTests.sample(phones: 20_000, cohort: "a")
      let page = folder["report.html"]
      try Data(reportHTML(files, .installed).utf8).write(to: page)
      let seen: PlaceTests.Seen<Pace> = try await PlaceTests.look(
        page,
        """
        const { map, sample } = Flotilla.places;
        const element = document.querySelector('.places .map');
        element.scrollIntoView({ block: 'center' });
        const box = element.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const fire = (type, dx, dy) => element.querySelector('canvas').dispatchEvent(
          new MouseEvent(type, { bubbles: true, cancelable: true, clientX: x + dx, clientY: y + dy,
            button: 0, buttons: 1, view: window }));
        const frame = () => new Promise(requestAnimationFrame);
        let isMoved = false;
        let best = 0;
        for (let round = 0; round < 6; round++) {
          await frame();
          const before = map.getCenter();
          const start = performance.now();
          const way = round % 2 ? -6 : 6;
          fire('mousedown', 0, 0);
          for (let i = 1; i <= 30; i++) { fire('mousemove', way * i, i); await frame(); }
          fire('mouseup', way * 30, 30);
          await frame();
          best = Math.max(best, 31 / (performance.now() - start) * 1000);
          isMoved = isMoved || map.getCenter().distanceTo(before) > 100;
        }
        return { phones: sample.phones.length, framesPerSecond: best, isMoved };
        """, folder)
      #expect(seen.console == [] && seen.requests == [])
      #expect(seen.script.phones == 20_000 && seen.script.isMoved)
      #expect(seen.script.framesPerSecond > 30)
    }
  }
}

extension Oracle {
  fileprivate static let leaflet = Oracle(name: "Leaflet", advice: "make deps installs it") {
    there("/usr/share/javascript/leaflet/leaflet.min.js")
  }

  private static func there(_ path: String) -> String? {
    FileManager.default.fileExists(atPath: path) ? path : nil
  }
}
