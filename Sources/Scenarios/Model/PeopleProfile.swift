package import SimulationCore

/// How the people of a scenario live and travel: every figure of the mobility model, as data.
///
/// Read from `scenarios/people/NAME.yaml`; what a file leaves out is what `PeopleProfile.standard`
/// says. Sources: rule book section 4 and the recorded traces and surveys it is calibrated by.
package struct PeopleProfile: Equatable, Sendable {
  package var name: String
  package var description: String
  package var work: WorkHabits
  package var outings: OutingHabits
  package var places: PlaceHabits
  package var travel: TravelHabits
  package var modes: ModeTable
}

/// Work: whether, where, when, how long, and what comes between and after.
package struct WorkHabits: Equatable, Sendable {
  /// Share of weekdays and of weekend days on which a person with work works.
  package var weekday: Double
  package var weekend: Double
  /// From home, as the crow flies.
  package var distance: DistanceSpread
  package var bicycleDistance: DistanceSpread
  /// Ways between home and work by car or bus take this many times as long as at other hours.
  package var rush: Double
  /// Weights of leaving home, by half hour from midnight (48). A person keeps to one quantile.
  package var leaves: [Double]
  /// Standard deviation from day to day.
  package var punctuality: SimDuration
  package var length: SimDuration
  package var lengthDeviation: SimDuration
  /// Share of work days that begin before 10:00 with a midday break outside.
  package var lunch: Double
  package var lunchStay: TimeSpread
  /// How far from work the break is spent at most.
  package var lunchReach: Distance
  /// Weights of 0, 1, 2 … errands on the way home.
  package var errandsAfter: [Double]
  /// Share of work days with an outing after having come home.
  package var eveningOut: Double
}

/// Free days and evenings: tours from home and back, of some errands each.
package struct OutingHabits: Equatable, Sendable {
  /// Share of free days at home.
  package var staysHome: Double
  /// Weights of 1, 2, 3 … tours on a free day.
  package var tours: [Double]
  /// Weights of 1, 2, 3 … errands on a tour.
  package var errands: [Double]
  /// Weights of a tour's start by half hour from midnight (48).
  package var weekdayStarts: [Double]
  package var weekendStarts: [Double]
  package var weekdayStay: TimeSpread
  package var weekendStay: TimeSpread
  /// The least time at home between two tours.
  package var pause: SimDuration
  /// When people mean to be home, hours after midnight: mean and standard deviation.
  package var bedtime: Double
  package var bedtimeDeviation: Double
}

/// The places of a person beside home and work.
package struct PlaceHabits: Equatable, Sendable {
  /// From home, as the crow flies.
  package var distance: DistanceSpread
  package var bicycleDistance: DistanceSpread
  /// A visit goes beyond the n-th place with probability (n + 1)^-exponent.
  package var rankExponent: Double
  /// Share of the places that lie under the sky.
  package var outdoors: Double
}

/// Who travels how, and how far each way of travelling reaches.
package struct TravelHabits: Equatable, Sendable {
  /// Weights of four ways of life; they need not sum to 1.
  package struct Mix: Equatable, Sendable {
    package var car: Double
    package var transit: Double
    package var bicycle: Double
    package var onFoot: Double
  }
  package var commuter: Mix
  package var homebody: Mix
  /// Below these straight distances a driver, a passenger, a cyclist and a walker walk.
  package var driverWalks: Distance
  package var passengerWalks: Distance
  package var cyclistWalks: Distance
  package var walkerWalks: Distance
  /// A cyclist takes the car beyond it.
  package var bicycleReach: Distance
  /// A passenger takes a train beyond it.
  package var trainFrom: Distance
  /// Share of passengers whom a tram serves; a bus serves the others.
  package var tramServed: Double
  /// Nobody walks farther on an errand.
  package var walkReach: Distance
  /// Track length over straight line, least and most.
  package var detourLow: Double
  package var detourHigh: Double
  /// Share of the train legs that are metro-like: mostly below ground.
  package var metro: Double
}

/// How each mode moves.
package struct ModeTable: Equatable, Sendable {
  package var walk: ModeSettings
  package var bicycle: ModeSettings
  package var bus: ModeSettings
  package var tram: ModeSettings
  package var car: ModeSettings
  package var rail: ModeSettings
}

package struct ModeSettings: Equatable, Sendable {
  /// Between stops, on a leg of 6 km.
  package var speed: Speed
  /// Longer legs use faster roads: speed grows with length to this power.
  package var growth: Double
  /// Standard deviation of the logarithm of speed, between legs.
  package var deviation: Double
  /// One straight piece of the way.
  package var block: Distance
  /// From stop to stop, on average.
  package var stopSpacing: Distance
  /// Mean length of a stop; every fourth is a long one.
  package var stop: SimDuration
}

/// A log-normal length, cut at both ends.
package struct DistanceSpread: Equatable, Sendable {
  package var median: Distance
  /// Standard deviation of the logarithm.
  package var sigma: Double
  package var min: Distance
  package var max: Distance
}

/// A log-normal time, cut at both ends.
package struct TimeSpread: Equatable, Sendable {
  package var median: SimDuration
  package var sigma: Double
  package var min: SimDuration
  package var max: SimDuration
}
