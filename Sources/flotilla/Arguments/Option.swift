internal import Transport

/// One option of a command: how it is called, what it sets, what help says about it.
struct Option<Options> {
  /// With its dashes.
  let name: String
  /// nil: a flag without a value.
  let placeholder: String?
  let help: String
  let apply: (String, inout Options) throws(UsageError) -> Void

  static func flag(
    _ name: String, _ path: WritableKeyPath<Options, Bool>, _ help: String
  ) -> Option {
    Option(name: name, placeholder: nil, help: help) { _, options in options[keyPath: path] = true }
  }

  static func text(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, String?>, _ help: String
  ) -> Option {
    Option(name: name, placeholder: placeholder, help: help) { text, options in
      options[keyPath: path] = text
    }
  }

  static func count(
    _ name: String, _ path: WritableKeyPath<Options, Int>, _ range: ClosedRange<Int>,
    _ help: String
  ) -> Option {
    Option(name: name, placeholder: "N", help: help) { (text, options) throws(UsageError) in
      guard let number = Int(text), range.contains(number) else {
        throw .badValue(
          option: name, value: text,
          wanted: "a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      options[keyPath: path] = number
    }
  }

  static func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ path: WritableKeyPath<Options, Word>, _ help: String
  ) -> Option {
    let words = Word.allCases.map(\.rawValue)
    return Option(name: name, placeholder: words.joined(separator: "|"), help: help) {
      (text, options) throws(UsageError) in
      guard let word = Word(rawValue: text) else {
        throw .badValue(
          option: name, value: text, wanted: "one of \(words.joined(separator: ", "))")
      }
      options[keyPath: path] = word
    }
  }

  static func address(
    _ name: String, _ path: WritableKeyPath<Options, HostAndPort?>, _ help: String
  ) -> Option {
    Option(name: name, placeholder: "HOST:PORT", help: help) { (text, options) throws(UsageError) in
      guard let address = HostAndPort(text) else {
        throw .badValue(
          option: name, value: text, wanted: "HOST:PORT, such as 127.0.0.1:7070 or [::1]:7070")
      }
      options[keyPath: path] = address
    }
  }
}

/// Where a collector listens.
struct HostAndPort: Equatable, CustomStringConvertible {
  var host: String
  /// 0 lets the system choose.
  var port: UInt16

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// As options have it.
  var description: String { Endpoint(host: host, port: port).description }

  /// `127.0.0.1:7070`, `collector.local:7070`, `[::1]:7070`.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }
}

/// One word of the command line that is no option.
struct Positional<Options> {
  let name: String
  let help: String
  var isOptional = false
  var repeats = false
  let apply: (String, inout Options) -> Void
}
