package import Core

package struct Option<Options> {
  /// The name with its dashes.
  package let name: String
  /// The placeholder of the value in the help; nil for a flag, which has no value.
  package let placeholder: String?
  package let help: String
  /// Applies a value to the options.
  package let apply: (OptionValue, inout Options) throws(UsageError) -> Void

  /// What replaces a removed option, without a value, such as `--set run.via=` or `--html `; nil
  /// for other options.
  package internal(set) var key: String?

  package init(
    name: String, placeholder: String?, help: String,
    apply: @escaping (OptionValue, inout Options) throws(UsageError) -> Void
  ) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.apply = apply
  }

  /// - Parameter wanted: a description of valid values, for the error if `read` returns nil.
  package init<Value>(
    _ name: String, _ placeholder: String, _ help: String, wanted: String,
    _ read: @escaping (String) -> Value?, set: @escaping (Value, inout Options) -> Void
  ) {
    self.init(name: name, placeholder: placeholder, help: help) {
      (given, options) throws(UsageError) in
      guard let value = read(given.text) else {
        throw .badValue(option: given.name, value: given.text, wanted: wanted)
      }
      set(value, &options)
    }
  }

  package static func flag(
    _ name: String, _ path: WritableKeyPath<Options, Bool>, _ help: String
  ) -> Option {
    Option(name: name, placeholder: nil, help: help) { _, options in options[keyPath: path] = true }
  }

  package static func text(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, String?>, _ help: String
  ) -> Option {
    Option(name: name, placeholder: placeholder, help: help) { $1[keyPath: path] = $0.text }
  }

  package static func texts(
    _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, [String]>,
    _ help: String
  ) -> Option {
    Option(name: name, placeholder: placeholder, help: help) { $1[keyPath: path].append($0.text) }
  }

  package static func count(
    _ name: String, _ path: WritableKeyPath<Options, Int>, _ range: ClosedRange<Int>,
    _ help: String
  ) -> Option {
    Option(
      name, "N", help,
      wanted: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      { Int($0).flatMap { range.contains($0) ? $0 : nil } }, set: { $1[keyPath: path] = $0 })
  }

  package static func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ path: WritableKeyPath<Options, Word>, _ help: String
  ) -> Option {
    let words = Word.allCases.map(\.rawValue)
    return Option(
      name, words.joined(separator: "|"), help,
      wanted: "one of \(words.joined(separator: ", "))", { Word(rawValue: $0) },
      set: { $1[keyPath: path] = $0 })
  }

  package static func address(
    _ name: String, _ path: WritableKeyPath<Options, Endpoint?>, _ help: String
  ) -> Option {
    Option(
      name, "HOST:PORT", help, wanted: "HOST:PORT, such as 127.0.0.1:7070 or [::1]:7070",
      { Endpoint($0) }, set: { $1[keyPath: path] = $0 })
  }
}

package struct Positional<Options> {
  package let name: String
  package let help: String
  package var isOptional = false
  package var repeats = false
  package let apply: (String, inout Options) -> Void

  /// Creates an argument that is required and does not repeat, by default.
  package init(
    name: String, help: String, isOptional: Bool = false, repeats: Bool = false,
    apply: @escaping (String, inout Options) -> Void
  ) {
    self.name = name
    self.help = help
    self.isOptional = isOptional
    self.repeats = repeats
    self.apply = apply
  }
}
