@testable import Transport

extension HTTPExchange {
  var answer: HTTPAnswer? { try? result.get() }

  var failure: HTTPError? {
    if case .failure(let failure) = result { failure } else { nil }
  }

  /// What the server said of the connection that it came on.
  var connection: String? { answer?.header("x-connection") }

  var text: String {
    // swift-format-ignore: what is no UTF-8 is shown repaired.
    String(decoding: answer?.body ?? [], as: UTF8.self)
  }
}
