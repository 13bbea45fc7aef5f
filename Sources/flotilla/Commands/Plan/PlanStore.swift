internal import Collector
internal import Commands
internal import Foundation
internal import Run
internal import Scenarios
internal import Uploads

enum PlanStore: Equatable {
  case file
  case server
  case database(String)

  static let words = "sqlite|postgresql|postgresql://…"

  init?(_ text: String) {
    switch text {
    case CollectorSettings.Store.sqlite.rawValue: self = .file
    case CollectorSettings.Store.postgresql.rawValue: self = .server
    default:
      guard PostgresAddress(text) != nil else { return nil }
      self = .database(text)
    }
  }

  /// Creates the store of a scenario. A collector without a store cannot be planned.
  init(_ settings: CollectorSettings) {
    switch settings.store {
    case .none, .sqlite: self = .file
    case .postgresql: self = settings.url.map { .database($0) } ?? .server
    }
  }
}

struct PlanTrialStore {
  let trials: TrialStore
  private let server: PostgresCluster?
  private let folder: URL?

  init(_ store: PlanStore, in folder: RunFolder) throws {
    switch store {
    case .file:
      (trials, server, self.folder) = (.file(folder.path("store.sqlite")), nil, nil)
    case .database(let url):
      (trials, server, self.folder) = (try Self.given(url), nil, nil)
    case .server:
      let path = folder.path("postgresql")
      let server = try LoadCollectors.started(in: path)
      guard let address = PostgresAddress(server.url()) else {
        throw CommandError(
          exit: .cannotListenOrWrite, message: "\(server.url()): is not the URL of a database.")
      }
      trials = .database(address, server: server)
      (self.server, self.folder) = (server, URL(fileURLWithPath: path))
    }
  }

  /// Throws for an unusable or used database, because a trial begins with an empty database.
  static func given(_ url: String) throws -> TrialStore {
    guard let address = PostgresAddress(url) else {
      throw CommandError(exit: .badInput, message: "\(url): is not the URL of a database.")
    }
    let isTaken = try address.holdsStore()
    if !isTaken { try address.probe() }
    guard !isTaken else {
      throw CommandError(
        exit: .badInput,
        message: "\(address.name): contains a collector's store, which every trial would empty. "
          + "Give a database without the schema flotilla.")
    }
    return .database(address, server: nil)
  }

  func close() {
    // A failure is reported by the next plan with this database.
    try? trials.empty()
    server?.stop()
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }
}
