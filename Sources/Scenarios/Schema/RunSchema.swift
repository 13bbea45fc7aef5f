package import Core
internal import Foundation

enum RunSchema {
  static let names = fields.map(\.name)

  static var fields: [Field<Scenario>] {
    [
      Field("run", \.run, run, "Start, caches, checks and connections of a run."),
      Field(
        "tls", \.run.tls, .optional(tls.shape(defaults: TLSKeys())),
        "Connect to the collector over TLS; {}: trust the system's CAs."),
      Field(
        "pushEndpoint", \.run.pushEndpoint, pushEndpoint,
        "Emulate APNs for your own push sender, and deliver its pushes to the phones."),
      Field("metrics", \.run.metrics, metrics, "Metrics of a running load."),
    ]
  }

  private static var run: ObjectShape<RunSettings> {
    ObjectShape(fields: [
      Field(
        "startAt", \.startAt, .optional(.date),
        "Start of the live part of a load, for shards that start together."),
      Field(
        "cache", \.cache, .path("a folder, standard or off", besides: ["standard", "off"]),
        "Folder that caches fleets after warm-up; standard: ~/.cache/flotilla."),
      Field(
        "capture", \.capture, .optional(.path()), "Write the raw frames of a load to this file."),
      Field(
        "state", \.state, .optional(.path("a folder")),
        "Folder for the outboxes of a load; a killed fleet resumes from it."),
      Field("threads", \.threads, .count(0...1_024), "Number of threads; 0: one per core."),
      Field(
        "rateLimit", \.rateLimit, .optional(.rate(0.001, 10_000_000)),
        "Maximum request rate to a target; the 'rateLimit' of its file applies, too."),
      Field(
        "proof", \.readsStore, .flag,
        "Verify the collector's store at the end of a load."),
      Field("withParent", \.endsWithParent, .flag, "Stop a load when standard input is closed."),
      Field(
        "twin", \.hasTwin, .flag,
        "After a load, simulate the same scenario offline and report the difference."),
      Field(
        "webToken", \.webToken, .optional(.webToken),
        "The token that the live page of --web requires."),
      Field(
        "via", \.via, .optional(.endpoint),
        "Send uploads to this proxy; other calls go to the collector."),
      Field("carrier", \.carrier, .word(CarrierKind.self), "Wire protocol."),
      Field(
        "dictionary", \.dictionary, .optional(.path()),
        "zstd dictionary that compresses columns (encoding: columns)."),
      Field(
        "tokenFile", \.tokenFile, .optional(.path()),
        "File with the token that the collector requires."),
    ])
  }

  private static var tls: ObjectShape<TLSKeys> {
    ObjectShape(
      fields: [
        Field(
          "ca", \.authorities, .optional(.path()),
          "CAs to trust (PEM); none: the system's."),
        Field(
          "certificate", \.certificate, .optional(.path()),
          "Client certificate (PEM), if the collector requires one."),
        Field("key", \.key, .optional(.path()), "Private key of the client certificate (PEM)."),
        Field(
          "resume", \.resumedShare, .share,
          "Share of uploads that resume a TLS session, if the phone has one."),
      ],
      check: { tls, origin, reading in
        guard (tls.certificate == nil) != (tls.key == nil) else { return }
        reading.diagnose(
          reading.origin(ofRuleBetween: "certificate", "key") ?? origin,
          "'certificate' and 'key' need each other; write both.")
      })
  }

