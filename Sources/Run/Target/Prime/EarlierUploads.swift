internal import Core
internal import Phone
internal import Foundation

/// Stores the uploads from before a run on disk, some hundred million fixes for a day of a million
/// phones. The file has no name and disappears with its owner. Used by one thread at a time.
final class EarlierUploads {
  /// A batch as it reached the server, with the phone's own timestamps.
  struct Batch {
    var order: UploadOrder
    var fixes: [Fix]
  }

  private struct Newest {
    var order: UInt64
    var fixes: Int
    var isOnly: Bool
  }

  let from: SimInstant
  private(set) var count = 0
  private(set) var fixes = 0
  private(set) var phones = 0
  private(set) var requests = 0
  private(set) var failure: String?

  private let requestsFor: (Int) -> Int
  private var descriptor: Int32
  private var page: [UInt8] = []
  private var ends: [Int] = []
  private var newest: [UInt32: Newest] = [:]
  /// The `order` of the batch that a phone will resend in the run, by phone.
  private var leftOut: [UInt32: UInt64] = [:]
  private var nextPage = 0
  private var reading: [UInt8] = []
  private var readAt = 0

  private static let pageBytes = 1 << 20
  private static let headBytes = MemoryLayout<UploadOrder>.size
  private static let fixBytes = MemoryLayout<Fix>.stride

  init(
    from: SimInstant, requestsFor: @escaping (Int) -> Int,
    in folder: URL = FileManager.default.temporaryDirectory
  ) {
    self.from = from
    self.requestsFor = requestsFor
    var path = Array(folder.appendingPathComponent("flotilla-XXXXXX").path.utf8CString)
    descriptor = mkstemp(&path)
    guard descriptor >= 0 else {
      failure = "cannot create a file in \(folder.path): \(String(cString: strerror(errno)))"
      return
    }
    unlink(path)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Stores a batch that reached the server, unless an earlier attempt of the batch did.
  func note(_ order: UploadOrder, _ batch: UnsafeBufferPointer<Fix>) {
    guard order.reachesServer >= from, failure == nil, !batch.isEmpty else { return }
    let phone = order.id.phone.rawValue
    let known = newest[phone]
    guard known.map({ $0.order < order.id.order }) ?? true else { return }
    newest[phone] = Newest(order: order.id.order, fixes: batch.count, isOnly: known == nil)
    if known == nil { phones += 1 }
    count += 1
    fixes += batch.count
    requests += requestsFor(batch.count)
    var head = order
    head.fixCount = UInt16(batch.count)
    withUnsafeBytes(of: head) { page.append(contentsOf: $0) }
    page.append(contentsOf: UnsafeRawBufferPointer(batch))
    if page.count >= Self.pageBytes { flush() }
  }

  /// Leaves out batches without an answer at the start, because phones resend them in the run.
  /// `acknowledged` is the `order` of each phone's newest answered batch, from phone `first` on.
  func leaveOut(beyond acknowledged: [UInt64], from first: Int) {
    // A phone has at most one batch in flight.
    for (phone, batch) in newest where batch.order > acknowledged[Int(phone) - first] {
      leftOut[phone] = batch.order
      if batch.isOnly { phones -= 1 }
      count -= 1
      fixes -= batch.fixes
      requests -= requestsFor(batch.fixes)
    }
    newest.removeAll()
  }

  private func flush() {
    guard !page.isEmpty else { return }
    let start = ends.last ?? 0
    let done = page.withUnsafeBytes { bytes in
      pwrite(descriptor, bytes.baseAddress!, bytes.count, start)
    }
    guard done == page.count else {
      failure = "not enough disk space: \(String(cString: strerror(errno)))"
      return
    }
    ends.append(start + page.count)
    page.removeAll(keepingCapacity: true)
  }

  /// Returns the next batch in the order of receipt; nil if there are no more.
  func next() -> Batch? {
    while let batch = nextKept() {
      guard leftOut[batch.order.id.phone.rawValue] == batch.order.id.order else { return batch }
    }
    return nil
  }

  private func nextKept() -> Batch? {
    if nextPage == 0 { flush() }
    if readAt == reading.count, !readPage() { return nil }
    return reading.withUnsafeBytes { bytes in
      let order = bytes.loadUnaligned(fromByteOffset: readAt, as: UploadOrder.self)
      readAt += Self.headBytes
      let fixes = (0..<Int(order.fixCount)).map {
        bytes.loadUnaligned(fromByteOffset: readAt + $0 * Self.fixBytes, as: Fix.self)
      }
      readAt += fixes.count * Self.fixBytes
      return Batch(order: order, fixes: fixes)
    }
  }

  private func readPage() -> Bool {
    guard nextPage < ends.count else { return false }
    let start = nextPage == 0 ? 0 : ends[nextPage - 1]
    reading = [UInt8](unsafeUninitializedCapacity: ends[nextPage] - start) { place, count in
      let done = pread(descriptor, place.baseAddress!, place.count, start)
      precondition(done == place.count, "a spilled page of batches cannot be read back")
      count = place.count
    }
    nextPage += 1
    readAt = 0
    return true
  }
}
