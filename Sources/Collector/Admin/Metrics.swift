internal import Core
internal import Transport

/// Every metric, in the order of the page.
enum Metrics {
  // MARK: The process

  static let build = Metric(
    "flotilla_build_info", .info, "Version of the collector.", labels: ["version"])
  // Every Prometheus client uses these names, so that standard dashboards work.
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
    "flotilla_rpc_started_total", .counter, "Calls started (headers received).", labels: ["method"])
  static let callsHandled = Metric(
    "flotilla_rpc_handled_total", .counter,
    "Calls ended, by status code; CANCELLED: the client gave up.",
    labels: ["method", "code"])
  static let limitHits = Metric(
    "flotilla_limit_hits_total", .counter, "Number of times a server limit was reached.",
    labels: ["limit"])

  static let handshakes = Metric(
    "flotilla_tls_handshakes_total", .counter,
    "Completed TLS handshakes: full, or resumed from an earlier session.",
    labels: ["outcome"])
  static let handshakeFailures = Metric(
    "flotilla_tls_handshake_failures_total", .counter, "Failed TLS handshakes.",
    labels: ["reason"])
  static let handshakesUnderWay = Metric(
    "flotilla_tls_handshakes_under_way", .gauge, "TLS handshakes in progress.")
  static let handshakeTime = Metric(
    "flotilla_tls_handshake_cpu_seconds_total", .counter,
    "CPU time spent on TLS handshakes in seconds.")

  // MARK: Batches

  static let batchesReceived = Metric(
    "flotilla_batches_received_total", .counter, "Batches received and answered.")
  static let batchesAccepted = Metric(
    "flotilla_batches_accepted_total", .counter, "Batches stored, without duplicates.")
  static let batchesDuplicate = Metric(
    "flotilla_batches_duplicate_total", .counter, "Batches already stored.")
  static let batchesRejected = Metric(
    "flotilla_batches_rejected_total", .counter, "Batches rejected because of their content.",
    labels: ["reason"])
  static let fixesAccepted = Metric(
    "flotilla_fixes_accepted_total", .counter, "Fixes stored, without duplicates.")
  static let fixesDuplicate = Metric(
    "flotilla_fixes_duplicate_total", .counter, "Fixes already stored.")
  static let ingest = Metric(
    "flotilla_ingest_duration_seconds", .histogram,
    "Time from reading the last byte of an upload to writing its ack to the socket.")

  // MARK: Overload

  static let shed = Metric(
    "flotilla_shed_total", .counter, "Calls refused by load shedding.",
    labels: ["reason"])
  static let shedShare = Metric(
    "flotilla_admission_drop_ratio", .gauge, "Current share of offered uploads that is refused.")
  static let storeQueue = Metric(
    "flotilla_store_queue_seconds", .histogram,
    "Time from receiving a batch to the start of the transaction that commits it.")
  static let loopQueue = Metric(
    "flotilla_loop_queue_seconds", .histogram,
    "Maximum time that an upload waited for the event loop.")

  // MARK: The store

  static let commitTime = Metric(
    "flotilla_store_commit_duration_seconds", .histogram,
    "Time from the start of a transaction to the end of its fsync.")
  static let lastCommit = Metric(
    "flotilla_store_last_commit_timestamp_seconds", .gauge,
    "Time of the last durable transaction; 0: none yet.")
  static let storeBytes = Metric(
    "flotilla_store_file_bytes", .gauge, "Size of the store's file.")
  static let walBytes = Metric(
    "flotilla_store_wal_bytes", .gauge, "Size of the store's write-ahead log.")
  static let freeBytes = Metric(
    "flotilla_storage_free_bytes", .gauge, "Free space on the store's disk.")

  // MARK: The run

  static let run = Metric("flotilla_run_info", .info, "The open run.", labels: ["run"])
  static let phones = Metric("flotilla_run_phones", .gauge, "Installed phones.")
  static let speed = Metric(
    "flotilla_run_speed_ratio", .gauge, "Simulated seconds per second; 0: no run is open.")
  static let fresh = Metric(
    "flotilla_fresh_ratio", .gauge,
    """
    Share of measured phone-time in which the newest fix is at most within_seconds old, of all \
    installed phones, the reachable ones, or those of one operating system.
    """,
    labels: ["population", "within_seconds"])
  static let never = Metric(
    "flotilla_never_seen_ratio", .gauge, "Share of measured phone-time before the first fix.",
    labels: ["population"])
  static let pushesRequested = Metric(
    "flotilla_pushes_requested_total", .counter, "Silent pushes requested.",
    labels: ["system"])
  static let pushesWithheld = Metric(
    "flotilla_pushes_withheld_total", .counter, "Silent pushes withheld as controls.")
  static let pushesAnswered = Metric(
    "flotilla_pushes_answered_total", .counter,
    "Silent pushes followed by a good fix in time.", labels: ["system"])
  static let pushesRefused = Metric(
    "flotilla_pushes_refused_total", .counter, "Silent pushes refused by the provider.")
  static let pushesWaiting = Metric(
    "flotilla_pushes_waiting", .gauge, "Phones due for a push, delayed by the rate limit.")
  static let subscribers = Metric(
    "flotilla_push_subscribers", .gauge, "Open streams that receive silent pushes.")
  static let asks = Metric(
    "flotilla_asks_total", .counter, "Requests for one position, by outcome.",
    labels: ["outcome"])
  static let lateness = Metric(
    "flotilla_duty_lateness_seconds", .histogram, "Lateness of the tasks of the scenario clock.")

  // MARK: Counts

  /// The figures of `Count` that have a metric name; figures named `_total` only grow.
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
