import Core
import PhoneSupport
import Scenarios
@testable import Phone

extension PhoneLife.Truth {
  /// A commuter of the town.
  static func commuter(_ number: UInt32) -> PhoneLife.Truth {
    let life = World.life(number)
    return PhoneLife.Truth(
      birth: World.monday, seed: 42, maker: World.maker,
      .agenda(life.town, .commuter), phone: number)
  }
}

extension PhoneLife {
  /// A commuter's phone, started on a Monday at 04:00, at home.
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
    act { phone, context, out in
      _ = phone.wake(.location, continues: continues, context, &out)
      for command in commands { phone.perform(command, context, &out) }
    }
  }

  func send(bytes: Int) {
    act { phone, context, _ in
      phone.pushes.charge(bytes: bytes, of: phone.id, at: now, context.push)
    }
  }
}
