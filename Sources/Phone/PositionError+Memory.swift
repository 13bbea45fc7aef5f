internal import Core

extension PositionError {
  struct Knot: Sendable, BitwiseCopyable {
    var vector: PlanePoint
    var size: Double
  }

  /// Caches one phone's results in one segment, most of which are still valid a second later.
  /// Without the cache the results are equal but take several times as long.
  struct Memory: Sendable, BitwiseCopyable {
    struct Knots: Sendable, BitwiseCopyable {
      var first: Int64
      var tag: Int64
      var a: Knot
      var b: Knot
    }

    struct Slot<Value: BitwiseCopyable & Sendable>: Sendable, BitwiseCopyable {
      private var number = Int64.min
      private var value: Value

      init(_ none: Value) { value = none }

      func isOf(_ slot: Int64) -> Bool { number == slot }

      var last: Value { value }

      mutating func keep(_ value: Value, of slot: Int64) {
        self.value = value
        number = slot
      }

      @inline(__always) mutating func value(_ slot: Int64, else make: () -> Value) -> Value {
        if number != slot {
          value = make()
          number = slot
        }
        return value
      }
    }

    struct Stay: Sendable, BitwiseCopyable {
      var source: PositionSource
      var anchor: PlanePoint
      var unrest: Double
      var size: Double
    }

    struct Leap: Sendable, BitwiseCopyable {
      var begins: Double
      var lasts: Double
      var offset: PlanePoint
      var isFromCell: Bool
    }

    var knots: Knots?
    var make: (toTheRight: Double, poorness: Double)?
    var moods = Slot<Double>(0)
    var stillness: Double?
    /// The time for which a position is held, in microseconds.
    var holds = Slot<Int64>(0)
    var stay: Stay?
    var leaps = Slot<Leap?>(nil)
  }
}

/// Caches values between the sightings of a phone: the held sighting of a phone at rest, and the
/// leg's geometry of a moving phone.
package struct SightingMemory {
  fileprivate var phone: PhoneID?
  fileprivate var segmentStart = SimInstant.distantPast
  var error = PositionError.Memory()
  var motion: MotionReader?
  var held: Held?
  var hearing = PositionError.Memory.Slot<Double>(0)
  var source = FixSource.satellites
  /// The true position at the last sighting if the phone was moving; nil otherwise.
  var truth: PlanePoint?

  struct Held {
    var at: SimInstant
    var source: PositionSource
    var sighting: FixMaker.Sighting
  }

  /// Creates an empty memory, which gives the same positions as a filled one, only slower.
  package init() {}

  @inline(__always) mutating func open(_ phone: PhoneID, _ segment: borrowing Segment) {
    let start = segment.start
    guard self.phone != phone || segmentStart != start else { return }
    self = SightingMemory()
    self.phone = phone
    segmentStart = start
  }
}
