internal import SimulationCore

/// A phone at rest: its record, packed. What does not fit lies in the shard's overflow.
struct StoredPhone: BitwiseCopyable {
  /// Where the packed record begins, and how much of it there is room for: a city's phones need
  /// about 330 bytes in the mean, so most have some pieces of overflow.
  static let headBytes = 16
  static let inlineBytes = 304
  var length: UInt16 = 0
  /// What a census asks for.
  var view = PhoneView()
  /// The first of its pieces in the overflow; -1: none.
  var overflow: Int32 = -1
  private var words = InlineArray<38, UInt64>(repeating: 0)
}

/// Some bytes of a record that is too long for its place, and where the next ones are; -1: nowhere.
struct OverflowPiece: BitwiseCopyable {
  typealias Bytes = InlineArray<6, UInt32>
  static let size = 24
  var next: Int32
  var bytes: Bytes
}

/// The phones of a shard: at rest a few hundred bytes each, in contiguous storage, and one of them
/// open as the plain record that everything works on.
///
/// `phones[i]` opens phone i, and puts the one before it back if it was touched. Whoever lives a
/// phone asks for it some hundred times in a row, so all but the first find it open; and the one
/// open record stays in the first-level cache, where a million of them would not.
///
/// All members lie behind pointers, because a look at a phone opens it, too. They belong to the
/// shard, which alone reaches them and frees them in its `deinit`.
///
/// What `phones[i]` yields is good until another phone is asked for, so nothing keeps it longer
/// than a statement, and no statement names two phones. A debug build counts who holds the open
/// record and stops where it is taken from them, or where two threads move records at once.
struct PhoneStore: BitwiseCopyable {
  let count: Int
  private let resting: UnsafeMutablePointer<StoredPhone>
  private let record: UnsafeMutablePointer<PhoneRecord>
  private let scratch: UnsafeMutableRawPointer
  private let workspace: UnsafeMutablePointer<Workspace>

  private struct Workspace {
    let packer: RecordPacker<PhoneRecord>
    var open = -1
    var isTouched = false
    /// When the open phone was touched.
    var now = SimInstant.distantPast
    /// Of all phones, as they were when they were put back.
    var census = FleetCensus()
    #if DEBUG
      /// How many hold the open record, and whether records are being moved.
      var holders = 0
      var isMoving = false
    #endif
    /// Ends of records that are too long for their slots, in pieces; free ones form a list.
    var overflow: [OverflowPiece] = []
    var firstFree: Int32 = -1
  }

  init(count: Int, _ packer: RecordPacker<PhoneRecord>) {
    self.count = count
    // One more than there are: words are read whole, and the last phone's last may end before.
    resting = .allocate(capacity: count + 1)
    resting.initialize(repeating: StoredPhone(), count: count + 1)
    // Room for whole words.
    record = UnsafeMutableRawPointer.allocate(
      byteCount: RecordPacker<PhoneRecord>.words * 8, alignment: 64
    ).bindMemory(to: PhoneRecord.self, capacity: 1)
    UnsafeMutableRawPointer(record).initializeMemory(
      as: UInt64.self, repeating: 0, count: RecordPacker<PhoneRecord>.words)
    scratch = .allocate(
      byteCount: RecordPacker<PhoneRecord>.bytesMax + OverflowPiece.size, alignment: 8)
    workspace = .allocate(capacity: 1)
    workspace.initialize(to: Workspace(packer: packer))
  }

  func deallocate() {
    workspace.deinitialize(count: 1)
    workspace.deallocate()
    scratch.deallocate()
    UnsafeMutableRawPointer(record).deallocate()
    resting.deallocate()
  }

  var indices: Range<Int> { 0..<count }

  /// What the phones take, in bytes, but for their outboxes.
  var bytes: Int {
    count * MemoryLayout<StoredPhone>.stride
      + workspace.pointee.overflow.capacity * MemoryLayout<OverflowPiece>.stride
  }

  /// It is this late for the phone that is open.
  @inline(__always) func isNow(_ now: SimInstant) { workspace.pointee.now = now }

  /// The phones counted by what they do, in no time: the counts are kept as phones are put back.
  var census: FleetCensus {
    close()
    return workspace.pointee.census
  }

  #if DEBUG
    /// Only changes are watched: a coroutine that lends a record of this size to be read lends
    /// garbage where optimised code asks it (Swift 6.3).
    subscript(i: Int) -> PhoneRecord {
      @inline(__always) unsafeAddress {
        if workspace.pointee.open != i { open(i) }
        return UnsafePointer(record)
      }
      nonmutating _modify {
        if workspace.pointee.open != i { open(i) }
        workspace.pointee.isTouched = true
        workspace.pointee.holders += 1
        defer { workspace.pointee.holders -= 1 }
        yield &record.pointee
      }
    }

    /// The open record is about to become another phone's.
    private func yieldRecord() {
      assert(workspace.pointee.holders == 0, "one statement holds the records of two phones")
    }

