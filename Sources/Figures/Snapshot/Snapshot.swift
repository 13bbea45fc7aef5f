/// What a watcher sees of a run, or of a collector on its own, at one instant.
///
/// Values only: dashboard, plain line and JSON line are functions of it. A block that its source
/// cannot know is nil (null in JSON), and is not shown.
package struct Snapshot: Equatable, Sendable, Codable {
  /// Who gives the figures.
  package enum Source: String, Sendable, Codable { case load, simulate, collect }

  /// Names the command that gives the figures.
  package var source: Source
  /// The scenario's name, or the run that a collector serves.
  package var name: String
  /// What else tells this run from others: phones, speed, seed; or an address and a store.
  package var detail: String
  /// Says how far the run is.
  package var progress = Progress()
  /// Is the verdict so far, with its reason.
  package var outlook = Outlook(.early, "nothing was measured yet.")
  /// Holds the rates over the last interval; nil: nothing is sent, as in virtual time.
  @Nullable package var rates: Rates?
  /// Since the measured time began; before it, since the live part did.
  @Nullable package var latency: RunRecord.Latency?
  /// Of the last interval alone; a second seldom holds the samples that a p99 needs.
  @Nullable package var intervalP90Microseconds: Int64?
  /// Holds the ages over all phone-time that was counted so far; nil: not known to the source.
  @Nullable package var freshness: RunRecord.Freshness?
  /// Counts the silent pushes so far; nil: not known to the source.
  @Nullable package var pushes: PushFunnel?
  /// Holds what a push sender of the user's own asks; nil: there is none.
  @Nullable package var sender: SenderRates?
  /// Counts connections and bytes so far; nil: there are no sockets, or the source does not know.
  @Nullable package var wire: WireMetrics?
  /// Counts by status or error.
  package var errors: [String: Int] = [:]
  /// Counts what the phones are doing; nil: a collector cannot know.
  @Nullable package var phones: PhoneStates?
  /// In reading order.
  package var processes: [ProcessLoad] = []
  /// Is the collector's own account of batches; nil: the source is no collector.
  @Nullable package var batches: StoredBatches?
  /// Says how fast virtual time goes; nil: the clock is the wall's.
  @Nullable package var virtual: VirtualPace?

  /// Makes a snapshot in which nothing was measured yet.
  package init(source: Source, name: String, detail: String) {
    self.source = source
    self.name = name
    self.detail = detail
  }
}

