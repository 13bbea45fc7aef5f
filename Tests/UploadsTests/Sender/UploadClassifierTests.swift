import Core
import Phone
import TestSupport
import Testing
@testable import Transport
@testable import Uploads
import Wire

@Suite("Handling of refusals", .quick)
struct UploadClassifierTests {
  func completion(_ sequence: UInt32, _ outcome: UploadOutcome) -> UploadCompletion {
    UploadCompletion(
      id: UploadName(sequence, attempt: 4).rawValue, phone: 1, outcome: outcome, attempts: 1,
      intended: WallInstant(microseconds: 0), generatorLag: .zero, connect: .zero, hold: .zero,
      service: .zero, registration: nil)
  }

  @Test("one refusal costs an attempt, since a damaged byte may cause it; two are final")
  func twice() {
    let classifier = UploadClassifier()
    #expect(classifier.result(completion(5, .failed(.invalidArgument))) == .failed)
    #expect(classifier.result(completion(5, .failed(.unavailable))) == .failed)
    #expect(classifier.result(completion(5, .failed(.invalidArgument))) == .refused)
    // The next batch begins with a first refusal again.
    #expect(classifier.result(completion(6, .failed(.invalidArgument))) == .failed)
    #expect(
      classifier.result(completion(6, .acknowledged(duplicate: false, fixes: 1))) == .acknowledged)
  }
}
