internal import Capacity
internal import Collector
internal import Commands
internal import Core
internal import Figures
internal import Report
internal import Run
internal import Transport
internal import Uploads
internal import Targets

// The exit codes of all errors that end the program.

extension RunFilesError: ExitError { var exit: ExitCode { .badInput } }
extension RunRecordError: ExitError { var exit: ExitCode { .badInput } }
extension RunComparison.ComparisonError: ExitError { var exit: ExitCode { .badInput } }
extension LogError: ExitError { var exit: ExitCode { .badInput } }
extension TargetError: ExitError { var exit: ExitCode { .badInput } }
extension ForkError: ExitError { var exit: ExitCode { .badInput } }
extension ShareLinkError: ExitError { var exit: ExitCode { .badInput } }
extension RemoteCollectorError: ExitError { var exit: ExitCode { .collectorUnreachable } }
extension RunFolderError: ExitError { var exit: ExitCode { .cannotListenOrWrite } }

extension ShareMergeError: ExitError {
  var exit: ExitCode { .badInput }
  var message: String { "\(self)." }
}

extension RankPortError: ExitError {
  var exit: ExitCode { .cannotListenOrWrite }
  var message: String { "\(self)." }
}

extension PostgresCluster.ClusterError: ExitError {
  var exit: ExitCode { .cannotListenOrWrite }
  var message: String { "\(self)." }
}

extension TLSSetupError: ExitError {
  var exit: ExitCode { .badInput }
  var message: String { "\(self)." }
}

extension PositionQuestionError: ExitError {
  var exit: ExitCode {
    switch self {
    case .invalid: .badInput
    case .remote, .notNow: .collectorUnreachable
    }
  }
}

extension JournalError: ExitError {
  var exit: ExitCode {
    switch self {
    case .otherRun, .damaged, .missing: .badInput
    case .inUse, .noFolder, .cannotWrite: .cannotListenOrWrite
    }
  }
}

extension StoreError: ExitError {
  var exit: ExitCode {
    switch self {
    case .noStore, .otherSchema, .otherRun, .noPhone, .otherDictionary: .badInput
    case .corrupt, .damaged, .moved: .loss
    case .inUse, .busy, .diskFull, .readOnly, .cannotOpen, .unreachable, .noRight, .noConnection,
      .pooled, .failed:
      .cannotListenOrWrite
    }
  }
}

extension CollectorRunError: ExitError {
  var exit: ExitCode {
    switch self {
    case .unreachable: .collectorUnreachable
    case .unverified: .missed
    case .childFailed: .cannotListenOrWrite
    case .otherDictionary, .otherEncoding, .tooSlow: .badInput
    case .startPassed: .invalidRun
    }
  }
}
