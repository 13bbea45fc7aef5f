import Core
import Figures
import Foundation
import LiveSupport
import Report
import Synchronization
import TestSupport
import Testing
import Transport

/// The live page in Chromium.
@Suite("A live page in browsers", .serialized, .live, .timeLimit(.minutes(10)))
struct LivePageTests {
  private struct Seen: Decodable {
    struct Page: Decodable {
      var rows: [String]
      var name: String
      var standing: String
      var tone: String
      var ended: String
      var charts: Int
      var tiles: [String]
      var pictures: Int
      /// Scenario seconds from and to, by chart.
      var bands: [[Double]]
      var map: Map?
      var phone: Phone?
    }
    struct Map: Decodable {
      var instants: [Int]
      var phones: [Int]
      var states: [Int]
      var legend: [String]
      var clock: String
      var isPainted: Bool
    }
    struct Phone: Decodable {
      var number: Int
      var title: String
      var facts: [String]
      var introduction: String
      var lines: [String]
    }
    var script: Page
    var console: [String]
    var requests: [String]
    var scrollWidth: Int
    var innerWidth: Int
  }

  /// Clicks on a phone that stood still at first and has set out since, so that its day has a line
  /// about it.
  private static let click = """
    await until(() => Flotilla.places?.frames.length > 2);
    const places = Flotilla.places;
    const canvas = document.querySelector('.places .map');
    let box;
    const isInside = (number) => {
      const at = places.clickPoint(places.sample.phones.indexOf(number));
      return at.x > 60 && at.y > 90 && at.x < box.width - 10 && at.y < box.height - 40;
    };
    const hasSetOut = (number) => {
      const xs = places.frames.map((one) => one.x[places.sample.phones.indexOf(number)]);
      return xs[0] === xs[1] && xs[0] !== xs[xs.length - 1];
    };
    // The page above the map grows meanwhile.
    await until(() => {
      canvas.scrollIntoView({ block: 'center' });
      box = canvas.getBoundingClientRect();
      number = places.sample.days.map((day) => day.phone).filter(isInside).find(hasSetOut);
      return number !== undefined;
    });
    const place = places.clickPoint(places.sample.phones.indexOf(number));
    canvas.querySelector('canvas').dispatchEvent(new MouseEvent('click', {
      bubbles: true, clientX: box.left + place.x, clientY: box.top + place.y }));
    await until(() => document.querySelector('.phone-day'));

    """

