#include "flotilla_postgresql.h"

#include <dlfcn.h>
#include <pthread.h>

// The library's functions; set once by `load`, before anything else is called.
static struct {
  int (*PQstatus)(const flotilla_pg_connection *c);
  const char *(*PQerrorMessage)(const flotilla_pg_connection *c);
  void (*PQfinish)(flotilla_pg_connection *c);
  int (*PQsocket)(const flotilla_pg_connection *c);
  int (*PQserverVersion)(const flotilla_pg_connection *c);
  int (*PQbackendPID)(const flotilla_pg_connection *c);
  int (*PQsetnonblocking)(flotilla_pg_connection *c, int is);
  int (*PQenterPipelineMode)(flotilla_pg_connection *c);
  int (*PQpipelineSync)(flotilla_pg_connection *c);
  int (*PQflush)(flotilla_pg_connection *c);
  int (*PQconsumeInput)(flotilla_pg_connection *c);
  int (*PQisBusy)(flotilla_pg_connection *c);
  flotilla_pg_result *(*PQgetResult)(flotilla_pg_connection *c);
  flotilla_pg_result *(*PQexec)(flotilla_pg_connection *c, const char *sql);
  int (*PQresultStatus)(const flotilla_pg_result *r);
  const char *(*PQresultErrorField)(const flotilla_pg_result *r, int field);
  const char *(*PQresultErrorMessage)(const flotilla_pg_result *r);
  int (*PQntuples)(const flotilla_pg_result *r);
  int (*PQnfields)(const flotilla_pg_result *r);
  const char *(*PQgetvalue)(const flotilla_pg_result *r, int row, int column);
  int (*PQgetlength)(const flotilla_pg_result *r, int row, int column);
  int (*PQgetisnull)(const flotilla_pg_result *r, int row, int column);
  void (*PQclear)(flotilla_pg_result *r);
  flotilla_pg_connection *(*PQconnectdbParams)(const char *const *, const char *const *, int);
  void *(*PQsetNoticeProcessor)(flotilla_pg_connection *, void (*)(void *, const char *), void *);
  flotilla_pg_result *(*PQexecParams)(flotilla_pg_connection *, const char *, int,
                                      const unsigned *, const char *const *, const int *,
                                      const int *, int);
  flotilla_pg_result *(*PQprepare)(flotilla_pg_connection *, const char *, const char *, int,
                                   const unsigned *);
  int (*PQsendQueryParams)(flotilla_pg_connection *, const char *, int, const unsigned *,
                           const char *const *, const int *, const int *, int);
  int (*PQsendQueryPrepared)(flotilla_pg_connection *, const char *, int, const char *const *,
                             const int *, const int *, int);
} pq;

static const char *problem = "it was not loaded";

