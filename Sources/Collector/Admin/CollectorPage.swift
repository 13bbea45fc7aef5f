internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

struct CollectorPage {
  var version: String
  var startedAt: UnixInstant
  var now: UnixInstant
  var isReady: Bool
  var sample: CollectorSample
  var machine: MachineMetrics

  func rendered(_ format: MetricPage.Format) -> String {
    var page = MetricPage()
    addProcess(&page)
    addCalls(&page)
    addBatches(&page)
    addOverload(&page)
    addStore(&page)
    addRun(&page)
    addPushes(&page)
    for (count, metric) in Metrics.counted { page.add(metric, sample.sheet[count]) }
    return page.text(format)
  }

  private func addProcess(_ page: inout MetricPage) {
    page.add(Metrics.build, [([version], 1)])
    page.add(Metrics.started, startedAt.seconds)
    page.add(Metrics.cpu, machine.cpuSeconds)
    page.add(Metrics.resident, machine.residentBytes)
    page.add(Metrics.openDescriptors, machine.openDescriptors)
    page.add(Metrics.maxDescriptors, machine.maxDescriptors)
    page.add(Metrics.ready, isReady ? 1 : 0)
  }

  // MARK: Calls

  private func addCalls(_ page: inout MetricPage) {
    let server = sample.server
    let methods: [(name: String, method: CollectorMethod?)] =
      CollectorMethod.allCases.map { ("\($0)", $0) } + [("unknown", nil)]
    page.add(
      Metrics.callsStarted,
      methods.map { ([$0.name], Double(server.started[ServerCounters.index(of: $0.method)])) })
    var handled: [(labels: [String], value: Double)] = []
    for (name, method) in methods {
      for code in StatusCode.allCases {
        let count = server.handled[ServerCounters.handledIndex(method, code)]
        if count > 0 || Self.isExpected(code, of: method) {
          handled.append(([name, "\(code)"], Double(count)))
        }
      }
    }
    page.add(Metrics.callsHandled, handled)
    page.add(
      Metrics.limitHits,
      (ServerLimit.allCases.map(\.rawValue) + WireError.limits).map {
        ([$0], Double(sample.sheet[.limits][$0] ?? 0))
      })
    addHandshakes(to: &page)
  }

  private func addHandshakes(to page: inout MetricPage) {
    let handshakes = sample.handshakes
    page.add(
      Metrics.handshakes,
      [(["full"], Double(handshakes.full)), (["resumed"], Double(handshakes.resumed))])
    page.add(
      Metrics.handshakeFailures,
      TLSError.Kind.allCases.map { ([$0.rawValue], Double(handshakes.failed($0))) })
    page.add(Metrics.handshakesUnderWay, handshakes.underWay)
    page.add(Metrics.handshakeTime, Double(handshakes.cpuMicroseconds) / 1e6)
  }

  /// Returns whether a series starts at 0, so that its first increase is visible. Uploads have a
  /// series for every code that an alert may name, other methods only for success.
  private static func isExpected(_ code: StatusCode, of method: CollectorMethod?) -> Bool {
    guard let method else { return code == .unimplemented }
    switch code {
    case .ok: return true
    case .cancelled, .invalidArgument, .deadlineExceeded, .resourceExhausted,
      .failedPrecondition, .internal, .unavailable, .dataLoss, .unauthenticated:
      return method == .upload
    case .unknown, .notFound, .alreadyExists, .permissionDenied, .aborted, .outOfRange,
      .unimplemented:
      return false
    }
  }

  // MARK: Batches and store

  private func addBatches(_ page: inout MetricPage) {
    let ledger = sample.run?.ledger ?? CollectorLedger()
    page.add(Metrics.batchesReceived, ledger.batches.received)
    page.add(Metrics.batchesAccepted, ledger.batches.distinct)
    page.add(Metrics.batchesDuplicate, ledger.batches.duplicate)
    page.add(
      Metrics.batchesRejected,
      Rejection.allCases.map {
        (["\($0)"], Double(ledger.batches.rejected[Int($0.rawValue)]))
      })
    page.add(Metrics.fixesAccepted, ledger.fixes.distinct)
    page.add(Metrics.fixesDuplicate, ledger.fixes.duplicate)
    page.add(Metrics.ingest, sample.ingest)
  }

  private func addOverload(_ page: inout MetricPage) {
    page.add(
      Metrics.shed,
      [
        (["admission"], Double(sample.sheet[.shed])),
        (["inFlightBytesMax"], Double(sample.server.hits(.inFlightBytesMax))),
      ])
    page.add(Metrics.shedShare, sample.shedShare)
    page.add(Metrics.storeQueue, sample.storeQueue)
    page.add(Metrics.loopQueue, sample.loopQueue)
  }

  private func addStore(_ page: inout MetricPage) {
    page.add(Metrics.commitTime, sample.commitTime)
    page.add(Metrics.lastCommit, sample.commitAge.map { now.seconds - $0.seconds } ?? 0)
    for (metric, value) in [
      (Metrics.storeBytes, machine.storeBytes), (Metrics.walBytes, machine.walBytes),
      (Metrics.freeBytes, machine.freeBytes),
    ] {
      page.add(metric, value.map { [([], Double($0))] } ?? [])
    }
  }

  // MARK: The run

  private func addRun(_ page: inout MetricPage) {
    page.add(Metrics.run, sample.run.map { [([$0.id], 1)] } ?? [])
    page.add(Metrics.phones, sample.run?.phones ?? 0)
    page.add(Metrics.speed, sample.run?.speed ?? 0)
    var fresh: [(labels: [String], value: Double)] = []
    var never: [(labels: [String], value: Double)] = []
    for (name, ages) in populations {
      for age in ages.thresholds {
        guard let share = ages.share(within: age) else { continue }
        fresh.append(([name, MetricPage.number(age.seconds)], share))
      }
      if let share = ages.neverShare { never.append(([name], share)) }
    }
    page.add(Metrics.fresh, fresh)
    page.add(Metrics.never, never)
  }

  private var populations: [(String, AgeIntegral)] {
    guard let freshness = sample.run?.freshness else { return [] }
    return [("installed", freshness.installed), ("reachable", freshness.reachable)]
      + zip(systems.map(\.name), freshness.parts).filter { !$0.0.isEmpty }
  }

  private var systems: [(name: String, pushes: Sheet)] {
    sample.run?.systems ?? [("", sample.sheet)]
  }

  private func addPushes(_ page: inout MetricPage) {
    page.add(
      Metrics.pushesRequested, systems.map { ([$0.name], Double($0.pushes[.pushesRequested])) })
    page.add(Metrics.pushesWithheld, sample.sheet[.pushesWithheld])
    page.add(
      Metrics.pushesAnswered, systems.map { ([$0.name], Double($0.pushes[.pushesAnswered])) })
    page.add(Metrics.pushesRefused, sample.sheet[.pushesRefused])
    page.add(Metrics.pushesWaiting, sample.sheet[.waitingForRate])
    page.add(Metrics.subscribers, sample.subscribers)
    page.add(
      Metrics.asks,
      AskOutcome.allCases.map { (["\($0)"], Double(sample.sheet[.asks]["\($0)"] ?? 0)) })
    page.add(Metrics.lateness, sample.lateness)
  }
}
