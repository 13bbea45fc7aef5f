/// Every counter, one line each: who counts it, its key in `run.json` (`-` if not recorded), and
/// its meaning. A new counter needs one line here and one increment, `sheet[.pushbacks] += 1`.
package enum Count: String, CaseIterable, Sendable {
  // Fixes and batches of the phones.
  case fixesGenerated = "phones -: Fixes delivered to apps."
  case fixesPersisted = "phones -: Fixes kept by apps, including those carried over."
  case fixesEvicted = "phones -: Fixes removed from full outboxes."
  case fixesRefused = "phones -: Fixes in batches that the server refused for good."
  case fixesAcknowledged = "phones -: Fixes in batches whose acknowledgement the phone received."
  case fixesCarried = "phones -: Fixes in outboxes when the counting began."
  case fixesRemoved = "phones -: Fixes in the outboxes of deleted apps."
  case batchesCut = "phones -: Batches cut, including those carried over; retries cut none."
  case batchesCarried = "phones -: Batches cut and not yet answered when the counting began."
  case batchesRefused = "phones -: Batches that the server refused for good."
  case batchesAcknowledged = "phones -: Batches whose acknowledgement the phone received."
  case batchesRemoved = "phones -: Unanswered batches of deleted apps."

  // Events that apps send beside their fixes.
  case eventsGenerated = "phones -: Events put into outboxes, including those carried over."
  case eventsCarried = "phones -: Events in outboxes when the counting began."
  case eventsEvicted = "phones -: Events removed from full outboxes."
  case eventsRemoved = "phones -: Events in the outboxes of deleted apps."
  case eventsRefused = "phones -: Events that the server refused for good."
  case eventsAcknowledged = "phones -: Events whose acknowledgement the phone received."
  case eventsFalse = "phones -: Events of a border that the phone had not crossed."
  case eventsRepeated = "phones -: Events that repeated the last one of their place."
  case eventsOffline = "phones -: Requests of events that failed for lack of a data path."
  case eventsFailed = "phones -: Requests of events that the phone saw fail."
  case eventsUnanswered = "phones -: Answers to events of apps that were suspended or dead."

  // Uploads and apps, counted by the phones.
  case uploadsStarted = "phones -: Uploads begun, including the tracker's retries."
  case uploadsOffline = "phones errors.uploads-offline: Uploads failed for lack of a data path."
  case uploadsLost = "phones errors.answers-lost: Answers to apps that were suspended or dead."
  case uploadsFailed = "phones errors.uploads-failed: Uploads that the phone saw fail."
  case outcomesConsumed = "phones -: Answers to a phone's newest attempt."
  case outcomesLate = "phones -: Of those, the ones that arrived late."
  case alertsShown = "phones -: Alerts shown to owners (AL1)."
  case settingsTaken = "phones -: Newer settings received from the server."
  case events = "phones -: Events handled, including the warm start."
  case launches = "phones -: Launches of apps."
  case wakes = "phones -: Times an app was launched or resumed."
  case kills = "phones errors.background-kills: Apps that crashed or ran out of background time."
  case endedForMemory = "phones errors.ended-for-memory: Apps ended for lack of memory."
  case updates = "phones errors.ended-for-update: New versions of the app installed."
  case reinstalls = "phones errors.reinstalls: Apps deleted and installed again."

  // The state of the phones at one instant.
  case foreground = "census -: Phones whose app is in the foreground."
  case background = "census -: Phones whose app runs in the background."
  case suspended = "census -: Phones whose app is suspended."
  case notRunning = "census -: Phones whose app does not run."
  case switchedOff = "census -: Phones that are switched off."
  case offline = "census -: Phones without a data path."
  case moving = "census -: Phones that move."
  case reachable = "census -: Phones with Always permission and a valid push token."
  case outboxFixes = "census -: Fixes in outboxes and not in flight."
  case inFlightFixes = "census -: Fixes in batches in flight."
  case outboxBatches = "census -: Batches that are cut, not answered and not in flight."
  case outboxEvents = "census -: Events in outboxes and not in flight."
  case inFlightEvents = "census -: Events in flight."
  case inFlightBatches = "census -: Batches in flight."

  // Load, by interval.
  case offeredBatches = "load -: Batches whose upload the fleet ordered."
  case offeredFixes = "load -: Fixes in the batches offered."
  case acknowledgedBatches = "load -: Batches whose durable acknowledgement was read."
  case acknowledgedFixes = "load -: Fixes in the batches acknowledged."
  case failedBatches = "load -: Batches that were given up or timed out."

  // Uploads and connections, counted by the fleet's sender.
  case submitted = "sender -: Uploads handed to the sender."
  case started = "sender -: Uploads whose first attempt has started."
  case acknowledged = "sender -: Uploads that ended with an acknowledgement."
  case failed = "sender -: Uploads that ended with a final status, or with no retries left."
  case timedOut = "sender -: Uploads that ended at their deadline."
  case scheduled = "sender -: Uploads submitted and not yet due."
  case inFlight = "sender -: Uploads started and not yet ended."
  case waiting = "sender -: Requests or clients that wait for a connection."
  case attempts = "sender -: Attempts of all uploads; registrations are no attempts."
  case retries = "sender errors.retries: Attempts after an upload's first."
  case retriesWithheld = "sender errors.retries-withheld: Retries forbidden by a phone's budget."
  case pushbacks = "sender errors.pushbacks: Answers with a retry delay."
  case resent = "sender -: Batches of an earlier run that were sent again."
  case connects = "sender traffic.connections: Connections begun."
  case connectFailures = "sender errors.connect-failures: Connections that failed to open."
  case goAways = "sender errors.goaways: Connections that the server asked to close (GOAWAY)."
  case connectionsTaken = "sender -: Connections that a broker accepted."
  case connectionsLost = "sender -: Accepted connections that the other side ended."
  case openConnections = "sender -: Connections that are open."
  case openConnectionsPeak = "sender -: The most connections open at once, summed over loops."
  case openConnectionsMaxHits = "sender -: Uploads that waited for the limit of connections."
  case descriptorLimitHits = "sender -: Connections for which no descriptor was left."
  case portLimitHits = "sender -: Connections for which no local port was left."
  case bytesSent = "sender traffic.bytesSent: Bytes written to connections."
  case bytesReceived = "sender traffic.bytesReceived: Bytes read from connections."
  case payloads = "sender -: Payloads of batches, compressed or left plain."
  case payloadPlainBytes = "sender -: Bytes of payloads before compression."
  case payloadBytes = "sender -: Bytes of payloads as sent."
  case handshakesFull = "tls traffic.handshakes.full: TLS handshakes with certificates."
  case handshakesResumed = "tls traffic.handshakes.resumed: TLS handshakes that resumed a session."

  // Silent pushes of the measured time; the key is the name in a collector's answers.
  case pushesRequested = "wake requested: Silent pushes requested."
  case pushesEligible = "wake eligible: Of those, the ones requested at least W before the end."
  case pushesAnswered = "wake answered: Eligible pushes that a good fix followed within W."
  case pushesWithheld = "wake withheld: Silent pushes withheld as controls."
  case withheldEligible = "wake withheldEligible: Controls chosen at least W before the end."
  case withheldAnswered = "wake withheldAnswered: Of those, the ones a good fix followed within W."
  case pushesRefused = "wake refused: Silent pushes that the provider refused."
  case unreachableEligible =
    "wake unreachableEligible: Times a silent phone could not be pushed."
  case unreachableAnswered =
    "wake unreachableAnswered: Of those, the ones a good fix followed within W."
  case waitingForRate = "wake waitingForRate: Phones due for a push, waiting for the rate limit."

  // Silent pushes, counted by the run.
  case pushAnswers = "pushes -: Of the requested pushes, the ones answered so far."

  // A collector. The second word is the key in its answers, the third the name on its metrics page.
  case commits =
    "collector store.commits flotilla_store_commits_total: Transactions that are durable."
  case committedRecords =
    "collector store.records flotilla_store_records_total: Records in durable transactions."
  case mostCommittedRecords = "collector store.recordsMost: Records in the largest transaction."
  case slowCommits = """
    collector store.slow flotilla_store_slow_commits_total: Durable transactions that took more \
    than 50 ms.
    """
  case failedCommits =
    "collector store.errors flotilla_store_commit_errors_total: Transactions that failed."
  case uploadsWaiting =
    "collector uploadsWaiting flotilla_uploads_waiting: Uploads that wait for their commit."
  case registrations =
    "collector registrations flotilla_registrations_total: Phones that registered."
  case shed = "collector shed.admission: Uploads refused by admission."
  case settingsHandedOut = """
    collector settingsHandedOut flotilla_settings_handed_out_total: Acks that brought newer \
    settings.
    """
  case refusedInOutage = """
    collector refusedInOutage flotilla_refused_in_outage_total: Calls refused during \
    an outage of the scenario.
    """
  case sweeps = "collector sweeps flotilla_sweeps_total: Sweeps of the wake scheduler."
  case sweepsWithoutSubscriber = """
    collector sweepsWithoutSubscriber flotilla_sweeps_without_subscriber_total: Sweeps skipped \
    because no subscriber could deliver a push.
    """
  case pushesDropped = """
    collector pushesDropped flotilla_pushes_dropped_total: Silent pushes that a slow subscriber \
    missed.
    """
  case accepted = """
    collector connectionsAccepted flotilla_connections_accepted_total: Connections \
    accepted.
    """
  case connections = "collector connections flotilla_connections: Connections that are open."
  case calls = "collector calls: Calls that began."
  case streams = "collector - flotilla_streams: Calls that are open."
  case inFlightBytes = """
    collector inFlightBytes flotilla_in_flight_bytes: Bytes of requests that are not answered yet.
    """
  case bytesRead = "collector bytesRead flotilla_received_bytes_total: Bytes read from clients."
  case bytesWritten = "collector bytesWritten flotilla_sent_bytes_total: Bytes written to clients."
  case cancelled = "collector cancelled: Calls that the client gave up."
  case unauthenticated = """
    collector - flotilla_rpc_unauthenticated_total: Calls without the required token.
    """
  case protocolErrors = """
    collector protocolErrors flotilla_protocol_errors_total: Connections ended for a breach of the \
    protocol.
    """
  case asksEnded = "collector asksEnded: Requests for one position, answered or given up."
  case asksAnswered = "collector asksAnswered: Of those, the ones answered with a position."

  // Clocks of the phones, counted by a collector, perhaps some seconds before the snapshot.
  case clocksSeen = "clocks clocks.phones: Phones with at least one batch."
  case stampedAhead = "clocks clocks.stampedAhead: Batches stamped after they were received."
  case aheadSecond = "clocks clocks.ahead.second: Phones with a batch stamped 1 s ahead or more."
  case aheadMinute = "clocks clocks.ahead.minute: Phones with a batch stamped 1 min ahead or more."
  case aheadHalfHour =
    "clocks clocks.ahead.halfHour: Phones with a batch stamped 30 min ahead or more."
  case aheadHalfDay = "clocks clocks.ahead.halfDay: Phones with a batch stamped 12 h ahead or more."
  case lateSecond = "clocks clocks.late.second: Phones with every batch 1 s old or more."
  case lateMinute = "clocks clocks.late.minute: Phones with every batch 1 min old or more."
  case lateHalfHour = "clocks clocks.late.halfHour: Phones with every batch 30 min old or more."
  case lateHalfDay = "clocks clocks.late.halfDay: Phones with every batch 12 h old or more."

  package enum Counter: String, Sendable {
    case phones, census, load, sender, tls, pushes, collector, wake, clocks

    /// Whether a collector's answers have these figures, named by their keys.
    package var isAnswered: Bool { [.collector, .wake, .clocks].contains(self) }
  }

  package struct Row: Sendable {
    package let counter: Counter
    /// The key in `run.json`, or in a collector's answers; nil if none.
    package let key: String?
    /// The name on a metrics page; nil if absent there.
    package let metric: String?
    package let sentence: String
    /// The parts of `key` in `run.json`; empty if the figure is not recorded by itself.
    package var path: [String] {
      counter.isAnswered ? [] : (key ?? "").split(separator: ".").map(String.init)
    }
    package var isBytes: Bool { sentence.hasPrefix("Bytes ") }

    fileprivate init(_ line: String) {
      let parts = line.split(separator: ": ", maxSplits: 1)
      let words = parts.first?.split(separator: " ") ?? []
      guard parts.count == 2, words.count >= 2, let counter = Counter(rawValue: "\(words[0])")
      else { preconditionFailure("'\(line)' is not 'COUNTER KEY METRIC: SENTENCE'") }
      self.counter = counter
      key = words[1] == "-" ? nil : String(words[1])
      metric = words.count == 3 ? String(words[2]) : nil
      sentence = String(parts[1])
    }
  }

  @inlinable package var place: Int {
    // A case without a payload is stored as its index, in a byte for less than 257 cases.
    Int(unsafeBitCast(self, to: UInt8.self))
  }

  package var row: Row { Self.rows[place] }

  private static let rows = allCases.map { Row($0.rawValue) }
}
