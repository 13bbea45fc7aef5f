package import Core
internal import Scenarios
package import Targets
package import Transport

/// A target ready for use, with secrets and identities read, and the carrier of its requests.
package final class TargetSetup: Sendable {
  package enum Connection: Sendable {
    case http(TargetHTTP)
    case grpc(TargetGRPC)
    case mqtt(TargetMQTT)
    case websocket(TargetWebSocket)
  }

  package enum Watching: Sendable {
    case mqtt(MQTTSettings)
    case websocket(WebSocketSettings)
  }

  package let target: Target
  package let programs: TargetPrograms
  package let identities: PhoneIdentities
  /// The CA that signs a certificate for each phone; nil without certificates.
  private let authority: (by: PhoneAuthority, name: UploadProgram)?
  package let connection: Connection
  /// The settings of connections by which the server sends to viewers; nil if viewers send reads.
  package let watching: Watching?
  /// The database for read-backs; nil to use requests.
  package let database: TargetDatabase?
  /// The maximum requests per second; nil for no limit.
  package let rateLimit: Rate?
  /// The wall clock, in microseconds since 1970.
  package let now: @Sendable () -> Int64

  /// Reads a target's files. The lower of the two rate limits, the file's and `rateLimit`, applies.
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
    case .http:
      connection = .http(try TargetHTTP(target, try SchemaLoader(target).loadCalls(programs.names)))
    case .grpc:
      connection = .grpc(
        try TargetGRPC(target, programs, first: first, identity: identity))
    case .mqtt:
      let calls = try SchemaLoader(target).loadCalls(programs.names)
      connection = .mqtt(try TargetMQTT(target, programs.names, calls))
    case .websocket:
      let calls = try SchemaLoader(target).loadCalls(programs.names)
      connection = .websocket(try TargetWebSocket(target, calls))
    }
    if case .mqtt(let mqtt) = connection, let settings = mqtt.watching(target) {
      watching = .mqtt(settings)
    } else {
      watching = try TargetWebSocket.watching(target).map { .websocket($0) }
    }
    if let known = identities.phones, known < phones {
      throw TargetError(
        "\(target.name) has identities for \(known) phones, but the fleet has "
          + "\(phones); add rows, or use --phones \(known).")
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

  /// Returns a phone's certificate; nil if there is none or its common name is too long.
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

  /// Returns the target for uploads ahead of the run: with `primeRate` and without read-back.
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
    watching = other.watching
    database = other.database
    now = other.now
  }

  package var primeRate: Rate { rateLimit.map { min($0, target.primeRate) } ?? target.primeRate }

  package func login(of phone: UInt32, _ context: UploadContext? = nil) -> MQTTLogin {
    guard case .mqtt(let mqtt) = connection else {
      preconditionFailure("the target has no broker")
    }
    let id = BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 0)
    let context =
      context ?? UploadContext(id, columns: identities.row(of: phone), now: now())
    var login = mqtt.logins.login(context)
    login.identity = certificate(of: phone, context)
    if target.usesSocket {
      login.opening = TargetWebSocket.opening(programs.socket, [], context)
    }
    return login
  }

  /// Returns the login of a viewer, who is another client than the phone, with a clean session and
  /// without a will.
  ///
  /// - Parameter phones: the watched phones; nil for all.
  package func login(of viewer: UInt32, watching phones: [UInt32]?) -> MQTTLogin {
    var login = login(of: viewer)
    if !login.client.isEmpty { login.client += "-view" }
    login.will = nil
    guard let program = programs.view else { return login }
    login.topicsQoS = program.form.qos
    let topics = phones?.map { phone in
      let id = BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 0)
      let context = UploadContext(id, columns: identities.row(of: phone), now: now())
      return String { program.write(topic: context, into: &$0) }
    }
    // A topic without values is the same for every phone.
    var seen: Set<String> = []
    login.topics = (topics ?? [target.viewTopicOfAll]).filter { seen.insert($0).inserted }
    return login
  }

  /// - Parameter watches: whether the connection is that of a viewer.
  package func opening(
    of phone: UInt32, _ context: UploadContext? = nil, watches: Bool = false
  ) -> WebSocketOpening {
    let id = BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 0)
    let context =
      context ?? UploadContext(id, columns: identities.row(of: phone), now: now())
    let steps = watches ? programs.viewSteps : programs.steps
    let program = watches ? programs.view ?? programs.socket : programs.socket
    var opening = TargetWebSocket.opening(program, steps, context)
    opening.identity = certificate(of: phone, context)
    return opening
  }

  package var endpoint: Endpoint {
    let address = TargetAddress(target.url)
    return Endpoint(host: address?.host ?? "", port: address?.port ?? 0)
  }

  /// The server's address for tables, without the path, which may contain a key.
  package var origin: String { TargetAddress(target.url)?.origin ?? target.name }
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
