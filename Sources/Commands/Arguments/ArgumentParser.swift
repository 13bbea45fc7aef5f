/// Parses `--name value` and `--name=value`; after `--` every word is an argument.
package struct ArgumentParser<Options> {
  let options: [Option<Options>]
  let positionals: [Positional<Options>]
  package let command: String

  package func parse(_ words: [String], into start: Options) throws(UsageError) -> Options {
    var parsed = start
    var rest = words[...]
    var arguments: [String] = []
    while let word = rest.popFirst() {
      if word == "--" {
        arguments += rest
        break
      }
      if word.hasPrefix("-"), word != "-" {
        try apply(word, &rest, to: &parsed)
      } else {
        arguments.append(word)
      }
    }
    try place(arguments, in: &parsed)
    return parsed
  }

  private func apply(
    _ word: String, _ rest: inout ArraySlice<String>, to parsed: inout Options
  ) throws(UsageError) {
    let pieces = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0])
    guard let option = options.first(where: { $0.name == name }) else {
      throw .unknownOption(
        name, of: command, known: options.filter { $0.key == nil }.map(\.name) + ["--help"])
    }
    let attached = pieces.count == 2 ? String(pieces[1]) : nil
    guard let placeholder = option.placeholder else {
      guard attached == nil else { throw .unexpectedValue(option: name) }
      if let key = option.key { throw .movedOption(name, of: command, setting: key) }
      try option.apply("", &parsed)
      return
    }
    guard let value = attached ?? rest.popFirst() else {
      throw .missingValue(option: name, placeholder: placeholder)
    }
    if let key = option.key {
      let isPlain = value.allSatisfy { $0.isLetter || $0.isNumber || "%+-./:=@_,~".contains($0) }
      throw .movedOption(
        name, of: command, setting: key + (isPlain ? value : "'\(value)'"))
    }
    try option.apply(value, &parsed)
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
