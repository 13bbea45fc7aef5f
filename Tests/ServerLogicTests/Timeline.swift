import Core
import Scenarios

@testable import ServerLogic

/// A backend on a timeline: minutes since midnight of one day, phones by number.
struct Timeline {
  static let midnight = SimInstant(microseconds: 1_772_409_600_000_000)
  var backend: Backend
  private var sequences: [UInt32: UInt32] = [:]

  init(
    phones: Int = 4, seed: UInt64 = 42, partOfCohort: [Int] = [],
    _ change: (inout PushTerms) -> Void = { _ in }
  ) {
    var settings = PushSettings.standard.terms
    settings.rate = Rate(perSecond: 1e12)
    settings.holdout = 0
    settings.accuracyLimit = .meters(200)
    settings.expiration = .minutes(10)
    change(&settings)
    backend = Backend(
      phones: phones, seed: seed, push: settings, hashKey: 7, partOfCohort: partOfCohort)
  }

  static func minute(_ minute: Double) -> SimInstant {
    midnight + SimDuration(seconds: minute * 60)
  }

  mutating func register(
    _ phone: UInt32, _ authorization: Authorization = .always, token: Bool = true,
    at minute: Double = 0
  ) {
    backend.register(
      PhoneID(rawValue: phone), authorization: authorization, tokenValid: token,
      at: Self.minute(minute))
  }

  /// One batch with one fix.
  @discardableResult
  mutating func report(
    _ phone: UInt32, at minute: Double, taken: Double? = nil, accuracy: UInt16 = 20,
    sequence: UInt32? = nil, epoch: UInt32 = 1
  ) -> IngestResult {
    let number = sequence ?? (sequences[phone, default: 0] + 1)
    sequences[phone] = max(number, sequences[phone, default: 0])
    let id = BatchID(phone: PhoneID(rawValue: phone), epoch: epoch, sequence: number)
    let fix = Fix.sample(at: Self.minute(taken ?? minute), accuracy: accuracy)
    return [fix].withUnsafeBufferPointer {
      backend.ingest(id, fixes: $0, at: Self.minute(minute))
    }
  }

  /// Sweeps every minute. Returns (minute, phone) of every push.
  mutating func pushes(from first: Int, through last: Int) -> [Push] {
    var pushes: [Push] = []
    for minute in first...last {
      backend.sweep(at: Self.minute(Double(minute))) {
        pushes.append(Push(minute: minute, phone: $0.phone.rawValue))
      }
    }
    return pushes
  }

  struct Push: Equatable {
    var minute: Int
    var phone: UInt32
  }
}

extension Fix {
  static func sample(
    at instant: SimInstant, accuracy: UInt16 = 20, latitudeE6: Int32 = 52_520_000,
    longitudeE6: Int32 = 13_405_000
  ) -> Fix {
    Fix(
      coordinate: Coordinate(latitudeE6: latitudeE6, longitudeE6: longitudeE6),
      time: FixTime(instant), accuracyMeters: accuracy, speedDecimetersPerSecond: -1,
      courseDegrees: -1)
  }
}
