import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Asking for permission", .quick)
struct PermissionTests {
  static func answer(
    _ request: AuthorizationRequest, current: Authorization = .notDetermined,
    user: Authorization = .always, consent: Consent = [],
    change: (inout AppManifest, inout OSProfile) -> Void = { _, _ in }
  ) -> PromptAnswer? {
    var settings = PolicySettings.standard
    var os = OSProfile.standard
    change(&settings.app, &os)
    return os.system.rules.answer(
      to: request, current: current, app: settings.app, user: user, consent: consent)
  }

  @Test("AU2: a request without its sentence in Info.plist shows no prompt")
  func sentences() {
    #expect(Self.answer(.always) { app, _ in app.alwaysDescription = false } == nil)
    #expect(Self.answer(.whenInUse) { app, _ in app.whenInUseDescription = false } == nil)
    #expect(Self.answer(.always)?.reported == .always)
    #expect(Self.answer(.whenInUse)?.reported == .whenInUse)
  }

  @Test("AU6: after an answer no request shows a prompt", arguments: Authorization.allCases)
  func oneShot(current: Authorization) {
    let consent: Consent = current == .notDetermined ? [] : .askedForAlways
    let answer = Self.answer(.always, current: current, consent: consent)
    #expect((answer == nil) == (current != .notDetermined))
    #expect((Self.answer(.whenInUse, current: current) == nil) == (current != .notDetermined))
  }

  @Test("AU11: only When In Use can be raised to Always, and only if the system asks again")
  func raised() {
    #expect(Self.answer(.always, current: .whenInUse)?.reported == .always)
    #expect(Self.answer(.always, current: .whenInUse, user: .whenInUse)?.reported == .whenInUse)
    #expect(Self.answer(.always, current: .denied) == nil)
    #expect(Self.answer(.always, current: .whenInUse, consent: .once) == nil)
    #expect(Self.answer(.always, current: .whenInUse, consent: .askedForAlways) == nil)
    #expect(
      Self.answer(.always, current: .whenInUse) { _, os in
        os.system.rules.upgradesWhenInUse = false
      } == nil)
  }

  @Test("AU14: Allow Once is reported as When In Use, if the prompt offers it")
  func once() {
    let answer = Self.answer(.always, user: .whenInUse, consent: .allowsOnce)
    #expect(answer == PromptAnswer(reported: .whenInUse, consent: .once))
    let older = Self.answer(.always, user: .whenInUse, consent: .allowsOnce) { _, os in
      os.system.rules.onceLapse = nil
    }
    #expect(older == PromptAnswer(reported: .whenInUse, consent: .askedForAlways))
  }

  @Test("AU12: no owner grants more than is requested, except a provisional Always since iOS 13")
  func provisional() {
    #expect(Self.answer(.whenInUse, user: .denied)?.reported == .denied)
    #expect(Self.answer(.always, user: .whenInUse)?.reported == .whenInUse)
    let first = Self.answer(.always, user: .whenInUse, consent: .promptAhead)
    #expect(first?.reported == .always && first?.consent.contains(.provisional) == true)
    #expect(Self.answer(.always, user: .denied, consent: .promptAhead)?.reported == .denied)
    let older = Self.answer(.always, user: .whenInUse, consent: .promptAhead) { _, os in
      os.system.rules.hasProvisionalAlways = false
    }
    #expect(older?.reported == .whenInUse)
  }
}
