internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Push
internal import Run
internal import Scenarios
internal import Transport
internal import Uploads

enum LoadPushes {
  private static let topic = "org.example.app"

  static var options: [Option<LoadOptions>] {
    [
      .address(
        "--push-endpoint", \.pushEndpoint,
        "Answer your own push sender there as Apple's provider does, and push the run's phones.")
    ] + more.map(\.rare)
  }

  private static var more: [Option<LoadOptions>] {
    [
      .text(
        "--push-auth", "any|KEYS", \.push.auth,
        "Whose tokens are good: [TEAM:KEYID:]FILE (PEM, .p8), more after commas; any: unchecked."),
      .text("--push-topic", "TOPIC", \.push.topic, "The app's topic (org.example.app)."),
      .text(
        "--push-tokens", "FILE", \.push.tokensOut,
        "Write the phones' push tokens there, instead of into the run's folder."),
      .text(
        "--push-ca", "FILE", \.push.authorityOut,
        "Write the CA that the sender trusts there, instead of into the run's folder."),
      .flag("--push-clear", \.push.isInTheClear, "Take pushes in the clear (HTTP/2)."),
      .text(
        "--push-fcm-account", "FILE", \.push.accountOut,
        "Be Firebase Cloud Messaging as well, and write its service account there (JSON)."),
      .flag(
        "--push-webhook", \.push.hasWebhook,
        "Take Home Assistant's notifications at /push as well."),
      .share(
        "--push-withhold", \.push.withhold,
        "Pushes that are accepted and never delivered, to know what the others cause."),
      .flag(
        "--push-alone", \.push.isNotCompared,
        "Do not simulate the same phones with the schedulers none, fixed and adaptive afterwards."),
    ]
  }

  /// Returns how the run is pushed, and what the sender needs; nil if only the run's own server
  /// pushes. An option overrides the push address in the file of `backend`.
  static func senders(
    _ options: LoadOptions, _ plan: RunPlan, _ backend: TargetSetup?, _ folder: RunFolder?
  ) throws -> PushSenderPlan? {
    var push = options.push
    var address = options.pushEndpoint
    if let target = backend?.target, let asked = target.push {
      fill(&push, as: asked, of: target, folder)
      address = try address ?? listening(asked, of: target)
    }
    guard let address else {
      if options.push != LoadOptions().push {
        throw UsageError.missingArgument("--push-endpoint HOST:PORT", of: "flotilla load")
      }
      return nil
    }
    push.topic = push.topic ?? Self.topic
    guard plan.shard == nil else {
      throw CommandError(
        exit: .usage,
        message: "--push-endpoint has the phones of all processes, and shards hear nothing of each "
          + "other; leave out --shard, or start the run with mpirun.")
    }
    guard let folder else {
      // The endpoint is that of the first process, which checks keys.
      var rules = EndpointRules(topics: [], keys: .any)
      (rules.seed, rules.withhold) = (UInt64(push.seed), push.withhold)
      return PushSenderPlan(
        address: Endpoint(host: address.host, port: address.port), rules: rules, tls: nil,
        unixNow: { PushEndpointCommand.unixNow })
    }
    var rules = try PushEndpointCommand.rules(push, at: address, prefix: "--push-")
    let account = try PushEndpointAccount(push)
    rules.messaging = account?.account
    if !push.isInTheClear, push.authorityOut == nil {
      push.authorityOut = folder.path("push-ca.pem")
    }
    let secrets = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-push-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: secrets) }
    let security = try PushEndpointFiles.security(push, at: address.host, secrets)
    let endpoint = ProviderEndpoint(rules, phones: plan.scenario.fleet.phones)
    let tokens = push.tokensOut ?? folder.path("push-tokens.csv")
    let scheme = push.isInTheClear ? "http" : "https"
    return PushSenderPlan(
      address: Endpoint(host: address.host, port: address.port), rules: rules,
      tls: security.server, unixNow: { PushEndpointCommand.unixNow },
      listens: try handOut(
        to: push.authorityOut, tokens, push.accountOut,
        { port in
          (
            security.authority, PushEndpointFiles.tokens(endpoint),
            account?.json(at: "\(scheme)://\(HostAndPort(host: address.host, port: port))")
          )
        }),
      newToken: { FileOutput.append("\($0),\($1)\n", to: tokens) })
  }

  /// Returns what writes the sender's files once the endpoint listens on a port; unwritable paths
  /// are found before the run.
  private static func handOut(
    to authority: String?, _ tokens: String, _ account: String?,
    _ texts: @escaping @Sendable (UInt16) -> (authority: String?, tokens: String, account: String?)
  ) throws -> @Sendable (UInt16) throws(TransportError) -> Void {
    for case let path? in [authority, tokens, account] { try FileOutput.check(path) }
    return { (port) throws(TransportError) in
      let texts = texts(port)
      do throws(FileOutput.WriteError) {
        try PushEndpointFiles.write([
          .init(authority, texts.authority), .init(tokens, texts.tokens),
          .init(account, texts.account, readers: .owner),
        ])
      } catch {
        throw .cannotWrite(path: error.path, reason: error.reason)
      }
    }
  }

  /// - Parameter folder: for the service account; nil in processes without an endpoint.
  private static func fill(
    _ push: inout PushEndpointOptions, as asked: Uploads.PushEndpoint, of target: Target,
    _ folder: RunFolder?
  ) {
    switch asked.provider {
    case .apple: break
    case .google: push.accountOut = push.accountOut ?? folder?.path("push-account.json")
    case .webhook: push.hasWebhook = true
    }
    if asked.isInTheClear { push.isInTheClear = true }
    if push.topic == nil { push.topic = asked.topic.isEmpty ? "any" : asked.topic }
    if push.auth == "any", !asked.keys.isEmpty {
      let files = TargetFiles(of: target)
      push.auth = asked.keys.map(files.path).joined(separator: ",")
    }
    if push.withhold == 0 { push.withhold = asked.withhold }
  }

  private static func listening(
    _ asked: Uploads.PushEndpoint, of target: Target
  ) throws -> HostAndPort {
    guard let address = HostAndPort(asked.listen) else {
      throw CommandError(
        exit: .badInput,
        message: "\(target.name): push.listen is '\(asked.listen)'; write HOST:PORT, such as "
          + "127.0.0.1:2197.")
    }
    return address
  }
}
