internal import Measure
internal import Scenarios
internal import Collector
internal import Foundation
internal import SimulationCore
internal import Transport

/// `flotilla collect`: a collector of its own.
enum CollectCommand {
  static var command: Command { CollectOptions.command(run) }

  private static func run(_ options: CollectOptions, _ console: Console) throws -> ExitCode {
    var configuration = CollectorConfiguration(store: try store(options))
    if let address = options.listen {
      configuration.host = address.host
      configuration.port = UInt16(address.port)
    }
    configuration.groupDelay = .milliseconds(Int64(options.groupDelayMilliseconds))
    configuration.token = try options.tokenFile.map(token)
    let host = configuration.host
    do throws(CollectorError) {
      let server = try CollectorServer(configuration)
      if options.endsWithParent { endWithParent(server) }
      let display = CollectDisplay(server, options, console)
      defer { display.close() }
      try server.run { port in display.begin(address: "\(host):\(port)") }
      return .pass
    } catch {
      throw Failure(exit: .cannotListenOrWrite, message: error.description)
    }
  }

  private static func store(_ options: CollectOptions) throws -> CollectorConfiguration.Store {
    switch options.store {
    case .none: return .none
    case .sqlite:
      let path = options.storePath ?? "runs/collector.sqlite"
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      } catch {
        throw Failure(
          exit: .cannotListenOrWrite,
          message: "\(folder.path): cannot be made (\(FileTrouble.reason(error))).")
      }
      return .sqlite(path: path)
    }
  }

  /// The first line of a file, so that no secret stands on a command line.
  static func token(_ path: String) throws -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      let line = text.split(separator: "\n").first, !line.isEmpty
    else {
      throw Failure(exit: .badInput, message: "\(path): holds no token in its first line.")
    }
    return String(line)
  }

  /// A collector that a run started ends when the run does, however that ended: its standard
  /// input is a pipe that only the run holds open.
  private static func endWithParent(_ server: CollectorServer) {
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      server.stop()
    }
  }
}
