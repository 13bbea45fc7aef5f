/// Parses `--name value` and `--name=value`; after `--` every word is an argument. Options that the
/// command line does not have are taken from the environment.
package struct ArgumentParser<Options> {
  let options: [Option<Options>]
  let positionals: [Positional<Options>]
  package let command: String
  var environment: [String: String] = [:]

  private typealias Given = (option: Option<Options>, value: OptionValue)

  package func parse(_ words: [String], into start: Options) throws(UsageError) -> Options {
    let (given, arguments) = try read(words)
    var parsed = start
    for (option, value) in try fromEnvironment(except: given) + given {
      try option.apply(value, &parsed)
    }
    try place(arguments, in: &parsed)
    return parsed
  }

  /// Returns the variables that take part beside the words, such as `FLOTILLA_PHONES=5000`.
  func variables(beside words: [String]) throws(UsageError) -> [String] {
    try fromEnvironment(except: read(words).given).map { given in
      given.option.placeholder == nil ? "\(given.value.written)1" : given.value.written
    }
  }

  private func fromEnvironment(except given: [Given]) throws(UsageError) -> [Given] {
    let onLine = Set(given.map(\.option.name))
    var found: [Given] = []
    for option in options where !onLine.contains(option.name) {
      for value in try option.values(in: environment) { found.append((option, value)) }
    }
    return found
  }

  private func read(
    _ words: [String]
  ) throws(UsageError) -> (given: [Given], arguments: [String]) {
    var rest = words[...]
    var given: [Given] = []
    var arguments: [String] = []
    while let word = rest.popFirst() {
      if word == "--" {
        arguments += rest
        break
      }
      if word.hasPrefix("-"), word != "-" {
        given.append(try option(word, &rest))
      } else {
        arguments.append(word)
      }
    }
    return (given, arguments)
  }

  private func option(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> Given {
    let pieces = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0])
    guard let option = options.first(where: { $0.name == name }) else {
      throw .unknownOption(
        name, of: command, known: options.filter { $0.key == nil }.map(\.name) + ["--help"])
    }
    let attached = pieces.count == 2 ? String(pieces[1]) : nil
    guard let placeholder = option.placeholder else {
      guard attached == nil else { throw .unexpectedValue(option: name) }
      if let key = option.key { throw .movedOption(name, of: command, use: key) }
      return (option, OptionValue("", option: name))
    }
    guard let value = attached ?? rest.popFirst() else {
      throw .missingValue(option: name, placeholder: placeholder)
    }
    if let key = option.key {
      let isPlain = value.allSatisfy { $0.isLetter || $0.isNumber || "%+-./:=@_,~".contains($0) }
      throw .movedOption(name, of: command, use: key + (isPlain ? value : "'\(value)'"))
    }
    return (option, OptionValue(value, option: name))
  }

  private func place(_ arguments: [String], in parsed: inout Options) throws(UsageError) {
    var rest = arguments[...]
    for positional in positionals {
      guard let word = rest.popFirst() else {
        if positional.isOptional { continue }
        throw .missingArgument(positional.name, of: command)
      }
      positional.apply(word, &parsed)
      while positional.repeats, let word = rest.popFirst() { positional.apply(word, &parsed) }
    }
    if let word = rest.first { throw .unexpectedArgument(word, of: command) }
  }
}
