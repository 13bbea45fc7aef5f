// SQLite as it is. Blobs are bound with a nil destructor (SQLITE_STATIC, a macro Swift cannot see
// as a function pointer), because they outlive the step that reads them.
#pragma once
#include <sqlite3.h>