  /// Waits for the end of the page's events and returns what it shows.
  private static func script(clicks: Bool) -> String {
    """
    const until = async (is) => {
      while (!is()) await new Promise(done => setTimeout(done, 100));
    };
    let number;
    \(clicks ? click : "")
    await until(() => !document.getElementById('ended').hidden);
    const text = id => document.getElementById(id).textContent;
    const map = Flotilla.places;
    const isPainted = () => [...document.querySelectorAll('.places canvas')].some((one) =>
      one.getContext('2d').getImageData(0, 0, one.width, one.height).data.some((byte) => byte));
    const texts = (which) =>
      [...document.querySelectorAll(which)].map((one) => one.textContent);
    return {
      rows: FlotillaLive.rows(), name: text('name'), standing: text('standing'),
      tone: document.getElementById('standing').className, ended: text('ended'),
      charts: document.querySelectorAll('#panels figure.drawn').length,
      tiles: texts('.tile h2'), pictures: document.images.length,
      phone: number === undefined ? null : {
        number, title: texts('.phone-panel h3')[0], facts: texts('.phone-panel dd'),
        introduction: texts('.phone-day p')[0], lines: texts('.phone-day .lines div'),
      },
      bands: FlotillaLive.panels.filter((one) => one.chart)
        .flatMap((one) => one.chart.data.spans.map((span) => span.slice(0, 2))),
      map: map ? {
        instants: map.frames.map((one) => one.at), phones: map.sample.phones,
        states: [...map.frames[map.frames.length - 1].state],
        legend: texts('.places .legend button'),
        clock: document.querySelector('.places output').value, isPainted: isPainted(),
      } : null,
    };
    """
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func browser(
    _ url: String, width: Int = 1_280, clicks: Bool = false
  ) throws -> RunningProcess {
    let script = folder["script-\(width).js"]
    try Data(Self.script(clicks: clicks).utf8).write(to: script)
    let browser = Program.root.appendingPathComponent("Tests/LiveTests/Python/browser.py")
    return try RunningProcess(
      URL(fileURLWithPath: "/usr/bin/python3"),
      [browser.path, url, "--width", "\(width)", "--script", script.path])
  }

  private func seen(_ browser: RunningProcess, at url: String) async throws -> Seen {
    let ended = try await browser.end()
    try #require(ended.code == 0, "\(ended.errorOutput)")
    let seen = try JSONDecoder().decode(Seen.self, from: ended.output)
    // A phone's day that is asked for in the last moment may find that the program has ended.
    #expect(seen.console.filter { !$0.contains("/phone?n=") } == [])
    let asked = seen.requests.filter { !$0.hasPrefix(url + "phone?n=") }
    #expect(Set(asked) == [url + "events"])
    #expect(seen.scrollWidth == seen.innerWidth)
    return seen
  }

  /// Waits until the browser has said so: "ready", or "open".
  private static func wait(for word: String, of browser: RunningProcess) async throws {
    try await eventually("a browser is \(word)", soFar: browser.errorOutput) {
      let isOver = !browser.isAlive
      if browser.errorOutput.contains("\(word)\n") { return true }
      try #require(!isOver, "\(browser.errorOutput)")
      return false
    }
  }

  private static func address(_ process: RunningProcess) async throws -> String {
    try await process.says("its page") { $0.contains(#/web +http:\S+\n/#) }
    return String(try #require(process.text.firstMatch(of: #/web +(http:\S+)\n/#)).1)
  }

  /// Rows of timeline.csv without what is known only at the end: silences.
  private static func comparable(_ rows: [String], _ header: String) -> [[Substring]] {
    let names = header.split(separator: ",")
    return rows.map { row in
      zip(names, row.split(separator: ",", omittingEmptySubsequences: false))
        .filter { !$0.0.hasPrefix("fresh_") && !$0.0.hasPrefix("stale_") }.map(\.1)
    }
  }

  /// Checks that what a page's map showed at the end is what phones.json has.
  private static func expectMap(_ map: Seen.Map?, _ sample: PhoneSample) throws {
    let map = try #require(map)
    #expect(map.instants == sample.instants && map.phones == sample.phones && map.isPainted)
    let states = try sample.state.map { steps in
      try #require(PhoneSample.rows(steps, width: 1, count: sample.instants.count)?.last)
    }
    #expect(map.states == states)
    for state in Set(states) {
      let (name, count) = (sample.states[state], states.count { $0 == state })
      let key = "\(name.replacing("-", with: " ")) \(count)"
      #expect(map.legend.contains(key), "\(map.legend)")
    }
  }

  @Test(
    "browsers that open it early and late have every row, instant and band, and the report",
    .needs(.chromium), .needs(.selenium))
  func load() async throws {
    let out = folder["run"]
    let collector = try await OwnCollector(["--store-path", folder["store.sqlite"].path])
    let trial = Trial(
      phones: 600, speed: 60, duration: "30min",
      settings: [
        "warmStart=1h", "start=2026-03-02T08:00", "network.deadline=10min", "phases.drain=3h",
      ])
    let run = try Program.start(
      ["load"] + trial.options(out: out) + [
        "--web", "127.0.0.1:0", "--ui", "plain", "--collector", collector.address,
      ])
    let url = try await Self.address(run)
    let early = try browser(url, clicks: true)
    try await run.says("its 10th second") { $0.split(separator: "\n").count > 12 }
    let late = try browser(url, width: 600)
    // Without answers the run waits in its drain, for three minutes if a browser is slow to open.
    collector.process.signal(SIGSTOP)
    for browser in [early, late] { try await Self.wait(for: "open", of: browser) }
    collector.process.signal(SIGCONT)
    let pages = [try await seen(early, at: url), try await seen(late, at: url)]
    try await run.end().expectRun()
    let lines = try RunFiles(folder: out).text("timeline.csv").split(separator: "\n").map(
      String.init)
    let record = try RunFiles(folder: out).record
    let sample = try PhoneSample.read(from: out.appendingPathComponent("phones.json"))
    #expect(lines.count > 25)
    for page in pages.map(\.script) {
      #expect(
        Self.comparable(page.rows, lines[0]) == Self.comparable(Array(lines.dropFirst()), lines[0]))
      #expect(page.name == "city")
      #expect(page.standing == (try record.verdict).replacing("-", with: " "))
      #expect(page.ended.contains("Open the report"))
      #expect(page.charts >= 3)
      #expect(page.tiles.contains("Throughput") && page.tiles.contains("Fresh"))
      // The city's network outage at 08:05, in each chart.
      let band = [29_100.0, 29_280]
      #expect(page.bands == [[Double]](repeating: band, count: page.charts))
      try Self.expectMap(page.map, sample)
      #expect(page.map?.clock == "08:30:00")
    }
    let phone = try #require(pages[0].script.phone)
    #expect(phone.title == "Phone \(phone.number)")
    #expect(phone.facts.count == 5 && sample.cohorts.contains(phone.facts[0]))
    #expect(phone.introduction.hasPrefix("Phone \(phone.number) of city, seed 7: cohort "))
    #expect(phone.lines.contains { $0.contains("truth") })
    // The beginning of what the report has, if it has this phone: the page is seconds behind.
    if let day = sample.days.first(where: { $0.phone == phone.number }) {
      let differing = zip(phone.lines, day.lines).filter { $0 != $1 }
      #expect(phone.lines.count <= day.lines.count)
      // How long the present way lasts, and how many fixes are dropped, was not known yet.
      #expect(differing.count <= 2)
      #expect(differing.allSatisfy { $0.0.contains("truth") || $0.0.contains("dropped") })
    }
  }

  @Test(
    "a recorded run is played on the same page, with its map and the days that it has",
    .needs(.chromium), .needs(.selenium))
  func replay() async throws {
    let out = folder["run"]
    let trial = Trial(phones: 300, duration: "2h", settings: ["warmStart=1h"])
    let run = try await Program.run(
      ["simulate", "--ui", "none"] + trial.options(out: out), of: Program.fast)
    #expect([0, 99].contains(run.code), "\(run.errorOutput)")
    let address = "127.0.0.1:\(try FreePort.next())"
    let url = "http://\(address)/"
    let browser = try browser(url, clicks: true)
    try await Self.wait(for: "ready", of: browser)
    let watch = try Program.start(
      ["watch", out.path, "--web", address, "--ui", "plain", "--speed", "0.5"])
    let page = try await seen(browser, at: url).script
    #expect(try await watch.end().code == 0)
    let lines = try RunFiles(folder: out).text("timeline.csv").split(separator: "\n").map(
      String.init)
    #expect(page.rows == Array(lines.dropFirst()) && page.charts >= 3)
    #expect(page.ended.hasPrefix("The replay has ended. Open the report"))
    let sample = try PhoneSample.read(from: out.appendingPathComponent("phones.json"))
    try Self.expectMap(page.map, sample)
    let phone = try #require(page.phone)
    let day = try #require(sample.days.first { $0.phone == phone.number })
    #expect(phone.lines == day.lines && phone.introduction == day.introduction)
  }

  @Test("a collector's page shows its uploads", .needs(.chromium), .needs(.selenium))
  func collector() async throws {
    let collector = try Program.start([
      "collect", "--listen", "127.0.0.1:0", "--store", "none", "--ui", "plain", "--web",
      "127.0.0.1:0",
    ])
    let url = try await Self.address(collector)
    let port = try #require(collector.text.firstMatch(of: #/listening on (\S+)\n/#)).1
    let browser = try browser(url)
    let trial = Trial.short(phones: 200, duration: "24min")
    let ended = try await Program.run(
      ["load"] + trial.options(out: folder["run"]) + [
        "--collector", String(port), "--set", "run.proof=false",
      ])
    ended.expectRun()
    try await Self.wait(for: "open", of: browser)
    collector.signal(SIGTERM)
    let page = try await seen(browser, at: url).script
    #expect(try await collector.end().code == 0)
    #expect(page.ended == "The collector has ended.")
    #expect(page.name.hasPrefix("city"))
    #expect(page.tiles.starts(with: ["Throughput", "Ingest", "Stored"]))
    #expect(page.rows.count > 2 && page.charts >= 3)
  }

  @Test("what strangers wrote is text", .needs(.chromium), .needs(.selenium))
  func foreign() async throws {
    let name = "<img src=x onerror=alert(1)></script><b>&amp;"
    var snapshot = Snapshot(source: .load, name: name, detail: name)
    snapshot.outlook = Outlook(.missing, name)
    snapshot.rates = .init()
    var outage = StormFigures(kind: name, from: 1_772_433_005, until: 1_772_433_010)
    outage.cohort = name
    var sample = PhoneSample()
    (sample.instants, sample.cohorts) = ([1_772_433_000], [name])
    (sample.phones, sample.cohort, sample.rests) = ([7], [0], [[]])
    (sample.home, sample.work) = ([[0, 0]], [[]])
    (sample.places, sample.state, sample.newest) = ([[0, 1, 1]], [[0, 0]], [[0, 0]])
    (sample.base, sample.days) = ([52_520_000, 13_405_000], [.init(phone: 7, introduction: "")])
    var day = PhoneSample.Day(phone: 7, introduction: name)
    (day.lines, day.times, day.way) = ([name], [0], [0, 1, 1])
    let asked = Mutex(false)
    let server = try PageServer(
      Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a",
      page: LivePage(snapshot, outages: [outage], hasMap: true).html(.installed),
      phone: { [day] number in
        asked.withLock { $0 = true }
        return number == 7 ? LivePage.day(day) : nil
      })
    server.send(map: LivePage.map(sample), isKept: true)
    for number in 1...3 {
      var frame = PhoneFrame(number: number, at: 1_772_433_000 + number)
      if number == 3 { frame.append(0, place: [0, 100], state: 0, newest: 0) }
      server.send(map: LivePage.map(frame), isKept: true)
    }
    for second in 1...20 {
      server.send(
        row: TimelineRow(snapshot, atUnixSeconds: 1_772_433_000 + Double(second)).csv,
        state: LivePage.state(snapshot, notes: [name]))
    }
    let browser = try browser(server.address, clicks: true)
    try await eventually("a phone is asked for") { asked.withLock { $0 } }
    server.end(LivePage.end(name, verdict: .pass, report: nil), within: .seconds(10))
    let page = try await seen(browser, at: server.address).script
    server.close()
    #expect(page.name == name && page.ended == name)
    #expect(page.pictures == 0 && page.map?.legend == ["fresh 1"])
    #expect(page.phone?.introduction == name && page.phone?.lines == [name])
    #expect(page.phone?.facts.first == name)
    #expect(page.rows.count == 20 && page.charts >= 2)
    #expect(page.standing == "pass" && page.tone == "badge pass")
  }

  @Test("a browser that is gone is noticed, although nothing is sent")
  func gone() async throws {
    let server = try PageServer(
      Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a", page: "page",
      beat: .milliseconds(20))
    defer { server.close() }
    let port = try #require(UInt16(server.address.split(separator: ":").last?.dropLast() ?? ""))
    let request = Array("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    let alive = try Socket(port: port)
    alive.send(request)
    var gone: Socket? = try Socket(port: port)
    gone?.send(request)
    try await eventually("both are served") { server.browsers == 2 }
    withExtendedLifetime(gone) {}
    gone = nil
    try await eventually("one is left") { server.browsers == 1 }
    withExtendedLifetime(alive) {}
  }

  @Test("a server that is freed while a browser reads ends its stream")
  func freed() async throws {
    func read() async throws -> Task<Page, any Error> {
      let server = try PageServer(
        Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a", page: "page")
      let port = try #require(UInt16(server.address.split(separator: ":").last?.dropLast() ?? ""))
      let reader = Task.detached { try Page("/events", port: port) }
      try await eventually("a browser reads") { server.browsers == 1 }
      return reader
    }
    // Its head may not have been sent yet; what matters is that it ends.
    _ = try await read().value
  }

  @Test("requests over a socket: headers, methods, a name that is not ours, and a token")
  func requests() throws {
    let token = "0123456789abcdef"
    let open = try PageServer(
      Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a", page: "page",
      phone: { $0 == 7 ? "{\"phone\":7}" : nil })
    let closed = try PageServer(
      Endpoint(host: "0.0.0.0", port: 0), token: token, epoch: "a", page: "page")
    defer {
      open.close()
      closed.close()
    }
    func port(_ server: PageServer) throws -> UInt16 {
      try #require(UInt16(server.address.split(separator: ":").last?.dropLast() ?? ""))
    }
    let (here, anywhere) = (try port(open), try port(closed))
    let page = try Page("/", port: here)
    #expect(page.code == 200 && page.body == "page")
    let phone = try Page("/phone?n=7", port: here)
    #expect(phone.code == 200 && phone.body == "{\"phone\":7}")
    #expect(phone.head.contains("Content-Type: application/json"))
    #expect(try Page("/phone?n=8", port: here).code == 404)
    #expect(try Page("/phone?n=7", method: "POST", port: here).code == 405)
    #expect(try Page("/phone?n=7", port: anywhere).code == 401)
    for header in [
      "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
      "Content-Security-Policy: default-src 'none'",
    ] { #expect(page.head.contains(header)) }
    for method in ["HEAD", "POST", "DELETE"] {
      let refused = try Page("/", method: method, port: here)
      #expect(refused.code == 405 && refused.head.contains("Allow: GET"))
    }
    for bytes in [0, 1, 1_000_000_000] {
      let length = "Content-Length: \(bytes)"
      let posted = try Page("/events", method: "POST", port: here, headers: [length])
      #expect(posted.code == 405)
    }
    #expect(try Page("/", port: anywhere).code == 401)
    #expect(try Page("/events", port: anywhere).code == 401)
    let redirect = try Page("/?token=\(token)", port: anywhere)
    #expect(redirect.code == 303 && redirect.head.contains("Location: /\r\n"))
    let cookie = "Cookie: flotilla-\(anywhere)=\(token)"
    #expect(redirect.head.contains("Set-\(cookie); HttpOnly"))
    #expect(try Page("/", port: anywhere, headers: [cookie]).body == "page")
    #expect(try Page("/?token=\(token)x", port: anywhere).code == 401)
  }
}
