internal import Scenarios
package import SimulationCore
package import Targets
internal import Telemetry
package import Transport

/// A target that a fleet can be put on: its file, with its secrets and identities read, and what
/// carries its requests.
package final class TargetSetup: Sendable {
  /// What carries the requests.
  package enum Connection: Sendable {
    case http(TargetHTTP)
    case grpc(TargetGRPC)
    case mqtt(TargetMQTT)
  }

  /// The target.
  package let target: Target
  package let programs: TargetPrograms
  package let identities: PhoneIdentities
  /// Signs a certificate for each phone; nil for no certificates.
  private let authority: (by: PhoneAuthority, name: UploadProgram)?
  /// What carries the requests.
  package let connection: Connection
  /// The database for read-backs; nil to use requests.
  package let database: TargetDatabase?
  /// The most requests a second; nil: any number.
  package let rateLimit: Rate?
  /// The wall clock, in microseconds since 1970.
  package let now: @Sendable () -> Int64

  /// Reads the files of a target.
  ///
  /// - Parameter rateLimit: applied beside the target's own; the lower counts.
  /// - Parameter now: the wall clock, in microseconds since 1970.
  package init(
    _ target: Target, phones: Int, rateLimit: Rate?, now: @escaping @Sendable () -> Int64
  ) throws(TargetError) {
    self.target = target
    self.now = now
    self.rateLimit = [target.rateLimit, rateLimit].compactMap(\.self).min()
    do throws(TargetError) {
      let files = TargetFiles(of: target)
      programs = try TargetPrograms(target, secrets: files)
      identities = try files.identities(programs.names.columns)
      database = try TargetDatabase(target, programs, files)
    } catch {
      throw TargetError("\(target.name): \(error.description)")
    }
    authority = try Self.authority(target, programs.names)
    let first = UploadContext(
      BatchID(phone: PhoneID(rawValue: 0), epoch: 1, sequence: 0),
      columns: identities.row(of: 0), now: now())
    let identity: HTTPIdentity?
    do throws(TLSSetupError) {
      identity = try Self.certificate(of: 0, first, by: authority)
    } catch {
      throw TargetError("\(target.name): \(error.description).")
    }
    switch target.carrier {
    case .http: connection = .http(try TargetHTTP(target))
    case .grpc:
      connection = .grpc(
        try TargetGRPC(target, programs, first: first, identity: identity))
    case .mqtt: connection = .mqtt(try TargetMQTT(target, programs.names))
    }
    if let known = identities.phones, known < phones {
      throw TargetError(
        "\(target.name) has identities for \(known) phones, and the fleet has "
          + "\(phones); add rows, or write --phones \(known).")
    }
  }

  private static func authority(
    _ target: Target, _ names: TargetNames
  ) throws(TargetError) -> (by: PhoneAuthority, name: UploadProgram)? {
    guard let source = target.identity.certificate else { return nil }
    let files = TargetFiles(of: target)
    do throws(TLSSetupError) {
      let authority = try PhoneAuthority(
        certificate: files.path(source.ca), key: files.path(source.key))
      return (authority, UploadProgram(source.name, names))
    } catch {
      throw TargetError("\(target.name): \(error.description).")
    }
  }

  /// Returns nil without a certificate, or if its name is too long.
  package func certificate(of phone: UInt32, _ context: UploadContext) -> HTTPIdentity? {
    try? Self.certificate(of: phone, context, by: authority)
  }

  private static func certificate(
    of phone: UInt32, _ context: UploadContext,
    by authority: (by: PhoneAuthority, name: UploadProgram)?
  ) throws(TLSSetupError) -> HTTPIdentity? {
    guard let authority else { return nil }
    return try authority.by.identity(of: phone) {
      String { authority.name.write(text: context, into: &$0) }
    }
  }

  /// Returns the target for priming: with its own rate and without read-back.
  package func priming() -> TargetSetup {
    TargetSetup(priming: self)
  }

  private init(priming other: TargetSetup) {
    var target = other.target
    target.readback = nil
    self.target = target
    rateLimit = other.primeRate
    programs = other.programs
    identities = other.identities
    authority = other.authority
    connection = other.connection
    database = other.database
    now = other.now
  }

  /// The most requests a second while the target is given what was before a run.
  package var primeRate: Rate { rateLimit.map { min($0, target.primeRate) } ?? target.primeRate }

  /// Returns who a phone is to the target's broker.
  ///
  /// - Parameter context: what that is read from; nil: that of a phone with nothing to send.
  package func login(of phone: UInt32, _ context: UploadContext? = nil) -> MQTTLogin {
    guard case .mqtt(let mqtt) = connection else {
      preconditionFailure("a target without a broker was asked for a login")
    }
    let id = BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 0)
    let context =
      context ?? UploadContext(id, columns: identities.row(of: phone), now: now())
    var login = mqtt.logins.login(context)
    login.identity = certificate(of: phone, context)
    return login
  }

  /// The server's address.
  package var endpoint: Endpoint {
    let address = TargetAddress(target.url)
    return Endpoint(host: address?.host ?? "", port: address?.port ?? 0)
  }

  /// The server's address as tables show it: without a path, in which a key may stand.
  package var origin: String { TargetAddress(target.url)?.origin ?? target.name }
  /// Whether connections are encrypted.
  package var isSecured: Bool { TargetAddress(target.url)?.isTLS ?? false }

  static func devices(_ scenario: Scenario) -> [DeviceState] {
    scenario.fleet.cohorts.map { cohort in
      var device = DeviceState()
      device.policy = scenario.policies[cohort.policy].name
      device.os = cohort.os.name
      return device
    }
  }
}
