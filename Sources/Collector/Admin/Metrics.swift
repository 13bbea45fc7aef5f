internal import Core

/// Every metric, in the order of the page.
enum Metrics {
  // MARK: The process

  static let build = Metric(
    "flotilla_build_info", .info, "The program that serves.", labels: ["version"])
  // These five have the names that every Prometheus client uses, so that dashboards fit.
  static let started = Metric(
    "process_start_time_seconds", .gauge, "Start of the process since the unix epoch in seconds.")
  static let cpu = Metric(
    "process_cpu_seconds_total", .counter, "User and system CPU time spent in seconds.")
  static let resident = Metric(
    "process_resident_memory_bytes", .gauge, "Resident memory size in bytes.")
  static let openDescriptors = Metric(
    "process_open_fds", .gauge, "Number of open file descriptors.")
  static let maxDescriptors = Metric(
    "process_max_fds", .gauge, "Maximum number of open file descriptors.")
  static let ready = Metric(
    "flotilla_ready", .gauge, "1 when /readyz answers 200, else 0.")

  // MARK: Calls and connections

  static let callsStarted = Metric(
    "flotilla_rpc_started_total", .counter, "Calls whose headers have come.", labels: ["method"])
  static let callsHandled = Metric(
    "flotilla_rpc_handled_total", .counter,
    "Calls that have ended, by what they ended with; given up by the client: CANCELLED.",
    labels: ["method", "code"])
  static let limitHits = Metric(
    "flotilla_limit_hits_total", .counter, "How often a limit of the server was met.",
    labels: ["limit"])

  static let handshakes = Metric(
    "flotilla_tls_handshakes_total", .counter,
    "TLS handshakes that were done: with certificates, or from an earlier session.",
    labels: ["outcome"])
  static let handshakeFailures = Metric(
    "flotilla_tls_handshake_failures_total", .counter, "TLS handshakes that failed.",
    labels: ["reason"])
  static let handshakesUnderWay = Metric(
    "flotilla_tls_handshakes_under_way", .gauge, "TLS handshakes that are not done yet.")
  static let handshakeTime = Metric(
    "flotilla_tls_handshake_cpu_seconds_total", .counter,
    "CPU time spent on TLS handshakes in seconds.")

  // MARK: Batches

  static let batchesReceived = Metric(
    "flotilla_batches_received_total", .counter, "Batches that came and have been answered.")
  static let batchesAccepted = Metric(
    "flotilla_batches_accepted_total", .counter, "Batches stored, each once.")
  static let batchesDuplicate = Metric(
    "flotilla_batches_duplicate_total", .counter, "Batches that were held already.")
  static let batchesRejected = Metric(
    "flotilla_batches_rejected_total", .counter, "Batches refused for what they hold.",
    labels: ["reason"])
  static let fixesAccepted = Metric(
    "flotilla_fixes_accepted_total", .counter, "Fixes stored, each once.")
  static let fixesDuplicate = Metric(
    "flotilla_fixes_duplicate_total", .counter, "Fixes that were held already.")
  static let ingest = Metric(
    "flotilla_ingest_duration_seconds", .histogram,
    "From the last byte of an upload read to its ack handed to the socket.")

  // MARK: Overload

  static let shed = Metric(
    "flotilla_shed_total", .counter, "Calls refused so that others are served.",
    labels: ["reason"])
  static let shedShare = Metric(
    "flotilla_admission_drop_ratio", .gauge, "Share of the offered uploads that is refused now.")
  static let storeQueue = Metric(
    "flotilla_store_queue_seconds", .histogram,
    "From the receipt of a batch to the begin of the transaction that commits it.")
  static let loopQueue = Metric(
    "flotilla_loop_queue_seconds", .histogram,
    "How long an upload waited for the event loop, at most.")

  // MARK: The store

  static let commitTime = Metric(
    "flotilla_store_commit_duration_seconds", .histogram,
    "From the begin of a transaction to the end of its fsync.")
  static let lastCommit = Metric(
    "flotilla_store_last_commit_timestamp_seconds", .gauge,
    "When the last transaction became durable; 0: none has.")
  static let storeBytes = Metric(
    "flotilla_store_file_bytes", .gauge, "Size of the store's file.")
  static let walBytes = Metric(
    "flotilla_store_wal_bytes", .gauge, "Size of the store's write-ahead log.")
  static let freeBytes = Metric(
    "flotilla_storage_free_bytes", .gauge, "Free space on the store's disk.")

  // MARK: The run

  static let run = Metric("flotilla_run_info", .info, "The run that is open.", labels: ["run"])
  static let phones = Metric("flotilla_run_phones", .gauge, "Phones that are installed.")
  static let speed = Metric(
    "flotilla_run_speed_ratio", .gauge, "Scenario seconds in a second; 0: no run is open.")
  static let fresh = Metric(
    "flotilla_fresh_ratio", .gauge,
    "Share of measured phone-time with a newest fix of at most so many seconds.",
    labels: ["population", "within_seconds"])
  static let never = Metric(
    "flotilla_never_seen_ratio", .gauge, "Share of measured phone-time before any fix.",
    labels: ["population"])
  static let pushesRequested = Metric(
    "flotilla_pushes_requested_total", .counter, "Silent pushes asked for.")
  static let pushesWithheld = Metric(
    "flotilla_pushes_withheld_total", .counter, "Silent pushes withheld as controls.")
  static let pushesAnswered = Metric(
    "flotilla_pushes_answered_total", .counter,
    "Silent pushes that a good fix followed in time.")
  static let pushesRefused = Metric(
    "flotilla_pushes_refused_total", .counter, "Silent pushes that the provider refused.")
  static let pushesWaiting = Metric(
    "flotilla_pushes_waiting", .gauge, "Phones due for a push that wait for the rate.")
  static let subscribers = Metric(
    "flotilla_push_subscribers", .gauge, "Streams that silent pushes go to.")
  static let asks = Metric(
    "flotilla_asks_total", .counter, "Requests for one position, by how they ended.",
    labels: ["outcome"])
  static let lateness = Metric(
    "flotilla_duty_lateness_seconds", .histogram, "How late the scenario clock's duties were done.")

  // MARK: What is counted

  /// The figures of `Count` named here; those in `_total` only grow.
  static let counted: [(count: Count, metric: Metric)] = Count.allCases.compactMap { count in
    guard let name = count.row.metric else { return nil }
    let kind = name.hasSuffix("_total") ? Metric.Kind.counter : .gauge
    return (count, Metric(name, kind, count.row.sentence))
  }

  static let all =
    [
      build, started, cpu, resident, openDescriptors, maxDescriptors, ready, callsStarted,
      callsHandled, limitHits, handshakes, handshakeFailures, handshakesUnderWay,
      handshakeTime, batchesReceived, batchesAccepted, batchesDuplicate, batchesRejected,
      fixesAccepted, fixesDuplicate, ingest, shed, shedShare, storeQueue, loopQueue,
      commitTime, lastCommit, storeBytes, walBytes, freeBytes, run, phones, speed, fresh,
      never, pushesRequested, pushesWithheld, pushesAnswered, pushesRefused, pushesWaiting,
      subscribers, asks, lateness,
    ] + counted.map(\.metric)
}
