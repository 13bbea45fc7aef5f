package import SimulationCore

/// How the people of a scenario live and travel: every figure of the mobility model, as data.
///
/// Read from `scenarios/people/NAME.yaml`; what a file leaves out is what `PeopleProfile.standard`
/// says. Sources: rule book section 4 and the recorded traces and surveys it is calibrated by.
package struct PeopleProfile: Equatable, Sendable {
  /// The name that scenarios refer to the profile by: that of its file.
  package var name = ""
  /// What people the profile describes; empty where the file does not.
  package var description = ""
  /// The habits of working days.
  package var work = WorkHabits()
  /// The habits of free days and evenings.
  package var outings = OutingHabits()
  /// Where the places beside home and work lie.
  package var places = PlaceHabits()
  /// How people choose between the modes of travel.
  package var travel = TravelHabits()
  /// How each mode of travel moves.
  package var modes = ModeTable()
}

/// Work: whether, where, when, how long, and what comes between and after.
package struct WorkHabits: Equatable, Sendable {
  /// Share of weekdays and of weekend days on which a person with work works.
  package var weekday = 0.0
  /// The share of weekend days on which a person with work works, 0 ... 1.
  package var weekend = 0.0
  /// From home, as the crow flies.
  package var distance = DistanceSpread()
  /// The straight distance from home to work of a cyclist.
  package var bicycleDistance = DistanceSpread()
  /// Ways between home and work by car or bus take this many times as long as at other hours.
  package var rush = 0.0
  /// Weights of leaving home, by half hour from midnight (48). A person keeps to one quantile.
  package var leaves: [Double] = []
  /// Standard deviation from day to day.
  package var punctuality = SimDuration.zero
  /// The mean length of a work day; what is drawn is cut to 4 ... 11 h.
  package var length = SimDuration.zero
  /// The standard deviation of a work day's length, between the days of a person.
  package var lengthDeviation = SimDuration.zero
  /// Share of work days that begin before 10:00 with a midday break outside.
  package var lunch = 0.0
  /// The length of the midday break outside.
  package var lunchStay = TimeSpread()
  /// How far from work the break is spent at most.
  package var lunchReach = Distance.meters(0)
  /// Weights of 0, 1, 2 … errands on the way home.
  package var errandsAfter: [Double] = []
  /// Share of work days with an outing after having come home.
  package var eveningOut = 0.0
}

/// Free days and evenings: tours from home and back, of some errands each.
package struct OutingHabits: Equatable, Sendable {
  /// Share of free days at home.
  package var staysHome = 0.0
  /// Weights of 1, 2, 3 … tours on a free day.
  package var tours: [Double] = []
  /// Weights of 1, 2, 3 … errands on a tour.
  package var errands: [Double] = []
  /// Weights of a tour's start by half hour from midnight (48).
  package var weekdayStarts: [Double] = []
  /// The weights of a tour's start on a weekend day, by half hour from midnight (48).
  package var weekendStarts: [Double] = []
  /// The length of an errand on a weekday.
  package var weekdayStay = TimeSpread()
  /// The length of an errand on a weekend day.
  package var weekendStay = TimeSpread()
  /// The least time at home between two tours.
  package var pause = SimDuration.zero
  /// When people mean to be home, hours after midnight: mean and standard deviation.
  package var bedtime = 0.0
  /// The standard deviation of `bedtime` from day to day, in hours; what is drawn is cut to 20
  /// ... 25 h.
  package var bedtimeDeviation = 0.0
}

/// The places of a person beside home and work.
package struct PlaceHabits: Equatable, Sendable {
  /// From home, as the crow flies.
  package var distance = DistanceSpread()
  /// The straight distance from home to a cyclist's places.
  package var bicycleDistance = DistanceSpread()
  /// A visit goes beyond the n-th place with probability (n + 1)^-exponent.
  package var rankExponent = 0.0
  /// Share of the places that lie under the sky.
  package var outdoors = 0.0
}

/// Who travels how, and how far each way of travelling reaches.
package struct TravelHabits: Equatable, Sendable {
  /// Weights of four ways of life; they need not sum to 1.
  package struct Mix: Equatable, Sendable {
    /// The weight of people that drive a car.
    package var car = 0.0
    /// The weight of people that use bus, tram and train.
    package var transit = 0.0
    /// The weight of people that cycle.
    package var bicycle = 0.0
    /// The weight of people that walk.
    package var onFoot = 0.0
  }
  /// The weights for commuters, and for spectators as well.
  package var commuter = Mix()
  /// The weights for homebodies.
  package var homebody = Mix()
  /// Below these straight distances a driver, a passenger, a cyclist and a walker walk.
  package var driverWalks = Distance.meters(0)
  /// The straight distance below which a passenger of public transport walks.
  package var passengerWalks = Distance.meters(0)
  /// The straight distance below which a cyclist walks.
  package var cyclistWalks = Distance.meters(0)
  /// The straight distance below which a walker walks; beyond it a tram or bus is taken.
  package var walkerWalks = Distance.meters(0)
  /// A cyclist takes the car beyond it.
  package var bicycleReach = Distance.meters(0)
  /// A passenger takes a train beyond it.
  package var trainFrom = Distance.meters(0)
  /// Share of passengers whom a tram serves; a bus serves the others.
  package var tramServed = 0.0
  /// Nobody walks farther on an errand.
  package var walkReach = Distance.meters(0)
  /// Track length over straight line, least and most.
  package var detourLow = 0.0
  /// The greatest ratio of track length to straight line; each leg draws evenly from `detourLow`
  /// to it.
  package var detourHigh = 0.0
  /// Share of the train legs that are metro-like: mostly below ground.
  package var metro = 0.0
}

/// How each mode moves.
package struct ModeTable: Equatable, Sendable {
  /// How people move on foot.
  package var walk = ModeSettings()
  /// How people move by bicycle.
  package var bicycle = ModeSettings()
  /// How people move by bus.
  package var bus = ModeSettings()
  /// How people move by tram.
  package var tram = ModeSettings()
  /// How people move by car.
  package var car = ModeSettings()
  /// How people move by train and metro.
  package var rail = ModeSettings()
}

/// How one mode of travel moves: its speed, its stops, its pieces of way.
package struct ModeSettings: Equatable, Sendable {
  /// Between stops, on a leg of 6 km.
  package var speed = Speed(metersPerSecond: 0)
  /// Longer legs use faster roads: speed grows with length to this power.
  package var growth = 0.0
  /// Standard deviation of the logarithm of speed, between legs.
  package var deviation = 0.0
  /// One straight piece of the way.
  package var block = Distance.meters(0)
  /// From stop to stop, on average.
  package var stopSpacing = Distance.meters(0)
  /// Mean length of a stop; every fourth is a long one.
  package var stop = SimDuration.zero
}

/// A log-normal length, cut at both ends.
package struct DistanceSpread: Equatable, Sendable {
  /// The median of the distribution before it is cut.
  package var median = Distance.meters(0)
  /// Standard deviation of the logarithm.
  package var sigma = 0.0
  /// The least length that is drawn.
  package var min = Distance.meters(0)
  /// The greatest length that is drawn.
  package var max = Distance.meters(0)
}

/// A log-normal time, cut at both ends.
package struct TimeSpread: Equatable, Sendable {
  /// The median of the distribution before it is cut.
  package var median = SimDuration.zero
  /// The standard deviation of the logarithm.
  package var sigma = 0.0
  /// The shortest time that is drawn.
  package var min = SimDuration.zero
  /// The longest time that is drawn.
  package var max = SimDuration.zero
}
