internal import Core
internal import Collector
internal import Commands
internal import Figures
internal import Foundation
internal import Report

enum CollectCommand {
  static var command: Command { CollectOptions.command(run) }

  private static func run(_ options: CollectOptions, _ console: Console) throws -> ExitCode {
    var configuration = CollectorConfiguration(store: try store(options))
    if let address = options.listen {
      configuration.host = address.host
      configuration.port = UInt16(address.port)
    }
    configuration.groupDelay = .milliseconds(Int64(options.groupDelayMilliseconds))
    configuration.admission.target = .milliseconds(Int64(options.queueDelayMilliseconds))
    configuration.token = try options.tokenFile.map(token)
    configuration.tls = try tlsFiles(options)
    configuration.dictionary = try options.dictionary.map(DictionaryFile.read)
    configuration.admin = options.admin
    configuration.drainDelay = .milliseconds(Int64(options.drainDelayMilliseconds))
    configuration.drainLimit = .milliseconds(Int64(options.drainLimitMilliseconds))
    configuration.version = ProgramVersion.text
    configuration.processID = Int(ProcessInfo.processInfo.processIdentifier)
    configuration.log = CollectorLog(
      level: options.isQuiet ? .error : options.logLevel, format: options.logFormat,
      now: UnixInstant.now, write: { console.printError($0) })
    if let path = options.tokenFile, isReadableByOthers(path) {
      configuration.log(
        .warning, "token.exposed",
        ["file": .text(path), "reason": "other users can read the file; run 'chmod 600'"])
    }
    let web = try LiveWeb.open(
      options.web,
      LivePage(
        Snapshot(
          source: .collect, name: "no run yet",
          detail: "\(Endpoint(host: configuration.host, port: configuration.port))")), console)
    do throws(CollectorError) { return try serve(configuration, options, web, console) } catch {
      configuration.log.flush()
      throw CommandError(exit: exit(error), message: error.description)
    }
  }

  private static func exit(_ error: CollectorError) -> ExitCode {
    switch error {
    case .tls: .badInput
    case .store, .transport, .badToken, .tokenNeeded: .cannotListenOrWrite
    }
  }

  private static func serve(
    _ configuration: CollectorConfiguration, _ options: CollectOptions, _ web: LiveWeb?,
    _ console: Console
  ) throws(CollectorError) -> ExitCode {
    let server = try CollectorServer(configuration)
    // Only the run that started the collector keeps standard input open.
    if options.endsWithParent { ParentWatch.begin { server.stop("parent process ended") } }
    let display = CollectDisplay(server, options, web: web, console)
    defer { display.close() }
    let host = configuration.host
    // `interruption` is kept to the end, because a second signal may arrive during the first.
    let interruption = Interruption(
      console,
      announce: { server.stop($0) },
      leave: {
        // Acknowledged batches are durable. Only the terminal must be restored.
        display.close()
        console.leave(.interrupted)
      })
    let reload = configuration.tls.map { _ in ReloadSignal { server.reloadCertificates() } }
    try server.run { port in
      display.begin(
        address: "\(Endpoint(host: host, port: port))",
        admin: server.adminPort.map {
          "\(Endpoint(host: options.admin?.host ?? host, port: $0))"
        })
    }
    withExtendedLifetime((interruption, reload)) {}
    return .pass
  }

  private static func store(_ options: CollectOptions) throws -> StoreAddress {
    let store = options.storeAddress
    guard let files = store.files else { return store }
    let folder = URL(fileURLWithPath: files.path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandError(
        exit: .cannotListenOrWrite,
        message: "\(folder.path): cannot be created (\(FileErrorText.reason(error))).")
    }
    return store
  }

  /// Returns the first line of a file. A token in a file is not visible on the command line.
  static func token(_ path: String) throws -> String {
    let text: String
    do throws(InputFileError) {
      text = try InputFile(path, bytesMax: 1 << 16, isRegular: false).text()
    } catch {
      throw CommandError(exit: .badInput, message: "\(path): \(error.text)")
    }
    guard let line = text.split(separator: "\n").first else {
      throw CommandError(exit: .badInput, message: "\(path): the first line has no token.")
    }
    return String(line)
  }

  private static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & (S_IRGRP | S_IROTH) != 0
  }
}
