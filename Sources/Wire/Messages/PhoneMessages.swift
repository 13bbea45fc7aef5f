internal import CFlotillaProto
package import SimulationCore
package import Telemetry

/// A phone tells its permission, its token and its cohort.
package struct RegisterRequest: WireMessage, Equatable {
  /// Names the phone; the collector refuses numbers that are not of its run.
  package var phone: PhoneID
  /// Names the installation of the app on the phone.
  package var epoch: UInt32
  /// Is the location permission that the app has.
  package var authorization: Authorization
  /// Is true where the app has a token with which the provider accepts pushes.
  package var tokenValid: Bool
  /// Is the index of the phone's cohort in the run, from 0.
  package var cohort: UInt32
  /// Is true where the app is on the phone.
  package var installed: Bool
  /// The version of the tracker settings that the phone has.
  package var settingsVersion: UInt32
  /// Is the scenario instant at which the phone sent the request.
  package var at: SimInstant

  /// Makes a registration from its parts.
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

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__register_request__init)
    message.pointee.phone = phone.rawValue
    message.pointee.epoch = epoch
    message.pointee.authorization = UInt32(authorization.rawValue)
    message.pointee.token_valid = tokenValid ? 1 : 0
    message.pointee.cohort = cohort
    message.pointee.installed = installed ? 1 : 0
    message.pointee.settings_version = settingsVersion
    message.pointee.at_us = at.microseconds
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage`, or `valueOutOfRange` for an unknown
  /// authorization.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(
      bytes, "RegisterRequest", flotilla__v1__register_request__unpack
    ).pointee
    return Self(
      phone: PhoneID(rawValue: message.phone), epoch: message.epoch,
      authorization: try authorization(message.authorization),
      tokenValid: message.token_valid != 0, cohort: message.cohort,
      installed: message.installed != 0, settingsVersion: message.settings_version,
      at: try WireBounds.instant("at_us", message.at_us))
  }

  static func authorization(_ number: UInt32) throws(WireError) -> Authorization {
    guard let value = UInt8(exactly: number).flatMap(Authorization.init(rawValue:)) else {
      throw .valueOutOfRange(column: "authorization", value: Int64(number))
    }
    return value
  }
}

/// The tracker settings that the server wants the phone to use.
package struct RegisterReply: WireMessage, Equatable {
  /// Holds the settings that apply to this phone at this instant.
  package var settings: TrackerSettings

  /// Makes a reply that hands out `settings`.
  package init(settings: TrackerSettings) { self.settings = settings }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__register_reply__init)
    message.pointee.settings = try settings.message(in: arena)
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; settings that are absent read as version 0. Throws `malformedMessage`.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "RegisterReply", flotilla__v1__register_reply__unpack)
      .pointee
    return Self(settings: try TrackerSettings(message.settings))
  }
}

/// The ack of one batch: it is durable.
package struct UploadReply: WireMessage, Equatable {
  /// Is the sequence number of the acknowledged batch.
  package var sequence: UInt32
  /// The batch had been stored before.
  package var duplicate: Bool
  /// Counts the fixes of the acknowledged batch.
  package var fixes: UInt32
  /// What the phone should use, if it is newer than what it has.
  package var settings: TrackerSettings?
  /// The request's: which bytes exactly are acknowledged.
  package var check: UInt32

  /// Makes an ack from its parts.
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

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__upload_reply__init)
    message.pointee.sequence = sequence
    message.pointee.duplicate = duplicate ? 1 : 0
    message.pointee.fixes = fixes
    message.pointee.check = check
    if let settings { message.pointee.settings = try settings.message(in: arena) }
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "UploadReply", flotilla__v1__upload_reply__unpack)
      .pointee
    return Self(
      sequence: message.sequence, duplicate: message.duplicate != 0, fixes: message.fixes,
      settings: message.settings == nil ? nil : try TrackerSettings(message.settings),
      check: message.check)
  }
}
