internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Transport
internal import Wire

/// Opening a run, and taking up the run of a store after a restart.
extension CollectorServer {
  /// A new run, or the one that is open, from a client that is back. Answered when the store
  /// knows it, so that a restarted collector does too.
  func openRun(_ call: ServerCall, _ message: UnsafeRawBufferPointer) throws(WireError) {
    let request = try codec.decode(OpenRunRequest.self, from: message)
    if let fault = request.fault(phonesMax: configuration.phonesMax) {
      return refuse(call, .invalidArgument, fault)
    }
    let resumed = run?.id == request.runID
    if let run, !resumed {
      guard let store else {
        begin(request, at: call)
        return finishOpening(call, resumed: false, error: nil)
      }
      let error = StoreError.otherRun(path: store.path, found: run.id, wanted: request.runID)
      return refuse(call, .failedPrecondition, error.description)
    }
    if resumed {
      guard let run, Int(request.phones) == run.backend.phones else {
        return refuse(call, .failedPrecondition, "this run was opened with other phones")
      }
      run.reopen(request, receivedAt: call.receivedAt)
    } else {
      begin(request, at: call)
    }
    guard let store else { return finishOpening(call, resumed: resumed, error: nil) }
    let stored = StoredRun(
      id: request.runID, openRequest: Array(message), openedAtWall: call.receivedAt)
    store.submit(stored, token: desk.put(.run(call, resumed: resumed)))
  }

  private func begin(_ request: OpenRunRequest, at call: ServerCall) {
    run = OpenedRun(request, receivedAt: call.receivedAt)
    for stale in subscribers { refuse(stale, .aborted, "another run has been opened") }
    subscribers = []
    figures = CollectorFigures()
    dutiesDoneUntil = .distantPast
  }

  func finishOpening(_ call: ServerCall, resumed: Bool, error: StoreError?) {
    if let error { return refuse(call, error) }
    noteRun(resumed: resumed)
    if let run { dutiesDoneUntil = max(dutiesDoneUntil, run.clock.scenario(at: loop.now)) }
    doDuties()
    answer(
      call,
      OpenRunReply(
        wall: loop.now, state: state, resumed: resumed, encodings: Encoding.allCases,
        dictionary: configuration.dictionary?.id ?? 0))
  }

  var state: RunState { isDraining ? .draining : run == nil ? .idle : .open }

  /// The run that a store holds: its table, ledger, hash sum and freshness as they were, from
  /// one scan. Duplicates and rejections before the end are not in the store, and not counted.
  func rebuild(from file: borrowing StoreFile) throws(StoreError) -> OpenedRun? {
    guard let stored = try file.storedRun() else { return nil }
    guard let request = try? codec.decode(OpenRunRequest.self, from: stored.openRequest) else {
      throw .damaged(path: file.path, detail: "the request that opened its run does not decode")
    }
    guard request.fault(phonesMax: configuration.phonesMax) == nil else {
      throw .damaged(path: file.path, detail: "its run does not fit this collector's limits")
    }
    let run = OpenedRun(request, receivedAt: stored.openedAtWall)
    var broken = 0
    var missing: WireError?
    var repeated: [BatchID] = []
    var found = StoreTotals()
    try file.replay(
      phone: { run.backend.restore($0, at: $0.reportedAt) },
      event: { event in
        switch event {
        case .occasion(let occasion):
          run.openMeasure(ifReached: occasion.at)
          run.backend.begin(occasion)
        case .batch(let batch, let payload):
          run.openMeasure(ifReached: batch.receivedAt)
          found.add(batch)
          if run.backend.holds(batch.id) {
            repeated.append(batch.id)
          } else {
            switch digest(of: batch, payload, in: run) {
            case .success(let digest): run.backend.commit(digest, at: batch.receivedAt)
            case .failure(.unknownDictionary(let id, let known)):
              missing = .unknownDictionary(id: id, known: known)
            case .failure: broken += 1
            }
          }
        }
      })
    if let missing { throw .otherDictionary(path: file.path, detail: missing.description) }
    guard broken == 0 else {
      throw .damaged(path: file.path, detail: "\(broken) batches do not decode to their hash")
    }
    guard found == file.totals else {
      throw .damaged(
        path: file.path,
        detail: "\(file.totals.batches) batches were committed, \(found.batches) are found")
    }
    // A phone's row may come after a batch that it claims for the server before this one.
    for id in repeated {
      let carried = try file.carried(id.phone)
      guard carried.epoch == id.epoch, carried.contains(id.sequence) else {
        throw .damaged(
          path: file.path, detail: "a batch of phone \(id.phone.rawValue) is in it twice")
      }
    }
    // Answers of before the end are named again: some may not have gone out.
    return run
  }

  private func digest(
    of batch: StoredBatch, _ payload: UnsafeRawBufferPointer, in run: OpenedRun
  ) -> Result<BatchDigest, WireError> {
    guard let encoding = Encoding(rawValue: UInt32(batch.encoding)) else {
      return .failure(.unknownEncoding(Int(batch.encoding)))
    }
    let envelope = UploadEnvelope(
      id: batch.id, fixCount: Int(batch.fixCount), encoding: encoding,
      uncompressedSize: Int(batch.uncompressedSize), payload: payload)
    do throws(WireError) {
      let fixes = try decoder.fixes(of: envelope)
      let inspected = run.backend.inspect(batch.id, fixes: fixes, at: batch.receivedAt)
      guard case .success(let digest) = inspected, digest.hash.value == batch.hash else {
        return .failure(.damagedMessage)
      }
      return .success(digest)
    } catch {
      return .failure(error)
    }
  }
}

extension OpenedRun {
  /// While a store is replayed: the measured time begins where it began.
  fileprivate func openMeasure(ifReached instant: SimInstant) {
    if !hasOpenedMeasure, instant >= measureStart { openMeasure() }
  }
}
