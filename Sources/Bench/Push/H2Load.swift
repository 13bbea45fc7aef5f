internal import Figures
internal import Foundation
internal import Uploads

/// nghttp2's own generator of load, on the first core: so many connections with so many streams
/// each, as fast as they are answered.
struct H2Load {
  /// Where packages put it.
  static let path = "/usr/bin/h2load"

  var connections = 10
  var streams = 100
  var seconds: Int
  /// `name: value` of each request.
  var fields: [String] = []

  /// What it counts once it is warm.
  struct Figures: Equatable {
    var perSecond: Double
    var succeeded: Int
    /// Answered with another status than 2xx, or not at all.
    var failed: Int

    /// From "finished in 4.00s, 43700.00 req/s, …" and "requests: … 131100 done, 130587 succeeded,
    /// …"; nil: it says no such thing.
    init?(_ text: String) {
      let words = text.split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == "," })
      func figure(before word: Substring) -> Double? {
        zip(words, words.dropFirst()).first { $0.1 == word }.flatMap { Double($0.0) }
      }
      guard let rate = figure(before: "req/s"), let done = figure(before: "done"),
        let succeeded = figure(before: "succeeded"), done > 0
      else { return nil }
      // Those that were refused are counted as done.
      perSecond = rate * succeeded / done
      self.succeeded = Int(succeeded)
      failed = Int(done - succeeded)
    }
  }

  /// - Parameters:
  ///   - targets: a file of addresses, a line each, which every connection asks in turn.
  ///   - body: a file, which every request carries.
  func run(targets: String, body: String) throws(ProgramError) -> Figures {
    let words =
      ["-i", targets, "-d", body, "-c", "\(connections)", "-m", "\(streams)"]
      + ["-D", "\(seconds)", "--warm-up-time=1"] + fields.flatMap { ["-H", $0] }
    return try Process.result(of: Self.path, words, core: 0, name: "h2load") { Figures($0) }
  }
}
