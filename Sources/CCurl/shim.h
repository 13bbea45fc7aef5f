#pragma once
// curl_easy_setopt's argument checks are macros, which Swift does not import.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// curl_easy_setopt, curl_easy_getinfo, curl_multi_setopt and curl_share_setopt are variadic, which
// Swift cannot call: one function per argument type.

static inline CURLcode flotilla_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

// libcurl copies strings; NULL sets its default.
static inline CURLcode flotilla_curl_set_text(CURL *easy, CURLoption option,
                                              const char *_Nullable text) {
  return curl_easy_setopt(easy, option, text);
}

static inline CURLcode flotilla_curl_set_pointer(CURL *easy, CURLoption option,
                                                 const void *_Nullable pointer) {
  return curl_easy_setopt(easy, option, pointer);
}

static inline CURLcode flotilla_curl_set_size(CURL *easy, CURLoption option, long long size) {
  return curl_easy_setopt(easy, option, (curl_off_t)size);
}

// libcurl copies the bytes.
static inline CURLcode flotilla_curl_set_blob(CURL *easy, CURLoption option, const void *bytes,
                                              size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(easy, option, count > 0 ? &blob : NULL);
}

static inline long flotilla_curl_long(CURL *easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline long long flotilla_curl_size(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline void *_Nullable flotilla_curl_owner(CURL *easy) {
  void *owner = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
  return owner;
}

// The OpenSSL handle of the connection in use; NULL for plaintext. Only while a transfer runs.
static inline void *_Nullable flotilla_curl_ssl(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session);
  return session && session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

typedef size_t (*flotilla_curl_take)(char *_Nullable bytes, size_t size, size_t count,
                                     void *_Nullable owner);

// Options common to every request of this program. `owner` takes the answer, `sockets` opens and
// closes the descriptors.
static inline void flotilla_curl_prepare(CURL *easy, void *owner, char *error,
                                         flotilla_curl_take head, flotilla_curl_take body,
                                         curl_opensocket_callback open_socket, void *sockets,
                                         curl_closesocket_callback close_socket) {
  curl_easy_setopt(easy, CURLOPT_PRIVATE, owner);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, owner);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, owner);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, owner);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, sockets);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
  // A transfer that ends during name resolution does not wait for the resolver thread.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
  // A load generator ignores the environment's proxy.
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  // With a CA folder in addition to the file, libcurl would read the file for every connection.
  curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
  // A second request over HTTP/2 waits for the connection that the first opens.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
}

// `begins` is called whenever a request is about to be written: once, unless libcurl resends it.
static inline void flotilla_curl_watch_requests(CURL *easy, void *owner,
                                                curl_prereq_callback begins) {
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, owner);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, begins);
}

// `remark` takes libcurl's own log lines, which name HTTP/2 streams that the server has not
// processed.
static inline void flotilla_curl_watch_remarks(CURL *easy, void *owner,
                                               curl_debug_callback remark) {
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, owner);
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, remark);
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

// For requests that never get a connection: closed connections of a share are pruned when a request
// needs one.
static inline void flotilla_curl_prepare_sweep(CURL *easy,
                                               curl_opensocket_callback open_socket) {
  curl_easy_setopt(easy, CURLOPT_URL, "http://127.0.0.1:9/");
  curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
}

// For bodies that are not sent in one piece with the header.
static inline void flotilla_curl_watch_progress(CURL *easy, void *owner,
                                                curl_xferinfo_callback progress) {
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, owner);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
}

static inline void flotilla_curl_prepare_multi(CURLM *multi, void *owner,
                                               curl_socket_callback watch,
                                               curl_multi_timer_callback set_timer) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, owner);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, owner);
}

static inline int flotilla_curl_share(CURLSH *share, curl_lock_data kind) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, kind) == CURLSHE_OK;
}

// The next transfer that has ended; NULL if there is none.
static inline CURL *_Nullable flotilla_curl_ended(CURLM *multi, CURLcode *code) {
  int left = 0;
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

// A number that no other open socket has; 0 if `fd` is not open.
static inline uint64_t flotilla_curl_socket_identity(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

// A socket for a connection; -errno on failure.
static inline int flotilla_curl_socket(const struct curl_sockaddr *address) {
  int fd = socket(address->family, address->socktype, address->protocol);
  if (fd < 0) return -errno;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
}
