internal import Core
internal import Collector
internal import Commands
internal import Scenarios

struct CollectOptions: Equatable {
  /// The address to listen on. Any address but a loopback address requires a token.
  var listen: Endpoint? = Endpoint(host: "127.0.0.1", port: 7_070)
  var store = StoreChoice.kind(.sqlite)
  /// The path of the store; nil for a new file in the working directory's `runs`.
  var storePath: String?
  /// The number of connections that commit, for a PostgreSQL store.
  var storeConnections = PostgresAddress.connectionsUsual
  /// The maximum wait of a batch for a group commit, under load.
  var groupDelayMilliseconds = 2
  /// The queueing delay above which a share of the calls is rejected.
  var queueDelayMilliseconds = 8
  /// Whether to stop when standard input is closed.
  var endsWithParent = false
  /// A file whose first line is the token that clients must send.
  var tokenFile: String?
  /// PEM files of the certificate and its key; nil for connections in the clear.
  var tlsCertificate: String?
  var tlsKey: String?
  /// A PEM file with the CAs of clients; clients then need a certificate.
  var clientAuthorities: String?
  /// A file of session ticket keys; nil for tickets that are valid until the process ends.
  var ticketKeys: String?
  var dictionary: String?
  /// The address of `/metrics`, `/healthz` and `/readyz`; nil for none.
  var admin: Endpoint?
  /// The address of the live page; nil for none.
  var web: Endpoint?
  var logFormat = LogFormat.text
  var logLevel = LogLevel.info
  var drainDelayMilliseconds = 0
  var drainLimitMilliseconds = 10_000
  var interface = Interface.auto
  var isQuiet = false

  var storeAddress: StoreAddress {
    store.address(path: storePath, connections: storeConnections)
  }

  static func command(_ body: @escaping (CollectOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "collect", "Run a collector.", positionals: [],
      options: [
        .address("--listen", \.listen, "Address to listen on; port 0 picks a free port."),
        .store(\.store, "Store for batches; none discards them."),
        .text("--store-path", "FILE", \.storePath, "Path of the SQLite file."),
        .count(
          "--store-connections", \.storeConnections, PostgresAddress.connectionsRange,
          "Number of PostgreSQL connections that commit batches."),
        .count(
          "--group-delay-ms", \.groupDelayMilliseconds, 0...1_000,
          "Maximum wait of a batch for a group commit, under load."),
        .count(
          "--queue-delay-ms", \.queueDelayMilliseconds, 1...60_000,
          "Queueing delay above which a share of the calls is rejected."),
        .flag("--with-parent", \.endsWithParent, "Stop when standard input is closed."),
        .text(
          "--token-file", "FILE", \.tokenFile,
          "File with the token that clients must send (load: --set run.tokenFile=FILE)."),
        .text(
          "--tls-cert", "FILE", \.tlsCertificate,
          "TLS server certificate (PEM), followed by its chain; SIGHUP reloads it."
        ),
        .text("--tls-key", "FILE", \.tlsKey, "Private key of the server certificate (PEM)."),
        .text(
          "--client-ca", "FILE", \.clientAuthorities,
          "Require client certificates signed by one of these CAs (PEM)."),
        .text(
          "--ticket-keys", "FILE", \.ticketKeys,
          "Session ticket keys, 80 random bytes each; the first encrypts, all decrypt."),
        .text(
          "--dictionary", "FILE", \.dictionary,
          "zstd dictionary for payloads."),
        .address(
          "--admin", \.admin,
          "Address of /metrics, /healthz and /readyz, such as 127.0.0.1:7071."),
        .web(\.web),
        .word("--log-format", \.logFormat, "Format of the log on standard error."),
        .word("--log-level", \.logLevel, "Minimum level of logged messages; default info."),
        .count(
          "--drain-delay-ms", \.drainDelayMilliseconds, 0...600_000,
          "After SIGTERM: time to keep serving while /readyz reports not ready."),
        .count(
          "--drain-limit-ms", \.drainLimitMilliseconds, 0...600_000,
          "After SIGTERM: time limit for open calls."),
        .word(
          "--ui", \.interface,
          "Display: a screen, a line per second, or JSON lines; auto: a screen on terminals."),
        .movedColor,
        .flag("--quiet", \.isQuiet, "Print errors only."),
      ],
      examples: [
        "flotilla collect",
        "flotilla collect --listen 0.0.0.0:7070 --token-file token.txt",
        "flotilla collect --admin 127.0.0.1:7071 --log-format json",
        "flotilla collect --web 127.0.0.1:8088",
        "flotilla collect --tls-cert server.pem --tls-key server.key --ticket-keys tickets.bin",
        "flotilla collect --store none",
        "flotilla collect --store postgresql://flotilla@db.example/fleet",
      ],
      start: CollectOptions(), body: body)
  }
}