static void load(void) {
#if defined(__APPLE__)
  const char *const names[] = {"libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
                               "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
  const char *const names[] = {"libpq.so.5"};
#endif
  void *library = NULL;
  for (size_t n = 0; n < sizeof names / sizeof *names && !library; n++) {
    library = dlopen(names[n], RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) {
    problem = "libpq is not installed on this machine";
    return;
  }
  // POSIX allows reading the address of a function through a pointer to an object.
#define FIND(name)                                       \
  *(void **)&pq.name = dlsym(library, #name);            \
  if (!pq.name) {                                        \
    problem = "libpq has no " #name "; 14 is the oldest that can be used"; \
    return;                                              \
  }
  FIND(PQstatus)
  FIND(PQerrorMessage)
  FIND(PQfinish)
  FIND(PQsocket)
  FIND(PQserverVersion)
  FIND(PQbackendPID)
  FIND(PQsetnonblocking)
  FIND(PQenterPipelineMode)
  FIND(PQpipelineSync)
  FIND(PQflush)
  FIND(PQconsumeInput)
  FIND(PQisBusy)
  FIND(PQgetResult)
  FIND(PQexec)
  FIND(PQresultStatus)
  FIND(PQresultErrorField)
  FIND(PQresultErrorMessage)
  FIND(PQntuples)
  FIND(PQnfields)
  FIND(PQgetvalue)
  FIND(PQgetlength)
  FIND(PQgetisnull)
  FIND(PQclear)
  FIND(PQconnectdbParams)
  FIND(PQsetNoticeProcessor)
  FIND(PQexecParams)
  FIND(PQprepare)
  FIND(PQsendQueryParams)
  FIND(PQsendQueryPrepared)
#undef FIND
  problem = NULL;
}

const char *flotilla_pg_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return problem;
}

flotilla_pg_connection *flotilla_pg_connect(const char *const *keywords,
                                            const char *const *values) {
  // 1: expand the address in `dbname`.
  return pq.PQconnectdbParams(keywords, values, 1);
}

static void drop(void *context, const char *message) {
  (void)context;
  (void)message;
}

void flotilla_pg_silence(flotilla_pg_connection *c) { pq.PQsetNoticeProcessor(c, drop, NULL); }

flotilla_pg_result *flotilla_pg_query(flotilla_pg_connection *c, const char *sql, int parameters,
                                      const char *const *values, const int *lengths,
                                      const int *formats) {
  return pq.PQexecParams(c, sql, parameters, NULL, values, lengths, formats, 1);
}

flotilla_pg_result *flotilla_pg_prepare(flotilla_pg_connection *c, const char *name,
                                        const char *sql) {
  return pq.PQprepare(c, name, sql, 0, NULL);
}

int flotilla_pg_send(flotilla_pg_connection *c, const char *sql) {
  return pq.PQsendQueryParams(c, sql, 0, NULL, NULL, NULL, NULL, 1);
}

int flotilla_pg_send_prepared(flotilla_pg_connection *c, const char *name, int parameters,
                              const char *const *values, const int *lengths, const int *formats) {
  return pq.PQsendQueryPrepared(c, name, parameters, values, lengths, formats, 1);
}

int flotilla_pg_status(const flotilla_pg_connection *c) { return pq.PQstatus(c); }
const char *flotilla_pg_error(const flotilla_pg_connection *c) { return pq.PQerrorMessage(c); }
void flotilla_pg_finish(flotilla_pg_connection *c) { pq.PQfinish(c); }
int flotilla_pg_socket(const flotilla_pg_connection *c) { return pq.PQsocket(c); }
int flotilla_pg_server_version(const flotilla_pg_connection *c) { return pq.PQserverVersion(c); }
int flotilla_pg_backend_pid(const flotilla_pg_connection *c) { return pq.PQbackendPID(c); }
int flotilla_pg_set_nonblocking(flotilla_pg_connection *c, int is) {
  return pq.PQsetnonblocking(c, is);
}
int flotilla_pg_enter_pipeline(flotilla_pg_connection *c) { return pq.PQenterPipelineMode(c); }
int flotilla_pg_sync(flotilla_pg_connection *c) { return pq.PQpipelineSync(c); }
int flotilla_pg_flush(flotilla_pg_connection *c) { return pq.PQflush(c); }
int flotilla_pg_consume(flotilla_pg_connection *c) { return pq.PQconsumeInput(c); }
int flotilla_pg_is_busy(flotilla_pg_connection *c) { return pq.PQisBusy(c); }
flotilla_pg_result *flotilla_pg_next_result(flotilla_pg_connection *c) { return pq.PQgetResult(c); }
flotilla_pg_result *flotilla_pg_run(flotilla_pg_connection *c, const char *sql) {
  return pq.PQexec(c, sql);
}
int flotilla_pg_result_status(const flotilla_pg_result *r) { return pq.PQresultStatus(r); }
const char *flotilla_pg_result_field(const flotilla_pg_result *r, int field) {
  return pq.PQresultErrorField(r, field);
}
const char *flotilla_pg_result_message(const flotilla_pg_result *r) {
  return pq.PQresultErrorMessage(r);
}
int flotilla_pg_rows(const flotilla_pg_result *r) { return pq.PQntuples(r); }
int flotilla_pg_columns(const flotilla_pg_result *r) { return pq.PQnfields(r); }
const char *flotilla_pg_value(const flotilla_pg_result *r, int row, int column) {
  return pq.PQgetvalue(r, row, column);
}
int flotilla_pg_length(const flotilla_pg_result *r, int row, int column) {
  return pq.PQgetlength(r, row, column);
}
int flotilla_pg_is_null(const flotilla_pg_result *r, int row, int column) {
  return pq.PQgetisnull(r, row, column);
}
void flotilla_pg_clear(flotilla_pg_result *r) { pq.PQclear(r); }
