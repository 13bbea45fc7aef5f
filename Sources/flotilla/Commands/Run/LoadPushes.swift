internal import Coordinator
internal import Foundation
internal import PushEndpoint
internal import Scenarios
internal import Transport

/// A run whose phones are pushed by the user's own sender.
enum LoadPushes {
  static var options: [Option<LoadOptions>] {
    [
      .address(
        "--push-endpoint", \.pushEndpoint,
        "Answer your own push sender there as Apple's provider does, and push the run's phones."),
      .text(
        "--push-auth", "any|KEYS", \.push.auth,
        "Whose tokens are good: TEAM:KEYID:FILE (PEM, .p8), more after commas; any: unchecked."),
      .text("--push-topic", "TOPIC", \.push.topic, "The app's topic (org.example.app)."),
      .text(
        "--push-tokens", "FILE", \.push.tokensOut,
        "Write the phones' push tokens there, instead of into the run's folder."),
      .text(
        "--push-ca", "FILE", \.push.authorityOut,
        "Write the CA that the sender trusts there, instead of into the run's folder."),
      .flag("--push-clear", \.push.isInTheClear, "Take pushes in the clear (HTTP/2)."),
      .share(
        "--push-withhold", \.push.withhold,
        "Pushes that are accepted and never delivered, to know what the others cause."),
    ]
  }

  /// Says how the run is pushed, and writes what the sender needs; nil: its own server does it
  /// alone.
  static func senders(
    _ options: LoadOptions, _ plan: RunPlan, _ folder: RunFolder?
  ) throws -> PushSenderPlan? {
    guard let address = options.pushEndpoint else {
      if options.push != LoadOptions().push {
        throw UsageError.missingArgument("--push-endpoint HOST:PORT", of: "flotilla load")
      }
      return nil
    }
    guard plan.link.place.count == 1, let folder else {
      throw CommandError(
        exit: .usage,
        message: "--push-endpoint is of a run in one process; leave out --shard and mpirun.")
    }
    var push = options.push
    let rules = try PushEndpointCommand.rules(push, at: address, prefix: "--push-")
    if !push.isInTheClear, push.authorityOut == nil {
      push.authorityOut = folder.path("push-ca.pem")
    }
    let secrets = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-push-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: secrets) }
    let tls = try PushEndpointFiles.tls(push, at: address.host, secrets)
    let endpoint = ProviderEndpoint(rules, phones: plan.scenario.fleet.phones)
    try PushEndpointFiles.write(
      PushEndpointFiles.tokens(endpoint), to: push.tokensOut ?? folder.path("push-tokens.csv"))
    return PushSenderPlan(
      address: Endpoint(host: address.host, port: address.port), rules: rules, tls: tls,
      unixNow: { PushEndpointCommand.unixNow })
  }
}
