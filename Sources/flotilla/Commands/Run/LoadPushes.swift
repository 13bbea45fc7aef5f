internal import Core
internal import Commands
internal import Core
internal import Fleet
internal import Foundation
internal import Push
internal import Run
internal import Scenarios
internal import Transport
internal import Uploads
internal import Targets

enum LoadPushes {
  private static let topic = "org.example.app"

  /// Returns the push settings of the run and the files for the sender; nil if only the run's
  /// collector pushes. Settings of the scenario override those of the target's file.
  static func senders(
    _ plan: RunPlan, _ backend: TargetSetup?, _ folder: RunFolder?
  ) throws -> PushSenderPlan? {
    var push = plan.scenario.run.pushEndpoint
    if let target = backend?.target, let asked = target.push {
      fill(&push, as: asked, of: target, folder)
      push.listen = push.listen ?? asked.listen
    }
    guard let address = push.listen else {
      if push != PushEndpointKeys() {
        throw UsageError.missingArgument(
          "--set pushEndpoint.listen=HOST:PORT", of: "flotilla load")
      }
      return nil
    }
    push.topic = push.topic ?? Self.topic
    if !push.isInTheClear { push.authorityOut = push.authorityOut ?? folder?.path("push-ca.pem") }
    let options = PushEndpointOptions(push)
    guard plan.shard == nil else {
      throw CommandError(
        exit: .usage,
        message: "pushEndpoint needs the phones of all processes, but shards are independent; "
          + "remove --shard, or start the run with mpirun.")
    }
    guard let folder else {
      // Only the first process has the endpoint and checks the keys.
      var rules = EndpointRules(topics: [], keys: .any)
      (rules.seed, rules.withhold) = (UInt64(options.seed), push.withhold)
      (rules.kinds, rules.project) = (ProviderKinds(plan.scenario), options.project)
      return PushSenderPlan(
        address: address, rules: rules, tls: nil,
        unixNow: { PushEndpointCommand.unixNow })
    }
    var rules = try PushEndpointCommand.rules(options, at: address, prefix: "pushEndpoint.")
    rules.kinds = ProviderKinds(plan.scenario)
    let account = try PushEndpointAccount(options)
    rules.messaging = account?.account
    let secrets = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-push-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: secrets) }
    let security = try PushEndpointFiles.security(options, at: address.host, secrets)
    let endpoint = ProviderEndpoint(rules, phones: plan.scenario.fleet.phones)
    let tokens = push.tokensOut ?? folder.path("push-tokens.csv")
    let scheme = push.isInTheClear ? "http" : "https"
    return PushSenderPlan(
      address: address, rules: rules,
      tls: security.server, unixNow: { PushEndpointCommand.unixNow },
      listens: try handOut(
        to: push.authorityOut, tokens, push.accountOut,
        { port in
          (
            security.authority, PushEndpointFiles.tokens(endpoint),
            account?.json(at: "\(scheme)://\(Endpoint(host: address.host, port: port))")
          )
        }),
      newToken: { FileOutput.append("\($0),\($1)\n", to: tokens) })
  }

  /// Returns a function to write the files once the endpoint listens. Throws for unwritable paths.
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

  /// - Parameter folder: The folder for the service account; nil without an endpoint.
  private static func fill(
    _ push: inout PushEndpointKeys, as asked: Targets.PushEndpoint, of target: Target,
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
}
