internal import Core
internal import Phone

/// A phone at rest. A long packed record continues in the shard's overflow.
struct StoredPhone: BitwiseCopyable {
  /// The offset of the packed record in this struct; `inlineBytes` of the record fit here. A city's
  /// phones need about 360 bytes on average, so most have one or two overflow pieces, each of which
  /// may be a cache miss.
  static let headBytes = 16
  static let inlineBytes = 336
  var length: UInt16 = 0
  var view = PhoneView()
  /// The index of the first overflow piece; -1 if there is none.
  var overflow: Int32 = -1
  private var words = InlineArray<42, UInt64>(repeating: 0)
}

/// A piece of the part of a record that does not fit `StoredPhone`. `next` is the index of the next
/// piece; -1 if there is none.
struct OverflowPiece: BitwiseCopyable {
  typealias Bytes = InlineArray<6, UInt32>
  static let size = 24
  var next: Int32
  var bytes: Bytes
}

/// The storage of a shard's phones, one of which is open as a plain record.
///
/// The phones of a large fleet are packed: each takes a few hundred bytes, and is unpacked when it
/// is opened. The phones of smaller fleets are plain records, which take a sixth less CPU.
///
/// `phones[i]` opens phone i, and first packs the previously open phone if it was changed. A shard
/// uses one phone some hundred times in a row, so nearly all accesses find an open record in the
/// first-level cache.
///
/// All members lie behind pointers, because even reading a phone opens it. The shard alone accesses
/// the memory, and frees it in its `deinit`.
///
/// The value of `phones[i]` is valid until another phone is opened. A callee that borrows the value
/// opens no other phone, and uses only that value. A debug build counts the borrowers of the open
/// record, and stops if another phone is opened meanwhile, or if two threads move records at once.
struct PhoneStore: BitwiseCopyable {
  /// The number of phones up to which a fleet is not packed: packing would save 180 MB of them.
  static let plainMax = 262_144

  let count: Int
  /// The packed phones; nil if they are plain.
  private let resting: UnsafeMutablePointer<StoredPhone>?
  private let records: UnsafeMutablePointer<Device>
  private let views: UnsafeMutablePointer<PhoneView>?
  private let scratch: UnsafeMutableRawPointer
  private let workspace: UnsafeMutablePointer<Workspace>

  private struct Workspace {
    let packer: RecordPacker<Device>
    var open = -1
    var record: UnsafeMutablePointer<Device>
    var isTouched = false
    var now = SimInstant.distantPast
    var census = Sheet()
    #if DEBUG
      var holders = 0
      var isMoving = false
    #endif
    /// The overflow pieces of long records; the free pieces form a list that begins at `firstFree`.
    var overflow: [OverflowPiece] = []
    var firstFree: Int32 = -1
  }

