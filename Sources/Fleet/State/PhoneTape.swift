internal import Core
internal import Phone
internal import Scenarios
internal import ServerLogic

/// Writes a shard's phones to a tape and reads them back: packed record, then outbox fixes. The
/// pattern of the fleet's first phone packs all records, so other shards may read the tape.
final class PhoneTape {
  private let packer: RecordPacker<Device>
  private let words: UnsafeMutablePointer<UInt64>
  private let packed: UnsafeMutableRawPointer
  private let first: Int

  init(_ context: FleetContext, first: Int, birth: SimInstant) {
    packer = Shard.packer(first, context, birth)
    self.first = first
    words = UnsafeMutableRawPointer.allocate(
      byteCount: RecordPacker<Device>.words * 8, alignment: 64
    ).bindMemory(to: UInt64.self, capacity: RecordPacker<Device>.words)
    words.initialize(repeating: 0, count: RecordPacker<Device>.words)
    packed = .allocate(byteCount: RecordPacker<Device>.bytesMax + 8, alignment: 8)
  }

  deinit {
    words.deallocate()
    packed.deallocate()
  }

  private var record: UnsafeMutablePointer<Device> {
    UnsafeMutableRawPointer(words).assumingMemoryBound(to: Device.self)
  }

  /// Returns the part of a phone's number that packing subtracts from the record's first word.
  private func number(_ phone: Int) -> UInt64 { UInt64(phone - first) << 32 }

  func write(_ phone: Device, _ effects: borrowing Effects, to tape: inout RecordWriter) {
    record.pointee = phone
    record.pointee.outbox = OutboxHandle()
    words[0] &-= number(Int(phone.id.rawValue))
    let length = packer.pack(words, into: packed)
    tape.append(UInt16(length))
    tape.append(phone.outbox.count)
    tape.append(UnsafeRawBufferPointer(start: packed, count: length))
    effects.outboxes.forEach(first: Int(phone.outbox.count), of: phone.outbox) {
      $0.write(to: &tape)
    }
    if phone.tracker.hasEvents { (effects.events[phone.id] ?? EventBox()).write(to: &tape) }
  }

  func read(
    _ phone: Int, _ tape: inout StateReader
  ) throws(FleetStateError) -> (record: Device, outbox: Int) {
    let length = Int(try tape.next(UInt16.self))
    let outbox = Int(try tape.next(UInt16.self))
    guard length <= RecordPacker<Device>.bytesMax - 8 else {
      throw .impossible("a record of \(length) bytes")
    }
    try tape.copy(length, to: packed)
    packer.unpack(packed, into: words)
    words[0] &+= number(phone)
    guard Int(record.pointee.id.rawValue) == phone else {
      throw .impossible("phone \(record.pointee.id.rawValue) in the place of phone \(phone)")
    }
    return (record.pointee, outbox)
  }
}

extension Shard {
  static func packer(
    _ number: Int, _ context: FleetContext, _ start: SimInstant
  ) -> RecordPacker<Device> {
    let initial = Self.initial(number, context, start)
    StorageChecks.run(initial)
    let centre = context.scenario.projection.coordinate(of: PlanePoint(x: 0, y: 0))
    return RecordPacker(
      fresh: initial,
      typical: initial.typical(
        at: start, centre: centre, context.scenario.policies[Int(initial.policy)].settings,
        context.scenario.fleet.cohorts[Int(initial.cohort)].os.value),
      references: Device.references)
  }

  /// Writes phones, by their numbers in the whole fleet, each with its row at the server.
  func write(
    _ phones: Range<Int>, _ tape: inout RecordWriter, by form: PhoneTape,
    _ row: (PhoneID) -> PhoneSnapshot
  ) {
    for number in phones {
      form.write(self.phones[number - firstPhone], effects, to: &tape)
      row(PhoneID(rawValue: UInt32(number))).write(to: &tape)
    }
  }

  /// Reads the phones of a tape that are in this shard, and returns how many these are.
  mutating func read(
    _ phones: Range<Int>, _ tape: inout StateReader, by form: PhoneTape,
    _ row: (PhoneSnapshot) -> Void
  ) throws(FleetStateError) -> Int {
    self.phones.isNow(horizon)
    var taken = 0
    for number in phones {
      let i = number - firstPhone
      let isMine = i >= 0 && i < count
      let (record, waiting) = try form.read(number, &tape)
      if isMine { self.phones.add(i, record) }
      for _ in 0..<waiting {
        let fix = try Fix(&tape)
        if isMine { effects.outboxes.append(fix, to: &self.phones[i].outbox) }
      }
      if record.tracker.hasEvents {
        let box = try EventBox(&tape)
        guard box.waiting.count == record.tracker.eventCount else { throw .impossible("events") }
        if isMine { effects.events[record.id] = box }
      }
      let known = try PhoneSnapshot(PhoneID(rawValue: UInt32(number)), &tape)
      guard isMine else { continue }
      row(known)
      reschedule(self.phones[i])
      taken += 1
    }
    guard tape.isAtEnd else { throw .tooLong }
    return taken
  }
}
