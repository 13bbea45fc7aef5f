internal import Scenarios

package enum UsageError: Error, Equatable {
  case missingCommand(of: String, known: [String])
  case unknownCommand(String, of: String, known: [String])
  case unknownOption(String, of: String, known: [String])
  case missingValue(option: String, placeholder: String)
  case unexpectedValue(option: String)
  case badValue(option: String, value: String, wanted: String)
  case movedOption(String, of: String, use: String)
  case missingArgument(String, of: String)
  case unexpectedArgument(String, of: String)
}

extension UsageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missingCommand(let parent, let known):
      "\(parent) requires a command: \(known.joined(separator: ", "))."
    case .unknownCommand(let word, let parent, let known):
      "\(parent) has no command '\(word)'; use one of \(known.joined(separator: ", "))."
        + Spelling.hint(for: word, in: known)
    case .unknownOption(let word, let command, let known):
      "\(command) has no option '\(word)'.\(Spelling.hint(for: word, in: known))"
    case .missingValue(let option, let placeholder):
      "\(option) requires a value: \(option) \(placeholder)."
    case .unexpectedValue(let option):
      "\(option) takes no value; remove the value."
    case .badValue(let option, let value, let wanted):
      "\(option): '\(value)' is not \(wanted)."
    case .movedOption(let option, let command, let other):
      "\(command): \(option) was removed; use \(other)"
    case .missingArgument(let name, let command):
      "\(command) requires \(name)."
    case .unexpectedArgument(let word, let command):
      "\(command) does not take '\(word)'."
    }
  }
}
