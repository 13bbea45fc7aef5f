internal import Commands
internal import Dispatch
internal import Foundation
internal import Transport

extension CollectCommand {
  /// Returns nil for connections in the clear.
  static func tlsFiles(_ options: CollectOptions) throws(UsageError) -> TLSServerFiles? {
    guard let certificate = options.tlsCertificate else {
      if options.tlsKey != nil || options.clientAuthorities != nil || options.ticketKeys != nil {
        throw .missingArgument("--tls-cert FILE and --tls-key FILE", of: "flotilla collect")
      }
      return nil
    }
    guard let key = options.tlsKey else {
      throw .missingArgument("--tls-key FILE for --tls-cert", of: "flotilla collect")
    }
    var files = TLSServerFiles(certificate: certificate, key: key)
    files.clientAuthorities = options.clientAuthorities
    files.ticketKeys = options.ticketKeys
    return files
  }
}

final class ReloadSignal {
  private let source: any DispatchSourceSignal

  /// - Parameter reload: called on a Dispatch queue.
  init(_ reload: @escaping @Sendable () -> Void) {
    signal(SIGHUP, SIG_IGN)
    source = DispatchSource.makeSignalSource(
      signal: SIGHUP, queue: .global(qos: .userInitiated))
    source.setEventHandler(handler: reload)
    source.resume()
  }

  deinit { source.cancel() }
}
