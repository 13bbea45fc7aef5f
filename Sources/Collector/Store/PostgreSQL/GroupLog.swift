internal import Core
internal import ServerLogic

/// The contents of a group besides the payloads. A record is a byte for its kind, then numbers in
/// little-endian order. `PostgresSchema.version` changes with the format.
struct GroupLog {
  private enum Kind: UInt8 {
    case batch = 1
    case registration
    case snapshot
    case occasion
    /// The last record, a checksum of all earlier bytes. Logs of earlier programs have no checksum.
    case check
  }

  private(set) var bytes: [UInt8] = []

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func seal() {
    let check = bytes.withUnsafeBytes { Self.check($0) }
    put(Kind.check.rawValue)
    put(check)
  }

  private static func check(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let whole = bytes.count & ~7
    var check = UInt64(bytes.count)
    for place in stride(from: 0, to: whole, by: 8) {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      check = Draw.mix(check ^ UInt64(littleEndian: word))
    }
    for byte in bytes[whole...] { check = Draw.mix(check ^ UInt64(byte)) }
    return check
  }

  mutating func add(_ batch: StoredBatch, _ update: BatchUpdate) {
    put(Kind.batch.rawValue)
    put(batch.id)
    put(batch.fixCount)
    put(batch.hash)
    put(batch.receivedAt.microseconds)
    put(update.newest.centiseconds)
    put(update.newestAccurate.centiseconds)
    put(update.coordinate)
  }

  mutating func add(
    _ phone: PhoneID, _ authorization: Authorization, tokenValid: Bool, at: SimInstant
  ) {
    put(Kind.registration.rawValue)
    put(phone.rawValue)
    put(authorization.rawValue)
    put(UInt8(tokenValid ? 1 : 0))
    put(at.microseconds)
  }

  mutating func add(_ snapshot: PhoneSnapshot) {
    put(Kind.snapshot.rawValue)
    put(snapshot.phone.rawValue)
    put(snapshot.authorization.rawValue)
    put(UInt8(snapshot.tokenValid ? 1 : 0))
    put(snapshot.reportedAt.microseconds)
    put(snapshot.chosenAt.microseconds)
    put(snapshot.newestFix.centiseconds)
    put(snapshot.coordinate)
    put(snapshot.sequences.epoch)
    put(snapshot.sequences.low)
    put(snapshot.sequences.high)
    put(Int16(snapshot.answers.map { Int16($0.share) } ?? -1))
    put(snapshot.answers?.unanswered ?? 0)
  }

  mutating func add(_ occasion: WakeOccasion) {
    put(Kind.occasion.rawValue)
    put(occasion.pushID)
    put(occasion.at.microseconds)
    put(UInt8(occasion.isWithheld ? 1 : 0))
  }

  private mutating func put(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func put(_ id: BatchID) {
    put(id.phone.rawValue)
    put(id.epoch)
    put(id.sequence)
  }

  private mutating func put(_ coordinate: Coordinate) {
    put(coordinate.latitudeE6)
    put(coordinate.longitudeE6)
  }

  // MARK: Reading

  /// Reads a log's records in order; returns false if the rest of the log is damaged.
  static func read(_ bytes: UnsafeRawBufferPointer, _ body: (StoredEvent) -> Void) -> Bool {
    var reader = Reader(bytes: bytes)
    while !reader.isAtEnd {
      let place = reader.place
      guard let kind = Kind(rawValue: reader.number(UInt8.self)) else { return false }
      guard kind != .check else {
        let before = UnsafeRawBufferPointer(rebasing: bytes[..<place])
        return reader.number() == check(before) && reader.isWhole && reader.isAtEnd
      }
      let event: StoredEvent? =
        switch kind {
        case .batch: reader.batch
        case .registration:
          .registration(
            PhoneID(rawValue: reader.number()), reader.authorization,
            tokenValid: reader.flag, at: reader.instant)
        case .snapshot: .phone(reader.snapshot)
        case .occasion:
          .occasion(
            WakeOccasion(
              pushID: reader.number(), at: reader.instant, isWithheld: reader.flag))
        case .check: nil
        }
      guard reader.isWhole, let event else { return false }
      body(event)
    }
    return true
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    private(set) var place = 0
    /// Whether no read went beyond the end.
    private(set) var isWhole = true

    var isAtEnd: Bool { place >= bytes.count }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number {
      let size = MemoryLayout<Number>.size
      guard place + size <= bytes.count else {
        isWhole = false
        return 0
      }
      defer { place += size }
      return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Number.self))
    }

    var flag: Bool { mutating get { number(UInt8.self) != 0 } }
    var instant: SimInstant { mutating get { SimInstant(microseconds: number()) } }
    var time: FixTime { mutating get { FixTime(centiseconds: number()) } }
    var authorization: Authorization {
      mutating get { Authorization(rawValue: number()) ?? .notDetermined }
    }
    var coordinate: Coordinate {
      mutating get { Coordinate(latitudeE6: number(), longitudeE6: number()) }
    }

    var batch: StoredEvent {
      mutating get {
        let id = BatchID(
          phone: PhoneID(rawValue: number()), epoch: number(), sequence: number())
        let (count, hash): (UInt32, UInt64) = (number(), number())
        let receivedAt = instant
        let (newest, accurate, coordinate) = (time, time, coordinate)
        var digest = BatchDigest(
          id: id, fixCount: count, hash: BatchHash(key: 0, id), newest: newest,
          newestCoordinate: coordinate, newestAccurate: accurate)
        digest.hash.value = hash
        return .judged(digest, at: receivedAt)
      }
    }

    var snapshot: PhoneSnapshot {
      mutating get {
        var snapshot = PhoneSnapshot(
          phone: PhoneID(rawValue: number()), authorization: authorization, tokenValid: flag,
          reportedAt: instant, chosenAt: instant, newestFix: time, coordinate: coordinate,
          sequences: SequenceRun(epoch: number(), low: number(), high: number()))
        let (share, unanswered): (Int16, UInt8) = (number(), number())
        if share >= 0 {
          snapshot.answers = AnswerHistory(
            share: UInt8(clamping: share), unanswered: unanswered)
        }
        return snapshot
      }
    }
  }
}