  private static var pushEndpoint: ObjectShape<PushEndpointKeys> {
    ObjectShape(
      fields: [
        Field(
          "listen", \.listen, .optional(.endpoint),
          "Address to listen on; none: the address in the target's file, if any."),
        Field(
          "auth", \.auth, Shape.providerKeys.mapped({ $0 }, { $0 ?? "any" }),
          "Keys whose tokens are accepted (PEM, .p8); any: tokens are not checked."),
        Field(
          "topic", \.topic, .optional(.text("a topic, or several separated by commas; or any")),
          "Topic of the app; none: org.example.app."),
        Field(
          "tokens", \.tokensOut, .optional(.path()),
          "File for the phones' push tokens; none: in the run's folder."),
        Field(
          "ca", \.authorityOut, .optional(.path()),
          "File for the CA that the sender must trust; none: in the run's folder."),
        Field("clear", \.isInTheClear, .flag, "Accept pushes without TLS (HTTP/2)."),
        Field(
          "fcmAccount", \.accountOut, .optional(.path()),
          "Also emulate Firebase Cloud Messaging; file for its service account (JSON)."),
        Field(
          "webhook", \.hasWebhook, .flag,
          "Also accept Home Assistant's notifications at /push."),
        Field(
          "withhold", \.withhold, .share,
          "Share of accepted pushes that are not delivered, to measure the uplift."),
        Field(
          "alone", \.isNotCompared, .flag,
          "Do not simulate the schedulers none, fixed and adaptive afterwards."),
      ],
      check: { push, origin, reading in
        guard push.isInTheClear, push.authorityOut != nil else { return }
        reading.diagnose(
          reading.origin(ofRuleBetween: "clear", "ca") ?? origin,
          "'ca' has no effect with 'clear'; remove one of them.")
      })
  }

  private static var metrics: ObjectShape<MetricsKeys> {
    ObjectShape(fields: [
      Field(
        "listen", \.listen, .optional(.endpoint),
        "Serve Prometheus metrics at this address until the run ends."),
      Field(
        "otlp", \.otlp, .optional(.text("a URL such as http://127.0.0.1:4318")),
        "Send the metrics to this OpenTelemetry collector every 5 s."),
      Field(
        "remoteWrite", \.remoteWrite,
        .optional(.text("a URL such as http://127.0.0.1:9090/api/v1/write")),
        "Send the metrics to this address of Prometheus' remote write every 5 s."),
    ])
  }
}

extension Shape<String> {
  /// A path, relative to the folder of its file, or on the command line to the working directory.
  static func path(
    _ allowed: String = "the path of a file", besides words: [String] = []
  ) -> Shape {
    .scalar(
      allowed,
      parse: { (text, reading) throws(ValueError) in
        words.contains(text) ? text : RecordingFiles.path(text, at: reading.origin)
      },
      show: { value, _ in value })
  }

  /// A token of characters that need no escape in a URL or a cookie.
  fileprivate static var webToken: Shape {
    .scalar(
      "16 to 128 letters, digits, '-', '.', '_' or '~', as 'openssl rand -hex 16' prints",
      parse: { (text, _) throws(ValueError) in
        guard RunSettings.isWebToken(text) else { throw ValueError("this is no such token") }
        return text
      },
      show: { value, _ in value })
  }

  fileprivate static func text(_ allowed: String) -> Shape {
    .scalar(allowed, parse: { (text, _) throws(ValueError) in text }, show: { value, _ in value })
  }

  fileprivate static var providerKeys: Shape {
    .scalar(
      "any, or [TEAM:KEYID:]FILE, several separated by commas",
      parse: { (text, reading) throws(ValueError) in
        if text == "any" { return text }
        var keys: [String] = []
        for key in text.split(separator: ",") {
          var words = key.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
          let file = words.count == 1 ? 0 : 2
          guard [1, 3, 4].contains(words.count), !words.contains("") else {
            throw ValueError("'\(key)' is not a key")
          }
          words[file] = RecordingFiles.path(words[file], at: reading.origin)
          keys.append(words.joined(separator: ":"))
        }
        return keys.joined(separator: ",")
      },
      show: { value, _ in value })
  }
}

extension Shape<Endpoint> {
  package static var endpoint: Shape<Endpoint> {
    .scalar(
      "HOST:PORT, such as 127.0.0.1:7070 or [::1]:7070",
      parse: { (text, _) throws(ValueError) in
        guard let address = Endpoint(text) else { throw ValueError("'\(text)' is not an address") }
        return address
      },
      show: { address, _ in address.description })
  }
}

extension Shape<Date> {
  fileprivate static var date: Shape {
    .scalar(
      "a date and time with a zone, such as 2026-03-02T08:05:00Z",
      parse: { (text, _) throws(ValueError) in
        do { return try Date.ISO8601FormatStyle().parse(text) } catch {
          throw ValueError("'\(text)' is not a date and time")
        }
      },
      show: { date, _ in date.formatted(.iso8601) })
  }
}
