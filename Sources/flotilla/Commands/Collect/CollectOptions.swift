internal import Core
internal import Collector
internal import Commands
internal import Scenarios

struct CollectOptions: Equatable {
  /// Other than loopback requires a token.
  var listen: Endpoint? = Endpoint(host: "127.0.0.1", port: 7_070)
  var store = StoreChoice.kind(.sqlite)
  /// Nil for a new file in the working directory's `runs`.
  var storePath: String?
  /// The number of connections that commit, for a store in a database.
  var storeConnections = PostgresAddress.connectionsUsual
  /// The longest wait of a batch for others before a commit, under load.
  var groupDelayMilliseconds = 2
  /// The wait of calls above which a share of them is refused.
  var queueDelayMilliseconds = 8
  /// Whether to end when standard input is closed, as a run's own collector does.
  var endsWithParent = false
  /// A file whose first line every client must present.
  var tokenFile: String?
  /// PEM files of the certificate and its key; nil for connections in the clear.
  var tlsCertificate: String?
  var tlsKey: String?
  /// A PEM file with the CAs of clients, who then need a certificate.
  var clientAuthorities: String?
  /// A file of keys for session tickets; nil: tickets end with the process.
  var ticketKeys: String?
  var dictionary: String?
  /// The address of `/metrics`, `/healthz` and `/readyz`; nil for none.
  var admin: Endpoint?
  var logFormat = LogFormat.text
  var logLevel = LogLevel.info
  var drainDelayMilliseconds = 0
  var drainLimitMilliseconds = 10_000
  var interface = Interface.auto
  var isColorless = false
  var isQuiet = false

  var storeAddress: StoreAddress {
    store.address(path: storePath, connections: storeConnections)
  }

  static func command(_ body: @escaping (CollectOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "collect", "Run a collector.", positionals: [],
      options: [
        .address("--listen", \.listen, "Where to listen; port 0 lets the system choose."),
        .store(\.store, "Where batches are kept; none measures only."),
        .text("--store-path", "FILE", \.storePath, "The store's file."),
        .count(
          "--store-connections", \.storeConnections, PostgresAddress.connectionsRange,
          "To a database: those that commit."),
        .count(
          "--group-delay-ms", \.groupDelayMilliseconds, 0...1_000,
          "The longest a batch waits for others before a commit, under load."),
        .count(
          "--queue-delay-ms", \.queueDelayMilliseconds, 1...60_000,
          "How long calls may wait before a share of them is refused."),
        .flag("--with-parent", \.endsWithParent, "End when standard input is closed."),
        .text("--token-file", "FILE", \.tokenFile, "What clients must present."),
        .text(
          "--tls-cert", "FILE", \.tlsCertificate,
          "Serve over TLS with this certificate (PEM, its chain behind it); SIGHUP reads it again."
        ),
        .text("--tls-key", "FILE", \.tlsKey, "The certificate's private key (PEM)."),
        .text(
          "--client-ca", "FILE", \.clientAuthorities,
          "Take only clients with a certificate that one of these CAs signed (PEM)."),
        .text(
          "--ticket-keys", "FILE", \.ticketKeys,
          "Keys of session tickets, 80 random bytes each; the first seals, all open."),
        .text(
          "--dictionary", "FILE", \.dictionary,
          "A zstd dictionary that payloads may name."),
        .address(
          "--admin", \.admin,
          "Serve /metrics, /healthz and /readyz there, such as 127.0.0.1:7071."),
        .word("--log-format", \.logFormat, "Of the log on standard error."),
        .word("--log-level", \.logLevel, "What the log leaves out is below it."),
        .count(
          "--drain-delay-ms", \.drainDelayMilliseconds, 0...600_000,
          "At SIGTERM, how long to serve on after /readyz said no."),
        .count(
          "--drain-limit-ms", \.drainLimitMilliseconds, 0...600_000,
          "At SIGTERM, how long open calls may take."),
        .word("--ui", \.interface, "How the collector shows itself."),
        .flag("--no-color", \.isColorless, "Plain text; NO_COLOR does it too."),
        .flag("--quiet", \.isQuiet, "Only errors."),
      ],
      examples: [
        "flotilla collect",
        "flotilla collect --listen 0.0.0.0:7070 --token-file token.txt",
        "flotilla collect --admin 127.0.0.1:7071 --log-format json",
        "flotilla collect --tls-cert server.pem --tls-key server.key --ticket-keys tickets.bin",
        "flotilla collect --store none",
        "flotilla collect --store postgresql://flotilla@db.example/fleet",
      ],
      start: CollectOptions(), body: body)
  }
}