    private func begin() {
      assert(!workspace.pointee.isMoving, "a shard is reached from one thread at a time")
      workspace.pointee.isMoving = true
    }

    private func end() { workspace.pointee.isMoving = false }
  #else
    subscript(i: Int) -> PhoneRecord {
      @inline(__always) unsafeAddress {
        if workspace.pointee.open != i { open(i) }
        return UnsafePointer(record)
      }
      @inline(__always) nonmutating unsafeMutableAddress {
        if workspace.pointee.open != i { open(i) }
        workspace.pointee.isTouched = true
        return record
      }
    }

    @inline(__always) private func yieldRecord() {}
    @inline(__always) private func begin() {}
    @inline(__always) private func end() {}
  #endif

  /// Puts a phone into its place for the first time.
  func add(_ i: Int, _ initial: PhoneRecord) {
    yieldRecord()
    close()
    workspace.pointee.open = i
    workspace.pointee.isTouched = true
    record.pointee = initial
  }

  /// Phones are numbered: a record is packed as that of the shard's first phone.
  private func number(_ i: Int) -> UInt64 { UInt64(i) << 32 }

  @inline(never) private func open(_ i: Int) {
    precondition(i >= 0 && i < count, "a shard has only its own phones")
    yieldRecord()
    close()
    begin()
    defer { end() }
    let source = resting + i
    let length = Int(source.pointee.length)
    let words = UnsafeMutableRawPointer(record).assumingMemoryBound(to: UInt64.self)
    let inline = UnsafeMutableRawPointer(source) + StoredPhone.headBytes
    if length <= StoredPhone.inlineBytes {
      workspace.pointee.packer.unpack(inline, into: words)
    } else {
      scratch.copyMemory(from: inline, byteCount: StoredPhone.inlineBytes)
      var piece = source.pointee.overflow
      var end = scratch + StoredPhone.inlineBytes
      while piece >= 0 {
        end.storeBytes(
          of: workspace.pointee.overflow[Int(piece)].bytes, as: OverflowPiece.Bytes.self)
        end += OverflowPiece.size
        piece = workspace.pointee.overflow[Int(piece)].next
      }
      workspace.pointee.packer.unpack(scratch, into: words)
    }
    words[0] &+= number(i)
    workspace.pointee.open = i
    workspace.pointee.isTouched = false
  }

  /// Puts the open phone back; it stays open.
  private func close() {
    let i = workspace.pointee.open
    guard i >= 0, workspace.pointee.isTouched else { return }
    begin()
    defer { end() }
    workspace.pointee.isTouched = false
    let words = UnsafeMutableRawPointer(record).assumingMemoryBound(to: UInt64.self)
    words[0] &-= number(i)
    let length = workspace.pointee.packer.pack(words, into: scratch)
    words[0] &+= number(i)
    let target = resting + i
    let view = PhoneView(record.pointee, at: workspace.pointee.now)
    if view != target.pointee.view {
      workspace.pointee.census.add(target.pointee.view, -1)
      workspace.pointee.census.add(view, 1)
      target.pointee.view = view
    }
    (UnsafeMutableRawPointer(target) + StoredPhone.headBytes).copyMemory(
      from: scratch, byteCount: StoredPhone.inlineBytes)
    target.pointee.length = UInt16(length)
    release(target.pointee.overflow)
    target.pointee.overflow = -1
    if length > StoredPhone.inlineBytes {
      spill(length - StoredPhone.inlineBytes, of: target)
    }
  }

  private func release(_ first: Int32) {
    guard first >= 0 else { return }
    var last = Int(first)
    while workspace.pointee.overflow[last].next >= 0 {
      last = Int(workspace.pointee.overflow[last].next)
    }
    workspace.pointee.overflow[last].next = workspace.pointee.firstFree
    workspace.pointee.firstFree = first
  }

  /// Writes a record's end to the overflow, its last piece first.
  private func spill(_ length: Int, of target: UnsafeMutablePointer<StoredPhone>) {
    let pieces = (length + OverflowPiece.size - 1) / OverflowPiece.size
    for n in (0..<pieces).reversed() {
      let source = scratch + StoredPhone.inlineBytes + n * OverflowPiece.size
      let piece = OverflowPiece(
        next: target.pointee.overflow,
        bytes: source.loadUnaligned(as: OverflowPiece.Bytes.self))
      let place = workspace.pointee.firstFree
      if place >= 0 {
        workspace.pointee.firstFree = workspace.pointee.overflow[Int(place)].next
        workspace.pointee.overflow[Int(place)] = piece
        target.pointee.overflow = place
      } else {
        let count = workspace.pointee.overflow.count
        target.pointee.overflow = Int32(count)
        if count == workspace.pointee.overflow.capacity {
          // By little: an array by itself would double.
          workspace.pointee.overflow.reserveCapacity(count + max(8, count / 64))
        }
        workspace.pointee.overflow.append(piece)
      }
    }
  }
}
