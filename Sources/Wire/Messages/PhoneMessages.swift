internal import CFlotillaProto
package import Core

package struct RegisterRequest: RowMessage, Equatable {
  /// The phone; the collector refuses numbers outside its run.
  package var phone: PhoneID
  package var epoch: UInt32
  package var authorization: Authorization
  package var tokenValid: Bool
  package var cohort: UInt32
  package var installed: Bool
  package var settingsVersion: UInt32
  package var at: SimInstant

  package init(
    phone: PhoneID, epoch: UInt32, authorization: Authorization, tokenValid: Bool, cohort: UInt32,
    installed: Bool, settingsVersion: UInt32, at: SimInstant
  ) {
    self.phone = phone
    self.epoch = epoch
    self.authorization = authorization
    self.tokenValid = tokenValid
    self.cohort = cohort
    self.installed = installed
    self.settingsVersion = settingsVersion
    self.at = at
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__RegisterRequest>(
    flotilla__v1__register_request__init,
    RegisterRequest(
      phone: PhoneID(rawValue: 0), epoch: 0, authorization: .notDetermined, tokenValid: false,
      cohort: 0, installed: false, settingsVersion: 0, at: .distantPast),
    [
      .phone(\.phone, \.phone),
      .same(\.epoch, \.epoch),
      .value(\.authorization, \.authorization, { UInt32($0.rawValue) }) {
        (raw) throws(WireError) in try authorization(raw)
      },
      .flag(\.tokenValid, \.token_valid),
      .same(\.cohort, \.cohort),
      .flag(\.installed, \.installed),
      .same(\.settingsVersion, \.settings_version),
      .instant("at_us", \.at, \.at_us),
    ])

  static func authorization(_ number: UInt32) throws(WireError) -> Authorization {
    guard let value = UInt8(exactly: number).flatMap(Authorization.init(rawValue:)) else {
      throw .valueOutOfRange(column: "authorization", value: Int64(number))
    }
    return value
  }
}

package struct RegisterReply: RowMessage, Equatable {
  package var settings: TrackerSettings

  package init(settings: TrackerSettings) { self.settings = settings }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__RegisterReply>(
    flotilla__v1__register_reply__init, RegisterReply(settings: TrackerSettings()),
    [
      .part(\.settings, \.settings, TrackerSettings.form)
    ])
}

package struct UploadReply: WireMessage, Equatable {
  package var sequence: UInt32
  package var duplicate: Bool
  package var fixes: UInt32
  /// Settings newer than the phone's, if any.
  package var settings: TrackerSettings?
  /// The request's check, which identifies the acknowledged bytes.
  package var check: UInt32

  package init(
    sequence: UInt32, duplicate: Bool, fixes: UInt32, settings: TrackerSettings? = nil,
    check: UInt32
  ) {
    self.check = check
    self.sequence = sequence
    self.duplicate = duplicate
    self.fixes = fixes
    self.settings = settings
  }

  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__upload_reply__init)
    message.pointee.sequence = sequence
    message.pointee.duplicate = duplicate ? 1 : 0
    message.pointee.fixes = fixes
    message.pointee.check = check
    if let settings {
      message.pointee.settings = try TrackerSettings.form.message(settings, in: arena)
    }
    return UnsafeMutableRawPointer(message)
  }

  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "UploadReply", flotilla__v1__upload_reply__unpack)
      .pointee
    return Self(
      sequence: message.sequence, duplicate: message.duplicate != 0, fixes: message.fixes,
      settings: try message.settings.map { (settings) throws(WireError) in
        try TrackerSettings.form.value(settings.pointee)
      },
      check: message.check)
  }
}
