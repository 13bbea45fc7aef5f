package import Figures

package enum ProgramError: Error, Equatable, Sendable, CustomStringConvertible {
  case cannotStart(program: String, why: String)
  case failed(program: String, status: Int32)
  case missing(program: String)
  /// The program's output is wrong, or its checks report a loss.
  case wrongAnswer(program: String)
  case unreadable(RunRecordError)

  package var description: String {
    switch self {
    case .cannotStart(let program, let why): "\(program): cannot be started (\(why))."
    case .failed(let program, let status): "\(program) ended with \(status); run it manually."
    case .missing(let program): "\(program) is not installed."
    case .wrongAnswer(let program): "\(program) reported errors; the measurement is invalid."
    case .unreadable(let error): error.description
    }
  }
}
