/// Why a store cannot be opened, or a batch not made durable, which is then not acknowledged.
package enum StoreError: Error, Equatable, Sendable {
  case inUse(path: String)
  case diskFull(path: String)
  case readOnly(path: String)
  case corrupt(path: String, detail: String)
  /// Its pages are intact, but not their contents.
  case damaged(path: String, detail: String)
  /// The open file was deleted, moved or replaced.
  case moved(path: String)
  /// The batches need a dictionary that was not given.
  case otherDictionary(path: String, detail: String)
  case cannotOpen(path: String, detail: String)
  /// No file, an empty one, or another program's.
  case noStore(path: String, detail: String)
  case noPhone(path: String, phone: UInt32)
  case otherSchema(path: String, found: Int, wanted: Int)
  case otherRun(path: String, found: String, wanted: String)
  /// The database cannot be reached, or rejects the login.
  case unreachable(store: String, detail: String)
  /// No permission to create or write its tables.
  case noRight(store: String, detail: String)
  /// Others use the tables for longer than this program waits.
  case busy(store: String)
  case noConnection(store: String, detail: String)
  /// A pooler hands each transaction to another session.
  case pooled(store: String, detail: String)
  case failed(path: String, reason: String)
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .inUse(let path):
      "\(path): another process (a collector, verify, export) has this store open. "
        + "Wait for its end or stop it, or name another file."
    case .diskFull(let path):
      "\(path): the disk is full. Nothing more is acknowledged until there is space."
    case .readOnly(let path):
      "\(path): the store cannot be written. Check the permissions of the file and its folder."
    case .corrupt(let path, let detail):
      "\(path): this is no intact store (\(detail)). "
        + "Move it away to begin a new one."
    case .damaged(let path, let detail):
      "\(path): this store is damaged (\(detail)). `flotilla verify` says what is wrong; "
        + "move it away to begin a new one."
    case .moved(let path):
      "\(path): the file was deleted, moved or replaced while its collector ran. What was stored "
        + "is in no file of this name; leave a store where it is until its collector has ended."
    case .otherDictionary(let path, let detail):
      "\(path): \(detail). Start the collector with the --dictionary that it had."
    case .cannotOpen(let path, let detail):
      "\(path): cannot be opened (\(detail)). Check that its folder exists and may be written."
    case .noStore(let path, let detail):
      "\(path): this is no store of a collector (\(detail)). Name the store's file."
    case .noPhone(let path, let phone):
      "\(path): holds no fix of phone \(phone). Leave --phone out to see which phones there are."
    case .otherSchema(let path, let found, let wanted):
      "\(path): written with schema \(found), this program has \(wanted). Use another store."
    case .otherRun(let path, let found, let wanted):
      "\(path): holds run '\(found)', not '\(wanted)'. One store holds one run; use another one."
    case .unreachable(let store, let detail):
      "\(store): cannot be reached (\(detail)). "
        + "Check that the server runs, the address, the user and the password."
    case .noRight(let store, let detail):
      "\(store): its user may not do this (\(detail)). "
        + "Grant CREATE on the database, or name another user; where its tables are there already, "
        + "the user has to be their owner, or a member of the owner's role."
    case .busy(let store):
      "\(store): its tables are in use (a verify or an export reads them). Wait for its end."
    case .noConnection(let store, let detail):
      "\(store): has no connection left (\(detail)). A collector needs two, and one for each of "
        + "--store-connections. Raise max_connections (or the limit of the role, the database or "
        + "the pooler), end other clients, or lower --store-connections."
    case .pooled(let store, let detail):
      "\(store): a pooler such as pgbouncer hands each transaction to another session (\(detail)), "
        + "and a store needs sessions of its own. Name the address of PostgreSQL itself, or set "
        + "pool_mode = session for this database."
    case .failed(let path, let reason):
      "\(path): \(reason)."
    }
  }
}

extension StoreError {
  /// Whether the store was unreachable, which tells nothing about its contents.
  package var isOfAccess: Bool {
    switch self {
    case .inUse, .unreachable, .noRight, .busy, .noConnection, .pooled: true
    case .diskFull, .readOnly, .corrupt, .damaged, .moved, .otherDictionary, .cannotOpen, .noStore,
      .noPhone, .otherSchema, .otherRun, .failed:
      false
    }
  }
}
