import Scenarios
import Telemetry
import Testing

@testable import Phone

@Suite("Asking for permission", .timeLimit(.minutes(10)))
struct PermissionTests {
  static func answer(
    _ request: AuthorizationRequest, current: Authorization = .notDetermined,
    user: Authorization = .always, isProvisional: Bool = false,
    change: (inout AppManifest, inout OSProfile) -> Void = { _, _ in }
  ) -> Authorization? {
    var settings = PolicySettings.standard
    var os = OSProfile.standard
    change(&settings.app, &os)
    return os.system.answer(
      to: request, current: current, app: settings.app, user: user, isProvisional: isProvisional)
  }

  @Test("AU2: a request without its sentence in Info.plist shows no prompt")
  func sentences() {
    #expect(Self.answer(.always) { app, _ in app.alwaysDescription = false } == nil)
    #expect(Self.answer(.whenInUse) { app, _ in app.whenInUseDescription = false } == nil)
    #expect(Self.answer(.always) == .always && Self.answer(.whenInUse) == .whenInUse)
  }

  @Test("AU6: after an answer no request shows a prompt", arguments: Authorization.allCases)
  func oneShot(current: Authorization) {
    #expect((Self.answer(.always, current: current) == nil) == (current != .notDetermined))
  }

  @Test("no owner grants more than is requested, and a provisional Always exists only since iOS 13")
  func provisional() {
    #expect(Self.answer(.whenInUse, user: .denied) == .denied)
    #expect(Self.answer(.always, user: .whenInUse) == .whenInUse)
    #expect(Self.answer(.always, user: .whenInUse, isProvisional: true) == .always)
    #expect(
      Self.answer(.always, user: .whenInUse, isProvisional: true) { _, os in
        os.system.ios.hasProvisionalAlways = false
      } == .whenInUse)
  }
}
