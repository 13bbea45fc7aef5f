internal import CCurl

/// Owns one easy handle of libcurl, for one request at a time.
struct EasyHandle: ~Copyable {
  let raw: UnsafeMutableRawPointer

  init() {
    // The call fails only without memory.
    guard let raw = curl_easy_init() else { fatalError("libcurl: cannot make a handle") }
    self.raw = raw
  }

  deinit { curl_easy_cleanup(raw) }

  func set(_ option: CURLoption, _ value: Int) { check(flotilla_curl_set_long(raw, option, value)) }

  /// Sets an option to a copy of `text`, or to libcurl's default if `text` is nil.
  func set(_ option: CURLoption, text: String?) {
    check(flotilla_curl_set_text(raw, option, text))
  }

  func set(_ option: CURLoption, pointer: UnsafeRawPointer?) {
    check(flotilla_curl_set_pointer(raw, option, pointer))
  }

  func set(_ option: CURLoption, size: Int) {
    check(flotilla_curl_set_size(raw, option, Int64(size)))
  }

  /// Sets an option to a copy of `blob`, or to libcurl's default if `blob` is empty.
  func set(_ option: CURLoption, blob: [UInt8]) {
    check(flotilla_curl_set_blob(raw, option, blob, blob.count))
  }

  /// Traps if libcurl refuses an option, which means no memory, a bug or a missing option.
  private func check(_ code: CURLcode) {
    precondition(
      code == CURLE_OK,
      "libcurl refused an option: \(String(cString: curl_easy_strerror(code)))")
  }

  func long(_ info: CURLINFO) -> Int { flotilla_curl_long(raw, info) }
  func size(_ info: CURLINFO) -> Int64 { flotilla_curl_size(raw, info) }
}

/// Owns a multi handle, which drives one loop's transfers.
struct MultiHandle: ~Copyable {
  let raw: UnsafeMutableRawPointer

  /// The result of libcurl's initialisation, which is thread-safe and happens once.
  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  init() {
    guard Self.library == CURLE_OK, let raw = curl_multi_init() else {
      fatalError("libcurl: cannot make a multi handle")
    }
    self.raw = raw
  }

  deinit { curl_multi_cleanup(raw) }
}

/// Owns the kept connections or TLS sessions that the requests of one holder share. libcurl reuses
/// any open connection to the same host, so each holder has a separate share.
struct ShareHandle: ~Copyable {
  let raw: UnsafeMutableRawPointer

  init(keepsConnections: Bool) {
    guard let raw = curl_share_init() else { fatalError("libcurl: cannot make a share") }
    self.raw = raw
    var isTaken = flotilla_curl_share(raw, CURL_LOCK_DATA_SSL_SESSION) == 1
    if keepsConnections {
      isTaken = flotilla_curl_share(raw, CURL_LOCK_DATA_CONNECT) == 1 && isTaken
    }
    precondition(isTaken, "libcurl cannot share connections and sessions")
  }

  /// Releases the share, which no easy handle may use any more.
  deinit { curl_share_cleanup(raw) }
}

struct HeaderList: ~Copyable {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  init(_ lines: [String]) {
    for line in lines { first = curl_slist_append(first, line) }
  }

  deinit { curl_slist_free_all(first) }
}
