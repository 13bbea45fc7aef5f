internal import Mobility
internal import Phone
internal import PushService
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Tracker

extension PhoneRecord {
  /// Returns this initial record with a likely value in every member that changes later; records
  /// are packed as their difference to it. A member that is left out here only costs bytes.
  func typical(
    at birth: SimInstant, centre: Coordinate, _ settings: PolicySettings, _ profile: OSProfile
  ) -> PhoneRecord {
    var phone = self
    let fix = Fix(
      coordinate: centre, time: FixTime(birth), accuracyMeters: 50, speedDecimetersPerSecond: -1,
      courseDegrees: -1)
    phone.os = os.typical(
      at: birth, known: fix, ServiceRequest(settings.background.service, settings.app),
      regionRadius: settings.regionRadius ?? .meters(0), profile)
    phone.tracker = .typical(fix, at: birth)
    phone.upload.isRegistered = true
    phone.upload.perceivedAt = birth
    phone.upload.newest = fix.time
    phone.upload.newestPlace = centre
    phone.delivery = .typical(at: birth)
    phone.stored.time = birth
    phone.stored.place = centre
    phone.mark = birth
    phone.energy.tailUntil = birth
    return phone
  }

  /// Instants that are due because a window or a segment ends or begins then, and the fix that the
  /// app kept because it was the last: by word of the record.
  static var references: [Int: RecordPacker<PhoneRecord>.References] {
    var references: [Int: RecordPacker<PhoneRecord>.References] = [:]
    func word(_ member: PartialKeyPath<PhoneRecord>) -> Int {
      (MemoryLayout<PhoneRecord>.offset(of: member) ?? 0) / 8
    }
    let windows: [(DueSlot, PartialKeyPath<PhoneRecord>)] = [
      (.segment, \.os.segment), (.offlineEdge, \.os.offline), (.powerEdge, \.os.switchedOff),
      (.airplaneEdge, \.os.airplane), (.forceQuitEdge, \.os.forceQuit),
      (.session, \.os.session),
    ]
    for (slot, window) in windows {
      references[word(\.os.due) + slot.rawValue] = .init(
        first: word(window), second: word(window) + 1)
    }
    let (known, accepted) = (word(\.os.lastKnown), word(\.tracker) + 1)
    for n in 0..<3 { references[accepted + n] = .init(first: known + n, second: known + n) }
    // What the collector holds is most often what the last upload brought.
    let sent = word(\.upload) + (MemoryLayout<UploadState>.offset(of: \.newestPlace) ?? 0) / 8
    references[word(\.stored) + 1] = .init(first: sent, second: accepted)
    return references
  }
}
