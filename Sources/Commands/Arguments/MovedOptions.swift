/// Removed options, most of whose settings are now keys of the scenario.
extension Option {
  package static var movedOfRuns: [Option] {
    moved(["--cache": "run.cache=", "--capture": "run.capture=", "--threads": "run.threads="])
      + [.movedColor]
  }

  package static var movedColor: Option {
    .replaced("--no-color", by: "the environment variable NO_COLOR=1")
  }

  /// The moved options of `plan` and `load`.
  package static var movedOfPlans: [Option] {
    moved([
      "--carrier": "run.carrier=", "--tls": "tls={}", "--resume": "tls.resume=",
      "--rate-limit": "run.rateLimit=",
    ])
  }

  package static var movedOfLoad: [Option] {
    movedOfPlans
      + moved([
        "--start-at": "run.startAt=", "--collectors": "collector.count=",
        "--token-file": "run.tokenFile=", "--uploads-via": "run.via=",
        "--dictionary": "encoding=columns --set run.dictionary=",
        "--with-parent": "run.withParent=true", "--no-proof": "run.proof=false",
        "--twin": "run.twin=true", "--state": "run.state=", "--metrics": "metrics.listen=",
        "--otlp": "metrics.otlp=", "--remote-write": "metrics.remoteWrite=",
        "--ca": "tls.ca=", "--client-cert": "tls.certificate=", "--client-key": "tls.key=",
        "--push-endpoint": "pushEndpoint.listen=", "--push-auth": "pushEndpoint.auth=",
        "--push-topic": "pushEndpoint.topic=", "--push-tokens": "pushEndpoint.tokens=",
        "--push-ca": "pushEndpoint.ca=",
        "--push-clear": "pushEndpoint.clear=true", "--push-webhook": "pushEndpoint.webhook=true",
        "--push-fcm-account": "pushEndpoint.fcmAccount=",
        "--push-withhold": "pushEndpoint.withhold=", "--push-alone": "pushEndpoint.alone=true",
      ])
  }

  /// Returns an option of earlier versions that `other` replaces. The option has a value if `other`
  /// lacks one, such as `--html ` or `--set run.via=`.
  package static func replaced(_ name: String, by other: String) -> Option {
    var option = Option(
      name: name, placeholder: ["=", " "].contains(other.last) ? "VALUE" : nil, help: "",
      apply: { _, _ in })
    option.key = other
    return option
  }

  private static func moved(_ keys: KeyValuePairs<String, String>) -> [Option] {
    keys.map { name, key in .replaced(name, by: "--set \(key)") }
  }
}
