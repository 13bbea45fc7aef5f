import Core
import PhoneSupport
import Scenarios
@testable import Phone

extension PhoneLife.Truth {
  /// A commuter of the town.
  static func commuter(_ number: UInt32) -> PhoneLife.Truth {
    let life = World.life(number)
    return PhoneLife.Truth(birth: World.monday, seed: 42, maker: World.maker) {
      life.segment(at: $0)
    }
  }
}

extension PhoneLife {
  /// A commuter's phone, born on a Monday at 04:00, at home.
  convenience init(
    _ number: UInt32 = 0, os: OSProfile = .standard, user: Authorization = .always,
    traits: PhoneTraits = [], manifest: AppManifest = .standard,
    pushes: (inout PushWorld) -> Void = { _ in }, app: @escaping App
  ) {
    self.init(
      .commuter(number), number, os: os, user: user, traits: traits, manifest: manifest,
      pushes: pushes, app: app)
  }

  /// Wakes the app for a location without an event, and lets it give commands.
  ///
  /// - Parameter continues: the location is a significant change (AU7).
  func wake(continues: Bool = false, _ commands: OSCommand...) {
    act { phone, context, owner in
      _ = phone.wake(.location, continues: continues, now, context, owner)
      for command in commands { phone.handle(.command(command), at: now, context, owner) }
    }
  }
}
