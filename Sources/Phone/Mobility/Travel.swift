internal import Core
internal import Scenarios

struct Travel: Sendable, BitwiseCopyable {
  let commuter, homebody: Weights
  /// The straight-line metres below which a person walks, by `Person.Profile`.
  let walks: InlineArray<4, Double>
  let bicycleReach, trainFrom, walkReach: Double
  let tramServed: Double
  let detourLow, detourHigh: Double
  let metro: Double
  private let modes: InlineArray<6, ModeTraits>

  init(_ habits: TravelHabits, _ table: ModeTable) {
    func weights(_ mix: TravelHabits.Mix) -> Weights {
      Weights([mix.car, mix.transit, mix.bicycle, mix.onFoot])
    }
    commuter = weights(habits.commuter)
    homebody = weights(habits.homebody)
    walks = [
      habits.driverWalks.meters, habits.passengerWalks.meters, habits.cyclistWalks.meters,
      habits.walkerWalks.meters,
    ]
    bicycleReach = habits.bicycleReach.meters
    trainFrom = habits.trainFrom.meters
    walkReach = habits.walkReach.meters
    tramServed = habits.tramServed
    (detourLow, detourHigh) = (habits.detourLow, habits.detourHigh)
    metro = habits.metro
    modes = [
      ModeTraits(table.walk), ModeTraits(table.bicycle), ModeTraits(table.bus),
      ModeTraits(table.tram), ModeTraits(table.car), ModeTraits(table.rail),
    ]
  }

  func traits(_ mode: TravelMode) -> ModeTraits { modes[Int(mode.rawValue)] }
}
