/// Why a store cannot be opened, or why a batch is not durable and so not acknowledged.
package enum StoreError: Error, Equatable, Sendable {
  case inUse(path: String)
  case diskFull(path: String)
  case readOnly(path: String)
  case corrupt(path: String, detail: String)
  /// The store's pages are intact, but not their contents.
  case damaged(path: String, detail: String)
  /// The open file was deleted, moved or replaced.
  case moved(path: String)
  /// The batches need a dictionary that this program was not given.
  case otherDictionary(path: String, detail: String)
  case cannotOpen(path: String, detail: String)
  /// There is no file, the file is empty, or another program made it.
  case noStore(path: String, detail: String)
  case noPhone(path: String, phone: UInt32)
  case otherSchema(path: String, found: Int, wanted: Int)
  case otherRun(path: String, found: String, wanted: String)
  /// The database cannot be reached, or rejects the login.
  case unreachable(store: String, detail: String)
  /// The user may not create or write the store's tables.
  case noRight(store: String, detail: String)
  /// Other processes use the tables for longer than this program waits.
  case busy(store: String)
  case noConnection(store: String, detail: String)
  /// A connection pooler shares the database's sessions between clients.
  case pooled(store: String, detail: String)
  case failed(path: String, reason: String)
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .inUse(let path):
      "\(path): another process (a collector, verify, export) has this store open. "
        + "Stop it, wait for it, or use another file."
    case .diskFull(let path):
      "\(path): the disk is full. Uploads are not acknowledged until there is space."
    case .readOnly(let path):
      "\(path): the store cannot be written. Check the permissions of the file and its folder."
    case .corrupt(let path, let detail):
      "\(path): the store is corrupt (\(detail)). "
        + "Move it away to start a new one."
    case .damaged(let path, let detail):
      "\(path): the store is damaged (\(detail)). Run 'flotilla verify' for details, "
        + "or move it away to start a new one."
    case .moved(let path):
      "\(path): the file was deleted, moved or replaced while its collector ran; its data is no "
        + "longer in this file. Do not move a store while its collector runs."
    case .otherDictionary(let path, let detail):
      "\(path): \(detail). Start the collector with the same --dictionary as before."
    case .cannotOpen(let path, let detail):
      "\(path): cannot be opened (\(detail)). Check that its folder exists and is writable."
    case .noStore(let path, let detail):
      "\(path): not a collector's store (\(detail)). Give the store's file."
    case .noPhone(let path, let phone):
      "\(path): has no fix of phone \(phone). Omit --phone to see all phones."
    case .otherSchema(let path, let found, let wanted):
      "\(path): has schema \(found), this program needs \(wanted). Use another store."
    case .otherRun(let path, let found, let wanted):
      "\(path): holds run '\(found)', not '\(wanted)'. A store holds one run; use another store."
    case .unreachable(let store, let detail):
      "\(store): cannot be reached (\(detail)). "
        + "Check the server, the address, the user and the password."
    case .noRight(let store, let detail):
      "\(store): permission denied (\(detail)). "
        + "Grant CREATE on the database, or use another user; if the tables already exist, "
        + "the user must be their owner or a member of the owner's role."
    case .busy(let store):
      "\(store): its tables are in use (verify or export is reading them). Wait until it ends."
    case .noConnection(let store, let detail):
      "\(store): has no free connection (\(detail)). A collector needs --store-connections + 2. "
        + "Raise max_connections (or the limit of the role, the database or "
        + "the pooler), stop other clients, or lower --store-connections."
    case .pooled(let store, let detail):
      "\(store): a pooler such as pgbouncer shares sessions between clients (\(detail)), "
        + "but a store needs dedicated sessions. Use the address of PostgreSQL itself, or set "
        + "pool_mode = session for this database."
    case .failed(let path, let reason):
      "\(path): \(reason)."
    }
  }
}

extension StoreError {
  /// Whether the store could not be reached or used, which says nothing about its contents.
  package var isOfAccess: Bool {
    switch self {
    case .inUse, .unreachable, .noRight, .busy, .noConnection, .pooled: true
    case .diskFull, .readOnly, .corrupt, .damaged, .moved, .otherDictionary, .cannotOpen, .noStore,
      .noPhone, .otherSchema, .otherRun, .failed:
      false
    }
  }
}
