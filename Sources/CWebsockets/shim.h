#pragma once
#include <libwebsockets.h>
#include <sys/resource.h>

typedef int (*flotilla_ws_callback)(struct lws *, enum lws_callback_reasons, void *, void *, size_t);

enum { flotilla_ws_room = LWS_PRE };

// Makes a context without a listener, served by a libuv loop of the caller through the plug-in
// libwebsockets-evlib-uv. `protocols` has two entries and outlives the context.
static inline struct lws_context *flotilla_ws_context(void *loop, struct lws_protocols *protocols,
                                                      flotilla_ws_callback callback, void *owner) {
  lws_set_log_level(0, NULL);
  memset(protocols, 0, 2 * sizeof *protocols);
  protocols[0].name = "flotilla";
  protocols[0].callback = callback;
  struct lws_context_creation_info info = {0};
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.protocols = protocols;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                 LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN;
  // Room for the headers of a request.
  info.pt_serv_buf_size = 16384;
  // libwebsockets allocates 16 bytes for each permitted descriptor: 16 GB if a container permits a
  // billion. A lower limit here makes it search its descriptors one by one (60 us of CPU for each
  // connection), so it is set only where the process may open more than a million.
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 1 << 20)
    info.fd_limit_per_thread = 1 << 17;
  info.foreign_loops = &loop;
  info.user = owner;
  return lws_create_context(&info);
}

// A host of client connections; `tls` is an SSL_CTX, or NULL for connections without TLS.
static inline struct lws_vhost *flotilla_ws_host(struct lws_context *context,
                                                 struct lws_protocols *protocols, void *tls) {
  struct lws_context_creation_info info = {0};
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.protocols = protocols;
  info.vhost_name = "flotilla";
  info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  info.provided_client_ssl_ctx = tls;
  return lws_create_vhost(context, &info);
}

// Begins to connect to a numeric address. libwebsockets neither checks the certificate's name nor
// follows redirects. `number` identifies the connection in callbacks.
static inline struct lws *flotilla_ws_connect(struct lws_context *context, struct lws_vhost *vhost,
                                              const char *address, int port, int is_secured,
                                              const char *host, const char *path,
                                              const char *subprotocol, const lws_retry_bo_t *idle,
                                              uintptr_t number) {
  struct lws_client_connect_info info = {0};
  info.context = context;
  info.vhost = vhost;
  info.address = address;
  info.port = port;
  info.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
  if (is_secured) {
    info.ssl_connection |= LCCSCF_USE_SSL | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK;
    info.alpn = "http/1.1";
  }
  info.host = host;
  info.path = path;
  info.protocol = *subprotocol ? subprotocol : NULL;
  info.local_protocol_name = "flotilla";
  info.retry_and_idle_policy = idle;
  info.userdata = (void *)number;
  return lws_client_connect_via_info(&info);
}
