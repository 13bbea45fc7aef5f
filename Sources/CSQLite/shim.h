// SQLite as it is. Blobs are bound with a nil destructor (SQLITE_STATIC, a macro Swift cannot see
// as a function pointer), because they outlive the step that reads them.
#pragma once
#include <sqlite3.h>

// A variadic function, which Swift cannot call: leaves the write-ahead log where it is at close, so
// that who only reads a store changes nothing of it.
static inline int flotilla_sqlite_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
