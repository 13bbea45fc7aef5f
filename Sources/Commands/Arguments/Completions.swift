/// Shell completion scripts, generated from the commands.
package enum Completions: String, CaseIterable {
  case bash, zsh, fish

  package func script(_ root: Command) -> String {
    let commands = root.all(path: root.name)
    switch self {
    case .bash: return Self.bash(commands)
    case .zsh: return Self.zsh(commands)
    case .fish: return Self.fish(commands)
    }
  }

  private typealias Place = (path: String, command: Command)

  /// Scenarios are listed by the program at completion time, to include new ones.
  private static let scenarios =
    "flotilla scenario list 2>/dev/null | grep -v '^[a-z-]* [a-z]' "
    + "| cut -d' ' -f1"

  private static func steps(_ commands: [Place]) -> String {
    commands.dropFirst().map { "\"\($0.path)\"" }.joined(separator: "|")
  }

  private static func choices(
    of commands: [Place], _ assign: (_ words: String) -> String
  ) -> [String] {
    commands.flatMap { place in
      place.command.arguments.filter { !$0.choices.isEmpty }.map {
        "    \"\(place.path) \($0.name)\") \(assign($0.choices.joined(separator: " ")))"
      }
    }
  }

  // MARK: bash

  private static func bash(_ commands: [Place]) -> String {
    let words = commands.map { place in
      let next = place.command.subcommands.map(\.name) + place.command.arguments.map(\.name)
      let scenarios = place.command.takesScenario ? " $(_flotilla_scenarios)" : ""
      return "    \"\(place.path)\") words=\"\(next.joined(separator: " "))\(scenarios)\" ;;"
    }
    let values = choices(of: commands) { "words=\"\($0)\" ;;" }
    return """
      # bash completion of flotilla; `flotilla completions bash` writes it.
      _flotilla_scenarios() { \(scenarios); }
      _flotilla() {
        local path=flotilla words="" word="${COMP_WORDS[COMP_CWORD]}" i
        for ((i = 1; i < COMP_CWORD; i++)); do
          case "$path ${COMP_WORDS[i]}" in
          \(steps(commands))) path="$path ${COMP_WORDS[i]}" ;;
          esac
        done
        case "$path" in
      \(words.joined(separator: "\n"))
        esac
        case "$path ${COMP_WORDS[COMP_CWORD - 1]}" in
      \(values.joined(separator: "\n"))
        esac
        COMPREPLY=($(compgen -W "$words" -- "$word"))
      }
      complete -o default -F _flotilla flotilla
      """
  }

  // MARK: zsh

  private static func zsh(_ commands: [Place]) -> String {
    let cases = commands.map { place in
      let next =
        place.command.subcommands.map { item($0.name, $0.summary) }
        + place.command.arguments.map { item($0.name, $0.help) }
      let scenarios =
        place.command.takesScenario
        ? "\n      items+=(${(f)\"$(_flotilla_scenarios)\"})" : ""
      return "    \"\(place.path)\")\n      items=(\(next.joined(separator: " ")))\(scenarios) ;;"
    }
    let values = choices(of: commands) { "items=(\($0)) ;;" }
    return """
      #compdef flotilla
      # zsh completion of flotilla; `flotilla completions zsh` writes it.
      _flotilla_scenarios() { \(scenarios) }
      _flotilla() {
        local place=flotilla i
        local -a items
        for ((i = 2; i < CURRENT; i++)); do
          case "$place $words[i]" in
          \(steps(commands))) place="$place $words[i]" ;;
          esac
        done
        case "$place" in
      \(cases.joined(separator: "\n"))
        esac
        case "$place $words[CURRENT-1]" in
      \(values.joined(separator: "\n"))
        esac
        _describe flotilla items
        _files
      }
      if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then _flotilla "$@"; else
        (( $+functions[compdef] )) && compdef _flotilla flotilla
      fi
      """
  }

  private static func item(_ name: String, _ help: String) -> String {
    "'" + name.replacing(":", with: "\\:") + ":" + help.replacing("'", with: "’") + "'"
  }

  // MARK: fish

  private static func fish(_ commands: [Place]) -> String {
    let lines = commands.flatMap { place -> [String] in
      let here = "complete -c flotilla -n 'test (__flotilla_place) = \"\(place.path)\"'"
      var lines = place.command.subcommands.map {
        "\(here) -f -a \($0.name) -d '\(quoted($0.summary))'"
      }
      for argument in place.command.arguments {
        let value =
          argument.placeholder == nil
          ? " -f"
          : argument.choices.isEmpty ? " -r" : " -x -a '\(argument.choices.joined(separator: " "))'"
        lines.append(
          "\(here) -l \(argument.name.dropFirst(2))\(value) -d '\(quoted(argument.help))'")
      }
      if place.command.takesScenario { lines.append("\(here) -a '(__flotilla_scenarios)'") }
      return lines
    }
    let steps = commands.dropFirst().map { "'\($0.path)'" }.joined(separator: " ")
    return """
      # fish completion of flotilla; `flotilla completions fish` writes it.
      function __flotilla_scenarios
        \(scenarios)
      end
      function __flotilla_place
        set -l place flotilla
        for word in (commandline -opc)[2..-1]
          switch "$place $word"
            case \(steps)
              set place "$place $word"
          end
        end
        echo $place
      end
      \(lines.joined(separator: "\n"))
      """
  }

  private static func quoted(_ text: String) -> String { text.replacing("'", with: "’") }
}
