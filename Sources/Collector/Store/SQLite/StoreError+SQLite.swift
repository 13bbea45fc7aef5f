internal import CSQLite
internal import Foundation

extension StoreError {
  static func of(
    _ code: Int32, path: String, detail: String, systemError: Int32 = 0
  ) -> StoreError {
    // A file beyond a quota or a size limit is treated as a full disk.
    if code & 0xFF == SQLITE_IOERR, [EFBIG, EDQUOT, ENOSPC].contains(systemError) {
      return .diskFull(path: path)
    }
    return switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: .inUse(path: path)
    case SQLITE_FULL: .diskFull(path: path)
    case SQLITE_READONLY, SQLITE_PERM: .readOnly(path: path)
    case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(path: path, detail: detail)
    case SQLITE_CANTOPEN: .cannotOpen(path: path, detail: detail)
    default: .failed(path: path, reason: "SQLite error \(code): \(detail)")
    }
  }
}