  init(count: Int, isPacked: Bool, _ packer: RecordPacker<Device>) {
    self.count = count
    resting = isPacked ? Self.places(count) : nil
    // The packer reads and writes whole words, so a record needs whole words of memory.
    let plain = isPacked ? 1 : count
    let words = max(
      RecordPacker<Device>.words, plain * MemoryLayout<Device>.stride / 8)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: words * 8, alignment: 64)
    memory.initializeMemory(as: UInt64.self, repeating: 0, count: words)
    records = memory.assumingMemoryBound(to: Device.self)
    views = isPacked ? nil : .allocate(capacity: count)
    views?.initialize(repeating: PhoneView(), count: count)
    scratch = .allocate(
      byteCount: RecordPacker<Device>.bytesMax + OverflowPiece.size, alignment: 8)
    workspace = .allocate(capacity: 1)
    workspace.initialize(to: Workspace(packer: packer, record: records))
  }

  /// Allocates one record more than `count`: reading whole words may extend beyond the last phone.
  private static func places(_ count: Int) -> UnsafeMutablePointer<StoredPhone> {
    let places = UnsafeMutableRawPointer.allocate(
      byteCount: (count + 1) * MemoryLayout<StoredPhone>.stride, alignment: 64
    ).bindMemory(to: StoredPhone.self, capacity: count + 1)
    places.initialize(repeating: StoredPhone(), count: count + 1)
    return places
  }

  func deallocate() {
    workspace.deinitialize(count: 1)
    workspace.deallocate()
    scratch.deallocate()
    views?.deallocate()
    UnsafeMutableRawPointer(records).deallocate()
    if let resting { UnsafeMutableRawPointer(resting).deallocate() }
  }

  var indices: Range<Int> { 0..<count }

  var bytes: Int {
    guard resting != nil else {
      return count * (MemoryLayout<Device>.stride + MemoryLayout<PhoneView>.stride)
    }
    return count * MemoryLayout<StoredPhone>.stride
      + workspace.pointee.overflow.capacity * MemoryLayout<OverflowPiece>.stride
  }

  @inline(__always) func isNow(_ now: SimInstant) { workspace.pointee.now = now }

  var census: Sheet {
    close()
    return workspace.pointee.census
  }

  #if DEBUG
    /// Counts only mutable accesses, as a workaround: in optimised code a coroutine that lends a
    /// record of this size for reading lends invalid memory (Swift 6.3).
    subscript(i: Int) -> Device {
      @inline(__always) unsafeAddress {
        if workspace.pointee.open != i { open(i) }
        return UnsafePointer(workspace.pointee.record)
      }
      nonmutating _modify {
        if workspace.pointee.open != i { open(i) }
        workspace.pointee.isTouched = true
        workspace.pointee.holders += 1
        defer { workspace.pointee.holders -= 1 }
        yield &workspace.pointee.record.pointee
      }
    }

    /// Traps if the open record is in use, because it is about to become another phone's.
    private func yieldRecord() {
      assert(workspace.pointee.holders == 0, "one statement holds the records of two phones")
    }

    private func begin() {
      assert(!workspace.pointee.isMoving, "a shard is reached from one thread at a time")
      workspace.pointee.isMoving = true
    }

    private func end() { workspace.pointee.isMoving = false }
  #else
    subscript(i: Int) -> Device {
      @inline(__always) unsafeAddress {
        if workspace.pointee.open != i { open(i) }
        return UnsafePointer(workspace.pointee.record)
      }
      @inline(__always) nonmutating unsafeMutableAddress {
        if workspace.pointee.open != i { open(i) }
        workspace.pointee.isTouched = true
        return workspace.pointee.record
      }
    }

    @inline(__always) private func yieldRecord() {}
    @inline(__always) private func begin() {}
    @inline(__always) private func end() {}
  #endif

  func add(_ i: Int, _ initial: Device) {
    yieldRecord()
    close()
    if resting == nil { workspace.pointee.record = records + i }
    workspace.pointee.open = i
    workspace.pointee.isTouched = true
    workspace.pointee.record.pointee = initial
  }

  /// Returns the part of phone i's number that packing subtracts from the record's first word.
  private func number(_ i: Int) -> UInt64 { UInt64(i) << 32 }

  @inline(never) private func open(_ i: Int) {
    precondition(i >= 0 && i < count, "a shard has only its own phones")
    yieldRecord()
    close()
    begin()
    defer { end() }
    workspace.pointee.open = i
    workspace.pointee.isTouched = false
    guard let resting else {
      workspace.pointee.record = records + i
      return
    }
    unpack(resting + i)
    words[0] &+= number(i)
  }

  private var words: UnsafeMutablePointer<UInt64> {
    UnsafeMutableRawPointer(records).assumingMemoryBound(to: UInt64.self)
  }

  private func unpack(_ source: UnsafeMutablePointer<StoredPhone>) {
    let length = Int(source.pointee.length)
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
  }

  private func close() {
    let i = workspace.pointee.open
    guard i >= 0, workspace.pointee.isTouched else { return }
    begin()
    defer { end() }
    workspace.pointee.isTouched = false
    let view = PhoneView(workspace.pointee.record.pointee, at: workspace.pointee.now)
    if let views { return recount(view, &views[i]) }
    guard let target = resting.map({ $0 + i }) else { return }
    recount(view, &target.pointee.view)
    words[0] &-= number(i)
    let length = workspace.pointee.packer.pack(words, into: scratch)
    words[0] &+= number(i)
    (UnsafeMutableRawPointer(target) + StoredPhone.headBytes).copyMemory(
      from: scratch, byteCount: StoredPhone.inlineBytes)
    target.pointee.length = UInt16(length)
    release(target.pointee.overflow)
    target.pointee.overflow = -1
    if length > StoredPhone.inlineBytes {
      spill(length - StoredPhone.inlineBytes, of: target)
    }
  }

  private func recount(_ view: PhoneView, _ before: inout PhoneView) {
    guard view != before else { return }
    workspace.pointee.census.add(before, -1)
    workspace.pointee.census.add(view, 1)
    before = view
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
          // The array grows in small steps, because its default growth doubles the memory.
          workspace.pointee.overflow.reserveCapacity(count + max(8, count / 64))
        }
        workspace.pointee.overflow.append(piece)
      }
    }
  }
}
