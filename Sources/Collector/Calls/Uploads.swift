internal import Measure
internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Transport
internal import Wire

/// The way of a batch: dedupe on the envelope, decode, judge, store, and only then the ack.
extension CollectorServer {
  func upload(_ call: ServerCall, _ message: UnsafeRawBufferPointer) {
    guard let run else { return refuseWithoutRun(call) }
    guard !run.isDown(at: run.clock.scenario(at: call.receivedAt)) else {
      return refuseInOutage(call)
    }
    do throws(WireError) {
      let envelope = try decoder.envelope(message)
      if run.backend.holds(envelope.id) {
        run.backend.recordDuplicate(fixes: envelope.fixCount)
        acknowledge(
          call, envelope.id, fixes: envelope.fixCount, duplicate: true, check: envelope.check,
          news: news(call, envelope, of: run))
      } else if !desk.join(envelope.id, call, check: envelope.check) {
        try judge(call, envelope, of: run)
      }
    } catch {
      batchLimits.count(error)
      run.backend.recordRejected(.malformed, fixes: 0)
      refuse(call, error.status, error.description)
    }
  }

  private func judge(
    _ call: ServerCall, _ envelope: UploadEnvelope, of run: OpenedRun
  ) throws(WireError) {
    guard !run.backend.hasForgotten(envelope.id) else {
      run.backend.recordRejected(.forgotten, fixes: envelope.fixCount)
      return refuse(call, .invalidArgument, "\(Rejection.forgotten)")
    }
    let fixes = try decoder.fixes(of: envelope)
    let now = run.clock.scenario(at: call.receivedAt)
    switch run.backend.inspect(envelope.id, fixes: fixes, at: now) {
    case .failure(let failure):
      run.backend.recordRejected(failure.reason, fixes: fixes.count)
      refuse(call, .invalidArgument, failure.description)
    case .success(let digest):
      let upload = CommitDesk.Upload(
        digest: digest, receivedAt: now, call: call, check: envelope.check,
        news: news(call, envelope, of: run))
      guard store.isDurable else {
        finish(upload, error: nil)
        return
      }
      let batch = StoredBatch(
        id: envelope.id, receivedAt: now, receivedAtWall: call.receivedAt,
        fixCount: digest.fixCount, hash: digest.hash.value,
        encoding: UInt8(envelope.encoding.rawValue),
        uncompressedSize: UInt32(envelope.uncompressedSize))
      store.submit(batch, payload: envelope.payload, token: desk.put(.upload(upload)))
    }
  }

  private func news(
    _ call: ServerCall, _ envelope: UploadEnvelope, of run: OpenedRun
  ) -> TrackerSettings? {
    run.news(
      for: envelope.id.phone, has: envelope.settingsVersion,
      at: run.clock.scenario(at: call.receivedAt))
  }

  /// The store has answered for a batch.
  func finish(_ upload: CommitDesk.Upload, error: StoreError?) {
    let digest = upload.digest
    let count = Int(digest.fixCount)
    if let error {
      refuse(upload.call, error)
      for resend in upload.resends { refuse(resend.call, error) }
      return
    }
    run?.backend.commit(digest, at: upload.receivedAt)
    acknowledge(
      upload.call, digest.id, fixes: count, duplicate: false, check: upload.check,
      news: upload.news)
    for resend in upload.resends {
      run?.backend.recordDuplicate(fixes: count)
      acknowledge(
        resend.call, digest.id, fixes: count, duplicate: true, check: resend.check,
        news: upload.news)
    }
  }

  private func acknowledge(
    _ call: ServerCall, _ id: BatchID, fixes: Int, duplicate: Bool, check: UInt32,
    news: TrackerSettings?
  ) {
    if news != nil { figures.settingsHandedOut += 1 }
    answer(
      call,
      UploadReply(
        sequence: id.sequence, duplicate: duplicate, fixes: UInt32(fixes), settings: news,
        check: check))
    figures.ingest.record((loop.now - call.receivedAt).microseconds)
  }

  // MARK: The store's reports

  func takeReports() {
    for report in store.takeReports() {
      figures.count(report)
      noteQueue(of: report)
      storeError = report.error
      for token in report.tokens {
        if let waiting = desk.take(token, error: report.error) {
          settle(waiting, error: report.error)
        }
      }
    }
  }

  private func settle(_ waiting: CommitDesk.Waiting, error: StoreError?) {
    switch waiting {
    case .upload(let upload): finish(upload, error: error)
    case .registration(let call, let request): finish(call, request, error: error)
    case .run(let call, let resumed): finishOpening(call, resumed: resumed, error: error)
    case .restore(let call, let rows, let asked, _, let earlier):
      finish(call, rows, asked: asked, error: earlier ?? error)
    case .occasion: break
    }
  }
}
