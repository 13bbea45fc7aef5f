// SQLite as it is. Blobs are bound with a nil destructor (SQLITE_STATIC, a macro Swift cannot see
// as a function pointer), because they outlive the step that reads them.
#pragma once
#include <sqlite3.h>

// A variadic function, which Swift cannot call: leaves the write-ahead log in place at close, so
// that reading a store does not change it.
static inline int flotilla_sqlite_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Whether the open file is no longer the one at its path.
static inline int flotilla_sqlite_has_moved(sqlite3 *database) {
  int moved = 0;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}
