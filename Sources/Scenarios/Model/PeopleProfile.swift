package import Core

/// Every figure of the mobility model, as read from `scenarios/people/NAME.yaml`.
package struct PeopleProfile: Equatable, Sendable {
  package var name = ""
  package var description = ""
  package var work = WorkHabits()
  package var outings = OutingHabits()
  package var places = PlaceHabits()
  package var outside = OutsideHabits()
  package var travel = TravelHabits()
  package var modes = ModeTable()
}

package struct WorkHabits: Equatable, Sendable {
  package var weekday = 0.0
  package var weekend = 0.0
  package var distance = DistanceSpread()
  package var bicycleDistance = DistanceSpread()
  package var rush = 0.0
  package var leaves: [Double] = []
  package var punctuality = SimDuration.zero
  package var length = SimDuration.zero
  package var lengthDeviation = SimDuration.zero
  package var lunch = 0.0
  package var lunchStay = TimeSpread()
  package var lunchReach = Distance.meters(0)
  package var errandsAfter: [Double] = []
  package var eveningOut = 0.0
}

package struct OutingHabits: Equatable, Sendable {
  package var staysHome = 0.0
  package var tours: [Double] = []
  package var errands: [Double] = []
  package var weekdayStarts: [Double] = []
  package var weekendStarts: [Double] = []
  package var weekdayStay = TimeSpread()
  package var weekendStay = TimeSpread()
  package var pause = SimDuration.zero
  package var bedtime = 0.0
  /// The standard deviation of `bedtime` from day to day, in hours; bedtimes are 20 ... 25 h.
  package var bedtimeDeviation = 0.0
}

package struct PlaceHabits: Equatable, Sendable {
  package var distance = DistanceSpread()
  package var bicycleDistance = DistanceSpread()
  package var rankExponent = 0.0
  package var outdoors = 0.0
}

/// Time outdoors during a stay at an indoor place, and walks without a destination.
package struct OutsideHabits: Equatable, Sendable {
  /// The share of days with time in the garden. The person must be at home at that hour.
  package var garden = 0.0
  package var gardenStay = TimeSpread()
  /// The share of people who work outdoors for a part of each stay at work.
  package var work = 0.0
  /// The mean wait for a bus, a tram or a train.
  package var wait = SimDuration.zero
  /// The share of days with a trip that also have a walk without a destination.
  package var walks = 0.0
  /// The duration of such a walk, out and back.
  package var walk = TimeSpread()
}

package struct TravelHabits: Equatable, Sendable {
  /// The weights of four ways of travelling, which need not sum to 1.
  package struct Mix: Equatable, Sendable {
    package var car = 0.0
    package var transit = 0.0
    package var bicycle = 0.0
    package var onFoot = 0.0
  }
  package var commuter = Mix()
  package var homebody = Mix()
  package var driverWalks = Distance.meters(0)
  package var passengerWalks = Distance.meters(0)
  package var cyclistWalks = Distance.meters(0)
  package var walkerWalks = Distance.meters(0)
  package var bicycleReach = Distance.meters(0)
  package var trainFrom = Distance.meters(0)
  package var tramServed = 0.0
  package var walkReach = Distance.meters(0)
  package var detourLow = 0.0
  /// The maximum ratio of track length to straight line; ratios are uniform from `detourLow` up.
  package var detourHigh = 0.0
  package var metro = 0.0
}

package struct ModeTable: Equatable, Sendable {
  package var walk = ModeSettings()
  package var bicycle = ModeSettings()
  package var bus = ModeSettings()
  package var tram = ModeSettings()
  package var car = ModeSettings()
  package var rail = ModeSettings()
}

package struct ModeSettings: Equatable, Sendable {
  package var speed = Speed(metersPerSecond: 0)
  package var growth = 0.0
  package var deviation = 0.0
  package var block = Distance.meters(0)
  package var stopSpacing = Distance.meters(0)
  package var stop = SimDuration.zero
}

package struct DistanceSpread: Equatable, Sendable {
  package var median = Distance.meters(0)
  package var sigma = 0.0
  package var min = Distance.meters(0)
  package var max = Distance.meters(0)
}

package struct TimeSpread: Equatable, Sendable {
  package var median = SimDuration.zero
  package var sigma = 0.0
  package var min = SimDuration.zero
  package var max = SimDuration.zero
}
