#pragma once
// The part of libpq, PostgreSQL's client library, that the collector calls. It is loaded when a
// store needs it: a machine without it builds and runs everything else, so neither its headers nor
// its library may be named here. The declarations follow libpq's interface, unchanged since
// PostgreSQL 14 (https://www.postgresql.org/docs/current/libpq.html).
#include <stddef.h>

typedef struct flotilla_pg_connection flotilla_pg_connection;
typedef struct flotilla_pg_result flotilla_pg_result;

// Values of ConnStatusType, ExecStatusType and the fields of an error.
enum { FLOTILLA_PG_CONNECTION_OK = 0 };
enum {
  FLOTILLA_PG_COMMAND_OK = 1,
  FLOTILLA_PG_TUPLES_OK = 2,
  FLOTILLA_PG_PIPELINE_SYNC = 10,
  FLOTILLA_PG_PIPELINE_ABORTED = 11,
};
enum { FLOTILLA_PG_SQLSTATE = 'C', FLOTILLA_PG_MESSAGE = 'M' };

// Loads the library. Returns NULL if it can be used, or the reason why not. Any thread; the first
// call decides.
const char *flotilla_pg_load(void);

// Call everything below only after a successful load.
flotilla_pg_connection *flotilla_pg_connect(const char *const *keywords, const char *const *values);
// Drops the server's notices, which libpq would print.
void flotilla_pg_silence(flotilla_pg_connection *connection);
int flotilla_pg_status(const flotilla_pg_connection *connection);
const char *flotilla_pg_error(const flotilla_pg_connection *connection);
void flotilla_pg_finish(flotilla_pg_connection *connection);
int flotilla_pg_socket(const flotilla_pg_connection *connection);
int flotilla_pg_server_version(const flotilla_pg_connection *connection);
// The server process of this connection, as reported at connect.
int flotilla_pg_backend_pid(const flotilla_pg_connection *connection);
int flotilla_pg_set_nonblocking(flotilla_pg_connection *connection, int is_nonblocking);
int flotilla_pg_enter_pipeline(flotilla_pg_connection *connection);
int flotilla_pg_sync(flotilla_pg_connection *connection);
int flotilla_pg_flush(flotilla_pg_connection *connection);
int flotilla_pg_consume(flotilla_pg_connection *connection);
int flotilla_pg_is_busy(flotilla_pg_connection *connection);
flotilla_pg_result *flotilla_pg_next_result(flotilla_pg_connection *connection);

// One or more statements without parameters.
flotilla_pg_result *flotilla_pg_run(flotilla_pg_connection *connection, const char *sql);
flotilla_pg_result *flotilla_pg_query(flotilla_pg_connection *connection, const char *sql,
                                      int parameters, const char *const *values,
                                      const int *lengths, const int *formats);
flotilla_pg_result *flotilla_pg_prepare(flotilla_pg_connection *connection, const char *name,
                                        const char *sql);
int flotilla_pg_send(flotilla_pg_connection *connection, const char *sql);
int flotilla_pg_send_prepared(flotilla_pg_connection *connection, const char *name, int parameters,
                              const char *const *values, const int *lengths, const int *formats);

int flotilla_pg_result_status(const flotilla_pg_result *result);
// NULL if the result has no such field.
const char *flotilla_pg_result_field(const flotilla_pg_result *result, int field);
const char *flotilla_pg_result_message(const flotilla_pg_result *result);
int flotilla_pg_rows(const flotilla_pg_result *result);
int flotilla_pg_columns(const flotilla_pg_result *result);
const char *flotilla_pg_value(const flotilla_pg_result *result, int row, int column);
int flotilla_pg_length(const flotilla_pg_result *result, int row, int column);
int flotilla_pg_is_null(const flotilla_pg_result *result, int row, int column);
void flotilla_pg_clear(flotilla_pg_result *result);
