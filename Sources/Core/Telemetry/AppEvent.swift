/// An event that an app sends beside its fixes, such as the entry into a region.
package struct AppEvent: Equatable, Sendable, BitwiseCopyable {
  package enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case enter, exit, dwell
    case arrive, depart
    case motion, boot, permission, opened
  }

  package var kind: Kind
  /// The index of the region in the app's list of places; 0 for events without a region.
  package var place: UInt8
  /// The motion activity or the permission, as a raw value; 0 for other events.
  package var detail: UInt8
  /// Whether a server already has the event, although the phone may not know that.
  package var isStored = false
  /// The number of the event, which grows by 1 with each event of the phone.
  package var number: UInt32
  /// The seconds spent in the region or at the visited place, if the system reports them.
  package var dwellSeconds: UInt32?
  /// The instant of the system's callback.
  package var noticed: SimInstant
  /// The true instant, such as that of the crossing, which apps do not know; nil without one.
  package var happened: SimInstant?
  /// The instant of the first request that had a network; nil before that request.
  package var sent: SimInstant?
  /// The position that the app had at the callback.
  package var fix: Fix?

  package init(
    _ kind: Kind, place: UInt8 = 0, detail: UInt8 = 0, number: UInt32 = 0,
    dwellSeconds: UInt32? = nil, noticed: SimInstant, happened: SimInstant?, fix: Fix? = nil
  ) {
    self.kind = kind
    self.place = place
    self.detail = detail
    self.number = number
    self.dwellSeconds = dwellSeconds
    self.noticed = noticed
    self.happened = happened
    self.fix = fix
  }
}

extension AppEvent.Kind {
  /// The word for what woke the app.
  package var trigger: String {
    switch self {
    case .enter, .exit, .dwell: "region"
    case .arrive, .depart: "visit"
    case .motion, .boot, .permission, .opened: "\(self)"
    }
  }
}
