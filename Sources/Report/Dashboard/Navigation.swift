package import Figures

/// The open views of a screen, and the question that they ask about phones. Keys change the views.
package struct Navigation: Equatable, Sendable {
  package enum View: Equatable, Sendable {
    case overview
    case cohorts(selected: Int)
    /// The states by which to filter the phones of a cohort, or of all cohorts (nil).
    case states(cohort: Int?, selected: Int)
    /// - Parameter pages: The phone from which each page up to the shown one searches.
    case phones(PhoneFilter, pages: [Int], selected: Int)
    case phone(Int)
  }

  package struct Choice: Equatable, Sendable {
    package var cohorts = 0
    /// The number of phones; 0 if no single phone can be shown.
    package var phones = 0

    package init(cohorts: Int = 0, phones: Int = 0) {
      self.cohorts = cohorts
      self.phones = phones
    }
  }

  /// Keys that a terminal sends as sequences, and keys without a visible character.
  package enum Key {
    package static let up: Unicode.Scalar = "\u{F700}"
    package static let down: Unicode.Scalar = "\u{F701}"
    package static let pageUp: Unicode.Scalar = "\u{F72C}"
    package static let pageDown: Unicode.Scalar = "\u{F72D}"
    package static let enter: Unicode.Scalar = "\r"
    package static let escape: Unicode.Scalar = "\u{1B}"
    package static let delete: Unicode.Scalar = "\u{7F}"
  }

  /// The open views: the overview, then each view opened from the one before. Esc closes the last.
  package private(set) var views = [View.overview]
  /// The digits typed so far of a phone's number; nil while none is typed.
  package private(set) var typed: String?
  package private(set) var answer: PhoneAnswer?

  package init() {}

  package var view: View { views[views.count - 1] }

  package var question: PhoneQuestion? {
    switch view {
    case .overview, .cohorts, .states: nil
    case .phones(let filter, let pages, _): .page(filter, from: pages.last ?? 0)
    case .phone(let number): .phone(number)
    }
  }

  /// Takes an answer, unless it is for an earlier question.
  package mutating func take(_ newer: PhoneAnswer) {
    guard newer.question == question else { return }
    answer = newer
    guard case .phones(let filter, let pages, let selected) = view else { return }
    let last = max(0, (page?.phones.count ?? 0) - 1)
    replace(.phones(filter, pages: pages, selected: min(selected, last)))
  }

  package var page: PhonePage? {
    if case .page(let page)? = answer?.content { page } else { nil }
  }

  // MARK: Keys

  /// - Returns: Whether a view uses the key.
  package mutating func handle(_ key: Unicode.Scalar, _ choice: Choice) -> Bool {
    if typed != nil { return type(key, choice) }
    switch key {
    case Key.escape: goBack()
    case Key.enter, "\n": open(choice)
    case Key.up, "k": move(by: -1, choice)
    case Key.down, "j": move(by: 1, choice)
    case Key.pageDown, "n": turn(by: 1, choice)
    case Key.pageUp, "b": turn(by: -1, choice)
    case "c":
      views = [.overview]
      show(.cohorts(selected: 0))
    case "s":
      let cohort = cohort
      if cohort == nil { views = [.overview] }
      show(.states(cohort: cohort, selected: 0))
    case "p": typed = ""
    default: return false
    }
    return true
  }

  private mutating func type(_ key: Unicode.Scalar, _ choice: Choice) -> Bool {
    switch key {
    case "0"..."9": if let typed, typed.count < 9 { self.typed = typed + String(key) }
    case Key.delete, "\u{8}": typed = typed.map { String($0.dropLast()) }
    case Key.escape: typed = nil
    case Key.enter, "\n":
      let number = typed.flatMap { Int($0) }
      typed = nil
      if let number, number < choice.phones || choice.phones == 0 { show(.phone(number)) }
    case "q": return false
    default: break
    }
    return true
  }

  private var cohort: Int? {
    if case .phones(let filter, _, _) = view { filter.cohort } else { nil }
  }

  /// Opens a view above the present one, and closes a view of the same kind with those above it.
  private mutating func show(_ view: View) {
    if let open = views.firstIndex(where: { $0.kind == view.kind }) {
      views.removeSubrange(open...)
    }
    views.append(view)
    answer = nil
  }

  private mutating func replace(_ view: View) { views[views.count - 1] = view }

  private mutating func goBack() {
    guard views.count > 1 else { return }
    views.removeLast()
    answer = nil
  }

  private mutating func open(_ choice: Choice) {
    switch view {
    case .overview, .phone: break
    case .cohorts(let selected):
      guard selected < choice.cohorts else { return }
      show(.phones(PhoneFilter(cohort: selected), pages: [0], selected: 0))
    case .states(let cohort, let selected):
      guard choice.phones > 0 else { return }
      let filter = PhoneFilter(cohort: cohort, state: PhoneState.all[selected])
      show(.phones(filter, pages: [0], selected: 0))
    case .phones(_, _, let selected):
      guard let page, selected < page.phones.count else { return }
      show(.phone(page.phones[selected].number))
    }
  }

  private mutating func move(by step: Int, _ choice: Choice) {
    func moved(_ selected: Int, _ count: Int) -> Int { max(0, min(count - 1, selected + step)) }
    switch view {
    case .overview, .phone: break
    case .cohorts(let selected): replace(.cohorts(selected: moved(selected, choice.cohorts)))
    case .states(let cohort, let selected):
      replace(.states(cohort: cohort, selected: moved(selected, PhoneState.all.count)))
    case .phones(let filter, let pages, let selected):
      let count = page?.phones.count ?? 0
      replace(.phones(filter, pages: pages, selected: moved(selected, count)))
    }
  }

  /// Shows the next or previous page of a list, or the next or previous phone.
  private mutating func turn(by step: Int, _ choice: Choice) {
    switch view {
    case .overview, .cohorts, .states: return
    case .phone(let number):
      let next = number + step
      guard (0..<choice.phones).contains(next) else { return }
      replace(.phone(next))
    case .phones(let filter, var pages, _):
      if step > 0 {
        guard let page, page.isFull, !page.isAtEnd else { return }
        pages.append(page.next)
      } else {
        guard pages.count > 1 else { return }
        pages.removeLast()
      }
      replace(.phones(filter, pages: pages, selected: 0))
    }
    answer = nil
  }
}

extension Navigation.View {
  fileprivate var kind: Int {
    switch self {
    case .overview: 0
    case .cohorts: 1
    case .states: 2
    case .phones: 3
    case .phone: 4
    }
  }
}
