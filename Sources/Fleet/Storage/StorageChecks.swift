internal import Core
internal import Phone

/// Checks assumptions of the phone storage that the compiler does not verify: stated sizes of
/// enums, and Swift's struct layout. The checks take some microseconds per shard.
enum StorageChecks {
  static func run(_ phone: Device) {
    checkSizes()
    checkLayout(phone)
  }

  private static func checkSizes() {
    precondition(
      DueSlots.capacity == DueSlot.allCases.count, "a calendar has an entry for each slot")
    precondition(
      PhoneTally.wakeCauses == WakeCause.allCases.count, "a tally has a count for each cause")
    precondition(
      PhoneTally.errorBuckets == ErrorScale.buckets, "a tally has a bucket for each distance")
    precondition(
      EnergyBill.capacity == EnergyComponent.allCases.count, "a bill has each component")
    precondition(
      MemoryLayout<StoredPhone>.size == StoredPhone.headBytes + StoredPhone.inlineBytes,
      "a phone at rest consists of its head and its words")
    precondition(
      MemoryLayout<OverflowPiece.Bytes>.size == OverflowPiece.size, "a piece is full of bytes")
    precondition(
      WordCode.allCases.count == 16
        && WordCode.allCases.enumerated().allSatisfy { $0.offset == Int($0.element.rawValue) }
        && MemoryLayout<WordCode>.size == 1,
      "a code is any value of four bits")
  }

  private static func checkLayout(_ phone: Device) {
    let members: [PartialKeyPath<Device>] = [
      \.user, \.authorization, \.traits, \.link, \.id, \.segment, \.offline, \.switchedOff,
      \.airplane, \.session, \.process, \.consent, \.overdueTimers, \.pendingNotices,
      \.holdsSession, \.turn, \.services, \.places, \.standard, \.draw, \.android, \.lastKnown,
      \.drawnSince,
      \.battery, \.pushes, \.transfer, \.due, \.tracker, \.cohort, \.policy, \.rollout,
      \.pushWasGated,
      \.reinstalls, \.isRemoved, \.hasOldToken, \.outbox, \.upload, \.provider, \.delivery,
      \.stored,
      \.mark, \.world, \.behaviour, \.energy,
    ]
    precondition(
      PaddingMask.offsets(ofMembersOf: phone)
        == members.map { MemoryLayout<Device>.offset(of: $0) },
      "the members of a record have the documented offsets")
    precondition(
      MemoryLayout<Device>.offset(of: \.id) == 4,
      "a phone's number is the upper half of its record's first word")
  }
}
