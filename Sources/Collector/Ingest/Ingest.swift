internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

/// Admits, decodes, judges, stores and acknowledges batches. For the loop's thread only.
final class Ingest {
  private let loop: EventLoop
  private let runs: RunHost
  private let commits: Commits
  private let replies: ReplyWriter
  private let positions: PositionRequests
  private let decoder: BatchDecoder
  private(set) var admission: Admission
  private var storeQueue: StoreQueue
  private(set) var counters = IngestCounters()

  init(
    _ configuration: CollectorConfiguration, _ loop: EventLoop, _ runs: RunHost,
    _ commits: Commits, _ replies: ReplyWriter, _ positions: PositionRequests
  ) {
    self.loop = loop
    self.runs = runs
    self.commits = commits
    self.replies = replies
    self.positions = positions
    admission = Admission(configuration.admission)
    decoder = BatchDecoder(dictionary: configuration.dictionary)
    storeQueue = StoreQueue(groupDelay: configuration.groupDelay)
  }

  func beginRun() {
    let limits = counters.sheet[.limits]
    counters = IngestCounters()
    counters.sheet[.limits] = limits
  }

  // MARK: Admission

  /// Takes an upload's wait for the loop; returns a new share of calls to refuse, or nil.
  func observe(_ opening: CallOpening) -> Double? {
    counters.loopQueue.record(opening.queueingDelay.microseconds)
    admission.observe(opening.queueingDelay)
    guard admission.isDue(at: opening.at) else { return nil }
    let stored = storeQueue.delay(
      waiting: commits.uploadsWaiting, oldest: commits.oldestWaiting, at: opening.at)
    admission.update(delay: stored, at: opening.at)
    return refusedShare
  }

  var refusedShare: Double { admission.isShedding ? admission.dropProbability : 0 }

  func refusal(of opening: CallOpening) -> CallStatus? {
    guard !admission.admits(rate: opening.connectionRate) else { return nil }
    counters.sheet[.shed] += 1
    return CallStatus(
      .resourceExhausted, "admission", pushbackMilliseconds: admission.pushbackMilliseconds())
  }

  func committed(_ group: Commits.Group) {
    storeQueue.committed(records: group.records, took: group.took, worst: group.longestWait)
  }

  // MARK: Uploads

  func upload(_ call: ServerCall, _ message: UnsafeRawBufferPointer) {
    guard let run = runs.serving(call) else { return }
    do throws(WireError) {
      let envelope = try decoder.envelope(message)
      if run.backend.holds(envelope.id) {
        run.backend.recordDuplicate(fixes: envelope.fixCount)
        acknowledge(
          call, envelope.id, fixes: envelope.fixCount, duplicate: true, check: envelope.check,
          settingsUpdate: settingsUpdate(call, envelope, of: run))
      } else if !commits.join(envelope.id, call, check: envelope.check) {
        try judge(call, envelope, of: run)
      }
    } catch {
      if let limit = error.limit { counters.sheet.count(.limits, limit) }
      run.backend.recordRejected(.malformed, fixes: 0)
      replies.refuse(call, error.status, error.description)
    }
  }

  private func judge(
    _ call: ServerCall, _ envelope: UploadEnvelope, of run: OpenedRun
  ) throws(WireError) {
    guard !run.backend.hasForgotten(envelope.id) else {
      run.backend.recordRejected(.forgotten, fixes: envelope.fixCount)
      return replies.refuse(call, .invalidArgument, "\(Rejection.forgotten)")
    }
    let fixes = try decoder.fixes(of: envelope)
    let now = run.clock.scenario(at: call.receivedAt)
    switch run.backend.inspect(envelope.id, fixes: fixes, at: now) {
    case .failure(let failure):
      run.backend.recordRejected(failure.reason, fixes: fixes.count)
      replies.refuse(call, .invalidArgument, failure.description)
    case .success(let digest):
      positions.look(envelope.id, fixes, at: now)
      let upload = PendingCommits.Upload(
        digest: digest, receivedAt: now, call: call, check: envelope.check,
        settingsUpdate: settingsUpdate(call, envelope, of: run))
      guard commits.isDurable else {
        finish(upload, wasHeld: false, error: nil)
        return
      }
      let batch = StoredBatch(
        id: envelope.id, receivedAt: now, receivedAtWall: call.receivedAt,
        fixCount: digest.fixCount, hash: digest.hash.value,
        encoding: UInt8(envelope.encoding.rawValue),
        uncompressedSize: UInt32(envelope.uncompressedSize))
      commits.submit(batch, payload: envelope.payload, upload)
    }
  }

  private func settingsUpdate(
    _ call: ServerCall, _ envelope: UploadEnvelope, of run: OpenedRun
  ) -> TrackerSettings? {
    run.settingsUpdate(
      for: envelope.id.phone, has: envelope.settingsVersion,
      at: run.clock.scenario(at: call.receivedAt))
  }

  /// - Parameter wasHeld: whether another collector on the same store had stored the batch before.
  func finish(_ upload: PendingCommits.Upload, wasHeld: Bool, error: StoreError?) {
    let digest = upload.digest
    let count = Int(digest.fixCount)
    if let error {
      positions.finish(digest.id, isStored: false)
      replies.refuse(upload.call, error)
      for resend in upload.resends { replies.refuse(resend.call, error) }
      return
    }
    let run = runs.run
    if wasHeld {
      run?.backend.recordDuplicate(fixes: count)
    } else if run?.backend.holds(digest.id) == false {
      // The batch may be known from a group that was read before this report, which another
      // collector committed, or this collector before it lost its connection.
      run?.backend.commit(digest, at: upload.receivedAt)
    }
    acknowledge(
      upload.call, digest.id, fixes: count, duplicate: wasHeld, check: upload.check,
      settingsUpdate: upload.settingsUpdate)
    for resend in upload.resends {
      run?.backend.recordDuplicate(fixes: count)
      acknowledge(
        resend.call, digest.id, fixes: count, duplicate: true, check: resend.check,
        settingsUpdate: upload.settingsUpdate)
    }
    positions.finish(digest.id, isStored: true)
  }

  private func acknowledge(
    _ call: ServerCall, _ id: BatchID, fixes: Int, duplicate: Bool, check: UInt32,
    settingsUpdate: TrackerSettings?
  ) {
    if settingsUpdate != nil { counters.sheet[.settingsHandedOut] += 1 }
    replies.answer(
      call,
      UploadReply(
        sequence: id.sequence, duplicate: duplicate, fixes: UInt32(fixes), settings: settingsUpdate,
        check: check))
    counters.ingest.record((loop.now - call.receivedAt).microseconds)
  }
}

extension WireError {
  static let limits = [
    "uploadBytesMax", "fixesMax", "uncompressedBytesMax", "windowLogMax", "encodings",
  ]

  fileprivate var limit: String? {
    switch self {
    case .tooManyFixes: "fixesMax"
    case .payloadTooLarge: "uncompressedBytesMax"
    case .windowTooLarge: "windowLogMax"
    case .unknownEncoding: "encodings"
    case .messageTooLarge: "uploadBytesMax"
    case .badPreface, .brokenHTTP2, .frameTooLarge, .unknownFrameType, .malformedFrame,
      .compressedMessage,
      .damagedMessage, .malformedMessage, .emptyBatch, .sizeMismatch, .columnLength,
      .valueOutOfRange, .outOfBounds, .rowValue, .unknownWord, .packedEnds, .packedExcess,
      .compressionFailed, .decompressionFailed, .unknownDictionary:
      nil
    }
  }
}
