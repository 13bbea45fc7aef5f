package import Core
internal import Dispatch
package import Figures
internal import Fleet
internal import Phone
internal import Scenarios
internal import Targets
internal import Transport

/// What viewers read and saw. Sums over the processes of a run are exact.
package struct ViewTally: Equatable, Sendable, Codable {
  package var viewers = 0
  package var sessions = 0
  package var reads = 0
  /// The reads that failed or could not be read.
  package var failed = 0
  /// The answers without a position from this run.
  package var empty = 0
  /// The answers with the position that the viewer had seen before.
  package var unchanged = 0
  /// The rounds that were left out because the last one was not answered.
  package var lateRounds = 0
  /// The ages of the positions when they were seen, in milliseconds.
  package var ages = Histogram()
  /// The response times, in microseconds.
  package var responses = Histogram()
  package var readsInSecond: [Int] = []
  /// The messages to viewers, and their bytes.
  package var messages = 0
  package var bytes = 0
  /// Whether the server sends to viewers, who send no reads.
  package var hasSockets = false

  package init() {}

  package mutating func merge(_ other: ViewTally) {
    viewers += other.viewers
    sessions += other.sessions
    reads += other.reads
    failed += other.failed
    empty += other.empty
    unchanged += other.unchanged
    lateRounds += other.lateRounds
    ages.merge(other.ages)
    responses.merge(other.responses)
    messages += other.messages
    bytes += other.bytes
    hasSockets = hasSockets || other.hasSockets
    for (second, count) in other.readsInSecond.enumerated() { note(count, in: second) }
  }

  mutating func note(_ count: Int, in second: Int) {
    while readsInSecond.count <= second { readsInSecond.append(0) }
    readsInSecond[second] += count
  }

  /// The figures; nil without viewers.
  package var figures: TargetFigures.Views? {
    guard viewers > 0 else { return nil }
    var views = TargetFigures.Views()
    (views.viewers, views.sessions, views.reads) = (viewers, sessions, reads)
    (views.failed, views.empty, views.unchanged) = (failed, empty, unchanged)
    views.lateRounds = lateRounds
    if hasSockets { (views.messages, views.bytes) = (messages, bytes) }
    views.perSecondMax = readsInSecond.max() ?? 0
    views.age = SecondsSpread(milliseconds: ages)
    views.response = RunRecord.Metrics(responses)
    return views
  }
}

/// Reads positions for viewers, on the loop's thread. A round of reads is due whether or not the
/// server keeps up; a viewer without an answer to the last round leaves it out.
struct Viewing {
  let schedule: ViewSchedule
  let queue = DispatchQueue(label: "flotilla.views")
  var tally = ViewTally()
  var states: [State]
  /// The connections by which the server sends to viewers; nil if there are none.
  var clients: (any DialledClients)?
  /// The number of entries in `newest` of all viewers.
  var remembered = 0
  /// The viewers' places by their phones.
  let places: [UInt32: Int]

  struct State {
    var from = WallInstant.distantPast
    /// The end of the session; the past between sessions.
    var until = WallInstant.distantPast
    var open = 0
    /// The newest position of each watched phone that the viewer has seen, in ms since 1970.
    var seen: [Int64]
    /// The time of the newest position of each phone, by the hash of the phone's id in rows, in ms
    /// since 1970.
    var newest: [Int: Int64] = [:]
  }

  init(_ schedule: ViewSchedule) {
    self.schedule = schedule
    states = schedule.viewers.map { State(seen: $0.watched.map { _ in .min }) }
    tally.viewers = schedule.viewers.count
    places = Dictionary(
      uniqueKeysWithValues: schedule.viewers.enumerated().map { ($1.phone, $0) })
  }
}

extension TargetSender {
  /// Begins the sessions of the viewers. Does nothing without viewers or without `view`.
  package func startViewing() {
    guard setup.target.view != nil,
      let schedule = ViewSchedule(parts.fleet.context, phones: parts.fleet.phones)
    else { return }
    loop.post { [self] in
      viewing = Viewing(schedule)
      openWatching()
      for viewer in schedule.viewers.indices {
        expect(viewer, after: parts.clock.scenarioStart)
      }
      arm()
    }
  }

  func expect(_ viewer: Int, after instant: SimInstant) {
    guard let schedule = viewing?.schedule else { return }
    let session = schedule.session(of: schedule.viewers[viewer], endingAfter: instant)
    guard session.start < parts.scenario.measureEnd else { return }
    let start = max(session.start, parts.clock.scenarioStart)
    viewing?.states[viewer].until = parts.clock.wall(of: session.end)
    viewing?.tally.sessions += 1
    viewing?.states[viewer].from = parts.clock.wall(of: start)
    due.push(.view(viewer: Int32(viewer)), at: parts.clock.wall(of: start))
    if setup.watching != nil {
      due.push(.view(viewer: Int32(viewer)), at: parts.clock.wall(of: session.end))
    }
  }

  /// Sends a viewer's round of reads that is due, and schedules the next round.
  func look(_ number: Int, at instant: WallInstant) {
    guard !isDraining, let schedule = viewing?.schedule else { return }
    if setup.watching != nil { return watch(number, at: instant) }
    let viewer = schedule.viewers[number]
    if viewing?.states[number].open == 0 {
      viewing?.states[number].open = viewer.watched.count
      viewing?.tally.note(
        viewer.watched.count, in: max(0, Int((instant - parts.clock.wallStart).seconds)))
      for (index, phone) in viewer.watched.enumerated() {
        let slot = ask(.view, Int(phone - first), 0..<0, intended: instant, by: viewer.phone)
        readers[slot] = { [unowned self] in saw($0, viewer: number, index) }
      }
    } else {
      viewing?.tally.lateRounds += 1
    }
    let next = instant + roundLength
    if let until = viewing?.states[number].until, next < until {
      due.push(.view(viewer: Int32(number)), at: next)
    } else {
      expect(number, after: parts.clock.scenario(at: next))
    }
  }

  var roundLength: WallDuration {
    WallDuration(seconds: (viewing?.schedule.every.seconds ?? 0) / parts.clock.speed)
  }

  private func saw(_ end: TargetExchange, viewer: Int, _ index: Int) {
    viewing?.states[viewer].open -= 1
    viewing?.tally.reads += 1
    let now = setup.now() / 1_000
    let response = end.times.whole.microseconds
    viewing?.queue.async { [weak self, startsAt] in
      var rows = try? end.readRows()
      rows?.drop(before: startsAt / 1_000)
      let found = rows?.rows
      guard let self else { return }
      loop.post { [self] in note(found, viewer, index, now: now, response) }
    }
  }

  /// - Parameter rows: the positions in an answer; nil for an unreadable answer.
  private func note(
    _ rows: [ReadbackRows.Row]?, _ viewer: Int, _ index: Int, now: Int64, _ response: Int64
  ) {
    if rows != nil { viewing?.tally.responses.record(response) }
    guard let rows, viewing?.schedule.seesAll == false else {
      return note(rows, viewer, now: now, isMap: true)
    }
    guard let newest = rows.map(\.milliseconds).max() else {
      viewing?.tally.empty += 1
      return
    }
    viewing?.tally.ages.record(max(0, now - newest))
    if viewing?.states[viewer].seen[index] == newest { viewing?.tally.unchanged += 1 }
    viewing?.states[viewer].seen[index] = newest
  }
}
