@testable import Transport

extension HTTPExchange {
  var answer: HTTPAnswer? { try? result.get() }

  var failure: HTTPError? {
    if case .failure(let failure) = result { failure } else { nil }
  }

  /// The server's information about the exchange's connection.
  var connection: String? { answer?.header("x-connection") }

  var text: String {
    // swift-format-ignore: what is no UTF-8 is shown repaired.
    String(decoding: answer?.body ?? [], as: UTF8.self)
  }
}
