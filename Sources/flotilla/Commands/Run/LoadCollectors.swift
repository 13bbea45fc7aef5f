internal import Collector
internal import Commands
internal import Core
internal import Foundation
internal import Run
internal import Scenarios
internal import Uploads

/// The collectors of a `load`, existing or started, and the database server of their store.
struct LoadCollectors {
  private let options: LoadOptions
  private let scenario: Scenario
  /// The database server that the run has started; nil if it has started none.
  let database: PostgresCluster?

  /// Starts a database server, or connects to the server at the given URL, before the simulation.
  /// `folder` is nil in all processes of a run but the first.
  init(_ options: LoadOptions, _ scenario: Scenario, _ folder: RunFolder?) throws {
    self.options = options
    self.scenario = scenario
    let settings = scenario.collector
    if let address = options.collector {
      guard settings.count == 1 else {
        throw CommandError(
          exit: .usage,
          message: "--collector \(address) uses a running collector, "
            + "but collector.count=\(settings.count) starts new ones; remove one of the two.")
      }
    }
    guard let folder, options.collector == nil, settings.store == .postgresql else {
      database = nil
      return
    }
    guard let url = settings.url else {
      database = try Self.started(
        in: scenario.run.state.map { "\($0)/postgresql" } ?? folder.path("postgresql"))
      return
    }
    database = nil
    try PostgresAddress(url)?.probe()
  }

  static func started(in folder: String) throws -> PostgresCluster {
    let cluster = try PostgresCluster(folder: folder)
    try cluster.start()
    return cluster
  }

  func target(
    _ folder: RunFolder, _ secrets: LoadTLS.Secrets?, program: String
  ) throws -> LoadRun.Target {
    if let address = options.collector {
      return .existing(
        [address], token: try scenario.run.tokenFile.map(CollectCommand.token))
    }
    let settings = scenario.collector
    // A resumed fleet uses the store of its earlier run.
    let path =
      scenario.run.state.map { "\($0)/collector.sqlite" } ?? folder.path("collector.sqlite")
    let store = StoreAddress(
      settings.store, path: path, url: settings.url ?? database?.url())
    var arguments = ["collect"] + store.arguments
    arguments += [
      "--group-delay-ms", "\(settings.groupDelay.microseconds / 1_000)", "--with-parent",
      "--ui", "none",
    ]
    if let dictionary = scenario.run.dictionary { arguments += ["--dictionary", dictionary] }
    if let secrets { arguments += secrets.arguments }
    return .children(
      (1...settings.count).map { number in
        ChildCollector.Command(
          executable: program, arguments: arguments,
          logFile: folder.path(number == 1 ? "collector.log" : "collector-\(number).log"))
      })
  }
}
