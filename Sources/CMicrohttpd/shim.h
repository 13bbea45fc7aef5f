#pragma once
#include <microhttpd.h>

// MHD_start_daemon is variadic, which Swift cannot call; these are all the options used. The daemon
// closes the socket in any case. NULL: no thread, no memory, or an invalid socket.
static inline struct MHD_Daemon *_Nullable flotilla_http_start(
    int listening, unsigned int connections_max, unsigned int idle_seconds, size_t header_bytes_max,
    int can_suspend, MHD_AccessHandlerCallback _Nonnull handler, void *_Nonnull closure,
    MHD_NotifyConnectionCallback _Nullable notified, void *_Nullable notified_closure) {
  return MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD |
          (can_suspend ? MHD_ALLOW_SUSPEND_RESUME : 0),
      0, NULL, NULL, handler, closure,
      MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT, connections_max,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      header_bytes_max, MHD_OPTION_NOTIFY_CONNECTION, notified, notified_closure,
      MHD_OPTION_END);
}

// The same for MHD_get_connection_info. -1 if it has no socket.
static inline int flotilla_admin_socket(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}
