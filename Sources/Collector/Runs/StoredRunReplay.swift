internal import Core
internal import ServerLogic
internal import Wire

/// Restores a store's run by one scan. Counts of duplicates and rejections are not stored.
struct StoredRunReplay {
  private let codec: MessageCodec
  private let decoder: BatchDecoder
  private let phonesMax: Int

  private struct Findings {
    var totals = StoreTotals()
    /// The number of batches whose payload does not decode to the stored hash.
    var broken = 0
    var missingDictionary: WireError?
    /// The number of records that no collector writes for this run.
    var impossible = 0
    var repeated: [BatchID] = []
  }

  init(_ configuration: CollectorConfiguration, _ codec: MessageCodec) {
    self.codec = codec
    decoder = BatchDecoder(dictionary: configuration.dictionary)
    phonesMax = configuration.phonesMax
  }

  /// Returns the store's run; nil if there is none. Throws if the store cannot be read or is
  /// damaged, in which case no collector may use it.
  func run(of source: any StoreSource) throws(StoreError) -> OpenedRun? {
    guard let stored = try source.storedRun() else { return nil }
    guard let request = try? codec.decode(OpenRunRequest.self, from: stored.openRequest) else {
      throw .damaged(path: source.name, detail: "the OpenRun request of its run does not decode")
    }
    guard request.fault(phonesMax: phonesMax) == nil, stored.openedAtWall.isWithinReach else {
      throw .damaged(path: source.name, detail: "its run exceeds this collector's limits")
    }
    let run = OpenedRun(request, receivedAt: stored.openedAtWall)
    var findings = Findings()
    let sums = try source.replay { take($0, into: run, &findings) }
    try judge(findings, sums, source)
    // Answers to pushes before the restart are reported again, since some may not have been sent.
    return run
  }

  private func take(_ event: StoredEvent, into run: OpenedRun, _ findings: inout Findings) {
    guard event.isPossible(phones: run.backend.phones) else {
      findings.impossible += 1
      return
    }
    switch event {
    case .phone, .registration, .occasion: _ = run.take(event)
    case .judged(let digest, _):
      guard run.take(event) else { return }
      findings.totals.add(fixes: digest.fixCount, hash: digest.hash.value)
    case .batch(let batch, let payload):
      run.openMeasure(ifReached: batch.receivedAt)
      findings.totals.add(batch)
      guard !run.backend.holds(batch.id) else {
        findings.repeated.append(batch.id)
        return
      }
      switch digest(of: batch, payload, in: run) {
      case .success(let digest): run.backend.commit(digest, at: batch.receivedAt)
      case .failure(.unknownDictionary(let id, let known)):
        findings.missingDictionary = .unknownDictionary(id: id, known: known)
      case .failure: findings.broken += 1
      }
    }
  }

  private func judge(
    _ findings: Findings, _ sums: StoreSums, _ source: any StoreSource
  ) throws(StoreError) {
    if let missing = findings.missingDictionary {
      throw .otherDictionary(path: source.name, detail: missing.description)
    }
    guard findings.impossible == 0 else {
      throw .damaged(
        path: source.name,
        detail: "\(findings.impossible) entries name phones or times outside its run")
    }
    guard findings.broken == 0 else {
      throw .damaged(
        path: source.name, detail: "\(findings.broken) batches do not match their hash")
    }
    let totals = sums.committed
    // The logs include late batches that retention discarded on arrival and that no sum counts.
    let isOver = sums.dropped.batches > 0 && findings.totals.batches >= totals.batches
    guard isOver || totals.agrees(with: findings.totals) else {
      throw .damaged(
        path: source.name,
        detail: "\(totals.batches) batches committed, \(findings.totals.batches) found")
    }
    // A phone's row may come after a batch that the row assigns to the previous server.
    for id in findings.repeated {
      let carried = try source.carried(id.phone)
      guard carried.epoch == id.epoch, carried.contains(id.sequence) else {
        throw .damaged(
          path: source.name, detail: "a batch of phone \(id.phone.rawValue) is stored twice")
      }
    }
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

extension StoredEvent {
  /// Returns whether an event can belong to a run; altered events could exceed the logic's bounds.
  func isPossible(phones: Int) -> Bool {
    func isOfRun(_ phone: PhoneID) -> Bool { Int(phone.rawValue) < phones }
    func isNone(_ time: FixTime) -> Bool { time == LastSeen.neverSeen }
    switch self {
    case .phone(let row):
      return isOfRun(row.phone) && row.reportedAt.isWithinReach && row.chosenAt.isWithinReach
        && (row.newestFix.isWithinReach || isNone(row.newestFix))
        && (row.sequences.low == 1 || row.sequences.isEmpty)
    case .registration(let phone, _, _, let at): return isOfRun(phone) && at.isWithinReach
    case .occasion(let occasion): return isOfRun(occasion.phone) && occasion.at.isWithinReach
    case .judged(let digest, let at):
      return isOfRun(digest.id.phone) && digest.id.sequence > 0 && at.isWithinReach
        && digest.newest.isWithinReach
        && (digest.newestAccurate.isWithinReach || isNone(digest.newestAccurate))
    case .batch(let batch, _): return isOfRun(batch.id.phone) && batch.receivedAt.isWithinReach
    }
  }
}

extension OpenedRun {
  /// Applies a stored event unless it is known or impossible; returns false if nothing changed. A
  /// batch with its payload must be judged first, and changes nothing here.
  func take(_ event: StoredEvent) -> Bool {
    guard event.isPossible(phones: backend.phones) else { return false }
    switch event {
    case .phone(let snapshot):
      // Only the first snapshot of a phone applies, whichever collector received it.
      guard !backend.lastSeen(snapshot.phone).isKnown else { return false }
      backend.restore(snapshot, at: snapshot.reportedAt)
    case .registration(let phone, let authorization, let tokenValid, let at):
      backend.register(phone, authorization: authorization, tokenValid: tokenValid, at: at)
    case .occasion(let occasion):
      openMeasure(ifReached: occasion.at)
      backend.begin(occasion)
    case .judged(let digest, let at):
      openMeasure(ifReached: at)
      guard !backend.holds(digest.id) else { return false }
      backend.commit(digest, at: at)
    case .batch: return false
    }
    return true
  }

  fileprivate func openMeasure(ifReached instant: SimInstant) {
    if !hasOpenedMeasure, instant >= measureStart { openMeasure() }
  }
}