extension Snapshot {
  /// How far it is.
  package struct Progress: Equatable, Sendable, Codable {
    /// "warm start", "ramp", "measure", "drain", "simulate"; of a collector "idle", "open".
    package var phase = ""
    /// Of the phase's whole, 0 … 1; null where there is no end.
    @Nullable package var share: Double?
    /// Wall seconds.
    package var elapsedSeconds = 0.0
    /// Is an estimate of the wall seconds until `share` is 1; null where there is no end.
    @Nullable package var leftSeconds: Double?
    /// The scenario's own clock, "08:05:00".
    package var scenarioTime = ""
    /// Makes the progress of something that has not begun.
    package init() {}

    /// "08:05:00", of seconds since midnight of any day.
    package static func timeOfDay(_ seconds: Double) -> String {
      let second = Int(seconds.rounded(.down)) % 86_400
      let parts = [second / 3_600, second / 60 % 60, second % 60]
      return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
  }

  /// Batches a second, over the last interval.
  package struct Rates: Equatable, Sendable, Codable {
    /// null: a collector cannot know what was offered.
    @Nullable package var offered: Double?
    /// Is the rate of batches acknowledged; of a collector, of those taken for the first time.
    package var acknowledged = 0.0
    /// Is the rate of uploads that failed; of a collector, of the answers that were no success.
    package var failed = 0.0
    /// Is the rate of fixes in acknowledged batches, fixes a second.
    package var fixes = 0.0
    /// Counts the uploads in flight now; of a collector, those that wait for their answer.
    package var inFlight = 0
    /// Fixes that wait on phones.
    @Nullable package var outboxFixes: Int?
    /// Makes rates of zero.
    package init() {}
  }

  /// Silent pushes so far. `open` is requested less what has ended.
  package struct PushFunnel: Equatable, Sendable, Codable {
    /// Counts the pushes requested so far, without the withheld ones.
    package var requested = 0
    /// Counts the pushes that the holdout withheld.
    package var withheld = 0
    /// Requested at least W ago, and how many of those a fix followed within W.
    package var eligible = 0
    /// Counts the eligible pushes that a fix followed within W.
    package var answered = 0
    /// `WakeOutcome` → how many; null where only the server's side is known.
    @Nullable package var outcomes: [String: Int]?
    /// Makes a funnel in which nothing was requested.
    package init() {}

    /// Takes the counts from a sheet.
    ///
    /// - Parameter outcomes: whether the sheet has the phones' side too.
    package init(_ sheet: Sheet, outcomes: Bool = false) {
      requested = sheet[.pushesRequested]
      withheld = sheet[.pushesWithheld]
      eligible = sheet[.pushesEligible]
      answered = sheet[.pushesAnswered]
      if outcomes { self.outcomes = sheet[.outcomes] }
    }

    /// Counts the pushes that have not ended; 0 where outcomes are not known.
    package var open: Int { Swift.max(0, requested - (outcomes?.values.reduce(0, +) ?? requested)) }
  }

  /// What a push sender of the user's own asks: rates of the last interval, and counts so far.
  package struct SenderRates: Equatable, Sendable, Codable {
    /// Is the rate of its requests.
    package var requestsPerSecond = 0.0
    /// Counts the requests that were accepted.
    package var accepted = 0
    /// Counts the refused requests by reason, with their status: "410 Unregistered".
    package var refused: [String: Int] = [:]
    /// Counts what it does wrong, of all kinds.
    package var faults = 0
    /// Makes the rates of a sender that has sent nothing.
    package init() {}
  }

  /// Counts connections, and the bytes on them.
  package struct WireMetrics: Equatable, Sendable, Codable {
    /// Counts the connections that are open now.
    package var connections = 0
    /// Made, or accepted, so far; null: a record does not say it second by second.
    @Nullable package var connects: Int?
    /// Counts the bytes from phones to the collector so far.
    package var bytesUp = 0
    /// Counts the bytes from the collector to phones so far.
    package var bytesDown = 0
    /// Is the rate of bytes from phones to the collector over the last interval.
    package var bytesUpPerSecond = 0.0
    /// Is the rate of bytes from the collector to phones over the last interval.
    package var bytesDownPerSecond = 0.0
    /// Is `bytesUp` over the fixes that were acknowledged, or taken by a collector; null without
    /// one.
    @Nullable package var bytesPerFix: Double?
    /// Bytes of columns for one byte that travelled as payload.
    @Nullable package var ratio: Double?
    /// What compression saved so far, in bytes, by kind of message, as `TrafficFigures` names them;
    /// null: nothing travelled compressed.
    @Nullable package var saved: [String: Int]?
    /// Makes figures of zero.
    package init() {}
  }

  /// What phones are at this instant. The first four sum to all; a phone may be any of the rest.
  package struct PhoneStates: Equatable, Sendable, Codable {
    /// Counts the phones whose app is in the foreground.
    package var foreground = 0
    /// Counts the phones whose app runs in the background.
    package var background = 0
    /// Counts the phones whose app is in memory and does not run.
    package var suspended = 0
    /// Counts the phones whose app has no process.
    package var notRunning = 0
    /// Counts the phones whose truth moves.
    package var moving = 0
    /// Counts the phones that the server can push, by Always permission and a valid token.
    package var reachable = 0
    /// Counts the phones without a data path.
    package var offline = 0
    /// Counts the phones that are switched off.
    package var switchedOff = 0
    /// Counts all phones of the fleet.
    package var installed = 0
    /// Makes states of zero.
    package init() {}
  }

  /// Holds what one process uses of the machine.
  package struct ProcessLoad: Equatable, Sendable, Codable {
    /// Names the process, "generator" or "collector".
    package var name: String
    /// Over the last interval.
    @Nullable package var cores: Double?
    /// Is the physical memory that the process holds; 0: unknown.
    package var residentBytes: Int
    /// Threads that were ready and had no processor, on average over the last interval; nil:
    /// unknown here.
    package var waited: Double?
    /// Says what one of several generators sends; nil for every other process.
    package var sending: Sending?

    /// Holds what a generator sent in the last interval.
    package struct Sending: Equatable, Sendable, Codable {
      /// Is the rate of the batches that were acknowledged.
      package var batchesPerSecond: Double
      /// Is how late it was at most, in µs; nil: it sent nothing.
      package var lagMaxMicroseconds: Int64?

      /// Makes what was sent from a rate and a lag.
      package init(batchesPerSecond: Double, lagMaxMicroseconds: Int64?) {
        self.batchesPerSecond = batchesPerSecond
        self.lagMaxMicroseconds = lagMaxMicroseconds
      }
    }

    /// Makes the load of one process; `waited` is in cores, as `cores` is.
    package init(name: String, cores: Double?, residentBytes: Int, waited: Double? = nil) {
      self.name = name
      self.cores = cores
      self.residentBytes = residentBytes
      self.waited = waited
    }
  }

  /// A collector's own account: received = distinct + duplicate + rejected.
  package struct StoredBatches: Equatable, Sendable, Codable {
    /// Counts the batches that reached the collector, repeats and rejected ones included.
    package var received = 0
    /// Counts the batches that the collector took for the first time.
    package var distinct = 0
    /// Counts the batches that the collector had taken before.
    package var duplicate = 0
    /// Counts the batches that the collector did not take.
    package var rejected = 0
    /// Counts the fixes in the distinct batches.
    package var fixes = 0
    /// Durable writes, and how long the slowest in a hundred took, µs.
    package var commits = 0
    /// Is the p99 duration of a durable write in µs; null without enough of them.
    @Nullable package var commitP99Microseconds: Double?
    /// Makes an account in which every count is 0.
    package init() {}
  }

  /// Says how fast virtual time goes.
  package struct VirtualPace: Equatable, Sendable, Codable {
    /// Counts the events that the fleet has handled so far.
    package var events: Int
    /// Is the mean rate of events since virtual time began, a wall second.
    package var eventsPerSecond: Double

    /// Makes the pace from a count and its rate.
    package init(events: Int, eventsPerSecond: Double) {
      self.events = events
      self.eventsPerSecond = eventsPerSecond
    }
  }
}
