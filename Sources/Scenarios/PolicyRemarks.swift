internal import Core

extension Policy {
  /// Sentences about effects that the policy's author may not expect.
  package func remarks(on systems: [Named<OSProfile>]) -> [String] {
    appRemarks + backgroundRemarks(systems) + hiddenRemarks(systems)
  }

  private var appRemarks: [String] {
    let app = settings.app
    var remarks: [String] = []
    if app.allowsBackgroundUpdates, !app.backgroundMode {
      remarks.append(
        "'app.allowsBackgroundUpdates' without 'app.backgroundMode': the app crashes when it sets "
          + "it (AU8).")
    }
    let rests = [settings.foreground, settings.background].compactMap(\.rest?.sign)
    let asksMotion = rests.contains { sign in
      switch sign {
      case .motion: true
      case .still: false
      }
    }
    if asksMotion, !app.motionDescription {
      remarks.append(
        "a rest by motion without 'app.motionDescription': the app may not read motion activity "
          + "(AU10).")
    }
    switch app.request {
    case .always, .whenInUseThenAlways, .alwaysAtNextOpening:
      guard !app.alwaysDescription || !app.whenInUseDescription else { break }
      remarks.append(
        "'app.request: \(app.request.rawValue)' without both descriptions: no prompt appears "
          + "where the system wants one, and no fix is delivered (AU2).")
    case .whenInUse where !app.whenInUseDescription:
      remarks.append(
        "'app.request: whenInUse' without 'app.whenInUseDescription': no prompt appears (AU2).")
    case .nothing, .whenInUse: break
    }
    return remarks
  }

  private func backgroundRemarks(_ systems: [Named<OSProfile>]) -> [String] {
    func shorter(than time: SimDuration) -> String? {
      let names = systems.filter { $0.value.system.rules.backgroundTaskBudget < time }.map(\.name)
      return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    switch settings.background.service.pattern {
    case .off, .polled: return []
    case .continuous where settings.background.service.liveUpdates:
      guard settings.app.activitySession == .none || !settings.app.backgroundMode else { return [] }
      return [
        "'background.liveUpdates' without 'app.activitySession' and 'app.backgroundMode': they end "
          + "when the app leaves the foreground (LU1)."
      ]
    case .continuous:
      guard !settings.app.backgroundMode || !settings.app.allowsBackgroundUpdates else { return [] }
      return [
        "'background.standard: continuous' without 'app.backgroundMode' and "
          + "'app.allowsBackgroundUpdates': it ends when the app leaves the foreground (AU7)."
      ]
    case .burst(let duration, _):
      guard let names = shorter(than: duration) else { return [] }
      return [
        "a burst of \(text(duration)) is longer than a background task on \(names) (LC5); it "
          + "is cut short there unless the service keeps the app running."
      ]
    case .dutyCycle(let on, let period):
      guard let names = shorter(than: period - on) else { return [] }
      return [
        "a duty cycle is off for \(text(period - on)), longer than a background task lasts on "
          + "\(names): the app is suspended or killed in its first gap there (DC6, LC5)."
      ]
    }
  }

  private func hiddenRemarks(_ systems: [Named<OSProfile>]) -> [String] {
    guard settings.significantChange, !settings.app.showsIndicator else { return [] }
    let hidden = [settings.background.service, settings.background.rest?.service]
      .compactMap(\.self).contains { $0.isContinuous && ($0.isFiltered || $0.isCoarse) }
    let names = systems.filter(\.value.system.rules.suspendsHiddenStandard).map(\.name)
    guard hidden, !names.isEmpty else { return [] }
    return [
      "standard service with a distance filter or an accuracy of 1 km and worse, with "
        + "significant changes and without 'app.showsIndicator', is suspended in the background "
        + "on \(names.joined(separator: ", ")) (since iOS 16.4)."
    ]
  }

  private func text(_ time: SimDuration) -> String {
    Quantity.text(Double(time.microseconds), Quantity.times)
  }
}

extension ServiceUse {
  fileprivate var isContinuous: Bool {
    switch pattern {
    case .continuous, .polled: true
    case .off, .burst, .dutyCycle: false
    }
  }

  fileprivate var isFiltered: Bool { distanceFilter != .none }

  fileprivate var isCoarse: Bool {
    switch accuracy {
    case .best, .tenMeters, .hundredMeters: false
    case .kilometer, .threeKilometers: true
    }
  }
}
