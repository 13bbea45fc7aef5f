internal import Core
internal import Figures
internal import Scenarios
internal import Targets
internal import Uploads

extension LoadRun {
  /// Returns a store for batches from before the run; nil if the target gets none.
  func earlierUploads(_ backend: TargetSetup?) throws(CollectorRunError) -> EarlierUploads? {
    guard let backend, backend.target.prime > .zero else { return nil }
    let uploads = EarlierUploads(
      from: plan.scenario.start - backend.target.prime,
      requestsFor: backend.target.upload.fixes.requests(for:))
    if let failure = uploads.failure {
      throw .childFailed("cannot store the priming uploads: \(failure)")
    }
    return uploads
  }

  /// Sends a target the batches from before the run; returns the run's outcome if it was stopped.
  func prime(
    _ server: any LiveServer, _ backend: TargetSetup?, with uploads: EarlierUploads?,
    _ warm: WarmStart, _ loops: RunLoops
  ) throws(CollectorRunError) -> RunOutcome? {
    guard let uploads, let backend, let target = server as? TargetBackend else { return nil }
    let primed = try prime(backend, with: uploads, warm, loops)
    guard !shouldStop() else { return stopped(priming: backend, primed) }
    target.begin(after: primed)
    return nil
  }

  private func prime(
    _ backend: TargetSetup, with uploads: EarlierUploads, _ warm: WarmStart, _ loops: RunLoops
  ) throws(CollectorRunError) -> PrimedTarget {
    let (name, rate) = (backend.target.name, backend.primeRate.perSecond)
    if let failure = uploads.failure {
      throw .childFailed("cannot store the priming uploads: \(failure)")
    }
    let expected = TargetPrimer.expected(uploads, backend, plan)
    let span = TargetFigures.Primed.span(backend.target.prime.seconds)
    guard expected.seconds <= backend.target.prime.seconds else {
      throw .tooSlow(
        "\(name): \(Figure.grouped(uploads.requests)) requests of \(span) take longer than \(span) "
          + "at \(Figure.plain(rate))/s; raise primeRate and rateLimit, shorten prime, or take "
          + "fewer phones")
    }
    say(
      "priming \(name): \(Figure.grouped(uploads.fixes)) fixes of the preceding \(span) in "
        + "\(Figure.grouped(uploads.requests)) requests, up to \(Figure.plain(rate))/s: "
        + "\(Figure.plain(expected.seconds.rounded(.up))) s or more")
    let primer = TargetPrimer(plan, backend, uploads, warm, loops: loops)
    let began = plan.wall()
    let primed = primer.run(
      progress: { at, sent, share in
        let wall = plan.wall() - began
        var snapshot = plan.virtualSnapshot(
          "prime", at, share: share, warm.fleet, wall: wall)
        snapshot.outlook = Outlook(.early, "priming \(name).")
        snapshot.virtual = .init(
          events: sent, eventsPerSecond: Double(sent) / max(0.001, wall.seconds))
        progress(.virtual(snapshot))
      }, shouldStop: shouldStop)
    say("primed \(name): \(primed.figures.sentence)")
    return primed
  }

  private func stopped(priming backend: TargetSetup, _ primed: PrimedTarget) -> RunOutcome {
    var target = backend.blankFigures
    target.primed = primed.figures
    outcome.record.target = target
    return stopped("while priming \(backend.target.name)")
  }
}
