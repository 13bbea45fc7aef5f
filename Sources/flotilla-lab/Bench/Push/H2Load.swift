internal import Foundation

/// nghttp2's load generator on the first core, with concurrent streams in a closed loop.
struct H2Load {
  static let path = "/usr/bin/h2load"

  var connections = 10
  var streams = 100
  var seconds: Int
  /// The header fields of each request, as `name: value`.
  var fields: [String] = []

  struct Figures: Equatable {
    var perSecond: Double
    var succeeded: Int
    /// The responses with a status other than 2xx, and missing responses.
    var failed: Int

    /// Parses "finished in 4.00s, 43700.00 req/s, …" and "requests: … 131100 done, 130587
    /// succeeded, …"; nil for other text.
    init?(_ text: String) {
      let words = text.split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == "," })
      func figure(before word: Substring) -> Double? {
        zip(words, words.dropFirst()).first { $0.1 == word }.flatMap { Double($0.0) }
      }
      guard let rate = figure(before: "req/s"), let done = figure(before: "done"),
        let succeeded = figure(before: "succeeded"), done > 0
      else { return nil }
      // Subtracts rejected requests, which "done" includes.
      perSecond = rate * succeeded / done
      self.succeeded = Int(succeeded)
      failed = Int(done - succeeded)
    }
  }

  /// - Parameter targets: A file of URLs that each connection requests in order, with `body`.
  func run(targets: String, body: String) throws(ProgramError) -> Figures {
    let words =
      ["-i", targets, "-d", body, "-c", "\(connections)", "-m", "\(streams)"]
      + ["-D", "\(seconds)", "--warm-up-time=1"] + fields.flatMap { ["-H", $0] }
    return try Process.result(of: Self.path, words, core: 0, name: "h2load") { Figures($0) }
  }
}
