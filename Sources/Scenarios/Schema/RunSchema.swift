package import Core
internal import Foundation

/// The keys of how a run is carried out.
enum RunSchema {
  static let names = fields.map(\.name)

  static var fields: [Field<Scenario>] {
    [
      Field("run", \.run, run, "How a run is carried out."),
      Field(
        "tls", \.run.tls, .optional(tls.shape(defaults: TLSKeys())),
        "Connect to the collector over TLS; {}: with what the system trusts."),
      Field(
        "pushEndpoint", \.run.pushEndpoint, pushEndpoint,
        "Answer your own push sender as Apple's provider does, and push the run's phones."),
    ]
  }

  private static var run: ObjectShape<RunSettings> {
    ObjectShape(fields: [
      Field(
        "startAt", \.startAt, .optional(.date),
        "When the live part of a load begins; for shards that start together."),
      Field(
        "cache", \.cache, .path("a folder, standard or off", besides: ["standard", "off"]),
        "Where fleets are kept after their warm starts; standard: ~/.cache/flotilla."),
      Field("capture", \.capture, .optional(.path()), "Keep the raw frames of a load there."),
      Field(
        "proof", \.readsStore, .flag,
        "Read the collector's store at the end of a load, to show that all is there."),
      Field("withParent", \.endsWithParent, .flag, "End a load when standard input is closed."),
      Field(
        "via", \.via, .optional(.endpoint),
        "Send uploads there, as through a proxy; other calls go to the collector."),
      Field("carrier", \.carrier, .word(CarrierKind.self), "How calls stand on the wire."),
      Field(
        "dictionary", \.dictionary, .optional(.path()),
        "Send columns compressed with this zstd dictionary (encoding: columns)."),
      Field("tokenFile", \.tokenFile, .optional(.path()), "What the collector demands."),
    ])
  }

  private static var tls: ObjectShape<TLSKeys> {
    ObjectShape(
      fields: [
        Field(
          "ca", \.authorities, .optional(.path()),
          "Trust collectors that one of these CAs signed (PEM); none: the system's."),
        Field(
          "certificate", \.certificate, .optional(.path()),
          "The certificate to present (PEM), where the collector asks for one."),
        Field("key", \.key, .optional(.path()), "That certificate's private key (PEM)."),
        Field(
          "resume", \.resumedShare, .share,
          "Of the uploads' TLS sessions, those that are resumed where the phone has one."),
      ],
      check: { tls, origin, reading in
        guard (tls.certificate == nil) != (tls.key == nil) else { return }
        reading.diagnose(
          reading.origin(ofRuleBetween: "certificate", "key") ?? origin,
          "'certificate' and 'key' belong together; write both.")
      })
  }

  private static var pushEndpoint: ObjectShape<PushEndpointKeys> {
    ObjectShape(
      fields: [
        Field(
          "listen", \.listen, .optional(.endpoint),
          "Where the sender connects to; none: where the target's file says, if it does."),
        Field(
          "auth", \.auth, Shape.providerKeys.mapped({ $0 }, { $0 ?? "any" }),
          "Whose tokens are good: of these keys (PEM, .p8); any: unchecked."),
        Field(
          "topic", \.topic, .optional(.topics),
          "The app's topic; none: org.example.app."),
        Field(
          "tokens", \.tokensOut, .optional(.path()),
          "Write the phones' push tokens there; none: into the run's folder."),
        Field(
          "ca", \.authorityOut, .optional(.path()),
          "Write the CA that the sender trusts there; none: into the run's folder."),
        Field("clear", \.isInTheClear, .flag, "Take pushes in the clear (HTTP/2)."),
        Field(
          "fcmAccount", \.accountOut, .optional(.path()),
          "Be Firebase Cloud Messaging as well, and write its service account there (JSON)."),
        Field(
          "webhook", \.hasWebhook, .flag,
          "Take Home Assistant's notifications at /push as well."),
        Field(
          "withhold", \.withhold, .share,
          "Pushes that are accepted and never delivered, to know what the others cause."),
        Field(
          "alone", \.isNotCompared, .flag,
          "Do not simulate the schedulers none, fixed and adaptive afterwards."),
      ],
      check: { push, origin, reading in
        guard push.isInTheClear, push.authorityOut != nil else { return }
        reading.diagnose(
          reading.origin(ofRuleBetween: "clear", "ca") ?? origin,
          "'clear' has no certificate; leave out 'ca', or 'clear'.")
      })
  }
}

extension Shape<String> {
  /// A path, relative to the folder of the file it was written in, on the command line to the
  /// working directory.
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

  fileprivate static var topics: Shape {
    .scalar(
      "a topic, others after commas; or any",
      parse: { (text, _) throws(ValueError) in text }, show: { value, _ in value })
  }

  fileprivate static var providerKeys: Shape {
    .scalar(
      "any, or [TEAM:KEYID:]FILE, more after commas",
      parse: { (text, reading) throws(ValueError) in
        if text == "any" { return text }
        var keys: [String] = []
        for key in text.split(separator: ",") {
          var words = key.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
          let file = words.count == 1 ? 0 : 2
          guard [1, 3, 4].contains(words.count), !words.contains("") else {
            throw ValueError("'\(key)' is no key")
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
        guard let address = Endpoint(text) else { throw ValueError("'\(text)' is no address") }
        return address
      },
      show: { address, _ in address.description })
  }
}

extension Shape<Date> {
  fileprivate static var date: Shape {
    .scalar(
      "an instant with its zone, such as 2026-03-02T08:05:00Z",
      parse: { (text, _) throws(ValueError) in
        do { return try Date.ISO8601FormatStyle().parse(text) } catch {
          throw ValueError("'\(text)' is no instant")
        }
      },
      show: { date, _ in date.formatted(.iso8601) })
  }
}
