internal import Commands
internal import Core
internal import Foundation
internal import Push
internal import Scenarios
internal import Transport
internal import Uploads

enum PushEndpointCommand {
  static var command: Command { PushEndpointOptions.command(run) }

  static var unixNow: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  private static func run(_ options: PushEndpointOptions, _ console: Console) throws -> ExitCode {
    let address = options.keys.listen ?? Endpoint(host: "127.0.0.1", port: 2_197)
    var rules = try rules(options, at: address)
    let account = try PushEndpointAccount(options)
    rules.messaging = account?.account
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-push-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let security = try PushEndpointFiles.security(options, at: address.host, folder)
    let endpoint = endpoint(rules, options)
    let loop = EventLoop(name: "flotilla.push", isUrgent: true)
    loop.start()
    defer { loop.stopAndWait() }
    let server = PushProviderServer(
      endpoint, loop: loop, tls: security.server, unixNow: { Self.unixNow })
    let port = try server.listen(on: address)
    let listening = Endpoint(host: address.host, port: port)
    let url = "\(security.server == nil ? "http" : "https")://\(listening)"
    // Other programs wait for the line below, so the files come first.
    try PushEndpointFiles.write([
      .init(options.keys.authorityOut, security.authority),
      .init(
        options.keys.tokensOut,
        options.keys.tokensOut.map { _ in PushEndpointFiles.tokens(endpoint) }),
      .init(options.keys.accountOut, account?.json(at: url), readers: .owner),
    ])
    serve(server, at: url, options, console)
    let report = PushEndpointReport(server.look(), areKeysChecked: options.keys.auth != "any")
    for line in report.lines { console.line(line) }
    try PushEndpointFiles.write([.init(options.reportOut, report.json)])
    return .pass
  }

  /// Serves until a signal arrives, then answers the requests in flight.
  private static func serve(
    _ server: PushProviderServer, at url: String, _ options: PushEndpointOptions,
    _ console: Console
  ) {
    let end = Awaited<Void>()
    let interruption = Interruption(
      console, announce: { _ in server.stop { end.set(()) } })
    // Other programs send a signal once they have read this line.
    console.line("listening on \(url)")
    var before = 0
    while end.wait(until: .now() + 1).isEmpty {
      guard !options.isQuiet else { continue }
      let look = server.look()
      guard look.tally.requests > before else { continue }
      console.line(PushEndpointReport.line(look, newRequests: look.tally.requests - before))
      before = look.tally.requests
    }
    withExtendedLifetime(interruption) {}
  }

  static func rules(
    _ options: PushEndpointOptions, at address: Endpoint, prefix: String = "--"
  ) throws -> EndpointRules {
    guard let topic = options.keys.topic else {
      throw UsageError.missingArgument("--topic TOPIC", of: "flotilla push-endpoint")
    }
    let topics = topic == "any" ? [] : topic.split(separator: ",").map(String.init)
    guard topic == "any" || !topics.isEmpty else {
      throw UsageError.badValue(
        option: "\(prefix)topic", value: topic, wanted: "the topic of an app")
    }
    let keys = try PushEndpointFiles.keys(options.keys.auth ?? "any", of: "\(prefix)auth")
    if case .any = keys, !(try Endpoint.isOnlyReachableHere(address.host)) {
      throw CommandError(
        exit: .usage,
        message: "\(address.host) is reachable from other machines: set your team's keys with "
          + "\(prefix)auth TEAM:KEYID:FILE, or listen on 127.0.0.1.")
    }
    var rules = EndpointRules(topics: topics, keys: keys)
    rules.kinds = ProviderKinds(phones: options.phones, android: options.android)
    rules.project = options.project
    rules.isSandbox = options.isSandbox
    rules.perPhoneAndSecond = options.perPhone
    rules.streamsAtFirst = options.streamsAtFirst
    rules.requestsPerConnection = options.goAwayAfter
    rules.busy = options.busy
    rules.withhold = options.keys.withhold
    rules.webhookPerDay = options.keys.hasWebhook ? options.webhookPerDay : nil
    rules.takesHTTP1 = options.takesHTTP1
    rules.seed = UInt64(options.seed)
    return rules
  }

  private static func endpoint(
    _ rules: EndpointRules, _ options: PushEndpointOptions
  ) -> ProviderEndpoint {
    var endpoint = ProviderEndpoint(rules, phones: options.phones)
    guard options.gone > 0 else { return endpoint }
    let yesterday = UInt32(clamping: Int64(Date().timeIntervalSince1970) - 86_400)
    for number in 0..<UInt32(options.phones) {
      var draw = Draw(seed: rules.seed, phone: number, .tokenGone)
      if draw.chance(options.gone) {
        endpoint.unregister(PhoneID(rawValue: number), at: yesterday)
      }
    }
    return endpoint
  }
}
