import Core
import Figures
import TestSupport
import Testing

@testable import Report

@Suite("Keys and views", .quick)
struct NavigationTests {
  static let choice = Navigation.Choice(cohorts: 3, phones: 5_000)

  /// The views after these keys, with each question answered at once.
  static func after(_ keys: String, _ choice: Navigation.Choice = choice) -> Navigation {
    var navigation = Navigation()
    for key in keys.unicodeScalars {
      _ = navigation.handle(key, choice)
      if let question = navigation.question { navigation.take(answer(question)) }
    }
    return navigation
  }

  /// A page has every hundredth phone.
  static func answer(_ question: PhoneQuestion) -> PhoneAnswer {
    switch question {
    case .phone(let number): return PhoneAnswer(question, at: "08:00:00", .phone(.init(number)))
    case .page(_, from: let first):
      var page = PhonePage(0..<5_000, next: first)
      while !page.isFull, !page.isAtEnd {
        if page.next % 100 == 0 { page.phones.append(PhoneFacts(page.next)) }
        page.next += 1
      }
      return PhoneAnswer(question, at: "08:00:00", .page(page))
    }
  }

  @Test("c, down and Enter open a cohort; Esc leads back step by step")
  func cohort() {
    #expect(Self.after("c").view == .cohorts(selected: 0))
    let cohort = Self.after("cj\r")
    #expect(cohort.view == .phones(PhoneFilter(cohort: 1), pages: [0], selected: 0))
    #expect(cohort.question == .page(PhoneFilter(cohort: 1), from: 0))
    #expect(Self.after("cj\r\u{1B}").view == .cohorts(selected: 1))
    #expect(Self.after("cj\r\u{1B}\u{1B}").view == .overview)
    #expect(Self.after("\u{1B}\u{1B}").view == .overview)
  }

  @Test("the choice stops at both ends, with letters and with arrows")
  func ends() {
    let (up, down) = (Navigation.Key.up, Navigation.Key.down)
    #expect(Self.after("cjjjjj").view == .cohorts(selected: 2))
    #expect(Self.after("ckk").view == .cohorts(selected: 0))
    #expect(Self.after("c\(down)\(down)\(up)").view == .cohorts(selected: 1))
    #expect(Self.after("c", .init()).view == .cohorts(selected: 0))
    #expect(Self.after("cj\r", .init()).view == .cohorts(selected: 0), "there is none to open")
  }

  @Test("s filters by state, inside the cohort that is open, or all phones")
  func states() {
    let state = PhoneState.all[2]
    #expect(state == .stale)
    #expect(Self.after("sjj\r").view == .phones(.init(state: state), pages: [0], selected: 0))
    let inCohort = Self.after("c\rsjj\r")
    #expect(inCohort.view == .phones(.init(cohort: 0, state: state), pages: [0], selected: 0))
    #expect(inCohort.views.count == 3, "the unfiltered list was replaced")
    #expect(Self.after("s\r", .init(cohorts: 3)).view == .states(cohort: nil, selected: 0))
    #expect(Self.after("cs\u{1B}").view == .overview, "the states of all phones begin anew")
    #expect(Self.after("c\rs\u{1B}").view == .phones(.init(cohort: 0), pages: [0], selected: 0))
  }

  @Test("n and b turn pages, each from where the page before has ended")
  func pages() {
    let filter = PhoneFilter()
    #expect(Self.after("s\r").page?.phones.map(\.number).last == 1_900)
    #expect(Self.after("s\rn").question == .page(filter, from: 1_901))
    #expect(Self.after("s\rnn").question == .page(filter, from: 3_901))
    #expect(
      Self.after("s\rnnn").question == .page(filter, from: 3_901), "the last page is not full")
    #expect(Self.after("s\rnnb").question == .page(filter, from: 1_901))
    #expect(Self.after("s\rnnbbbb").question == .page(filter, from: 0))
  }

  @Test("Enter opens the chosen phone of a page, and Esc comes back to it")
  func phoneOfPage() {
    #expect(Self.after("s\rnjj\r").view == .phone(2_200))
    #expect(
      Self.after("s\rnjj\r\u{1B}").view == .phones(.init(), pages: [0, 1_901], selected: 2))
  }

  @Test("p opens a phone by its number, which can be corrected and cancelled")
  func number() {
    #expect(Self.after("p12").typed == "12")
    #expect(Self.after("p12\r").view == .phone(12))
    #expect(Self.after("p123\u{7F}\r").view == .phone(12))
    #expect(Self.after("p12\u{1B}").typed == nil)
    #expect(Self.after("p12\u{1B}").view == .overview)
    #expect(Self.after("p5000\r").view == .overview, "there is no such phone")
    #expect(Self.after("p\r").view == .overview)
    #expect(Self.after("p1c2\r").view == .phone(12), "letters are not digits")
    #expect(Self.after("p99999999999999999999\r").view == .overview)
  }

  @Test("n and b show the next and the previous phone, of those there are")
  func neighbours() {
    #expect(Self.after("p12\rn").question == .phone(13))
    #expect(Self.after("p12\rbbb").question == .phone(9))
    #expect(Self.after("p0\rb").view == .phone(0))
    #expect(Self.after("p4999\rn").view == .phone(4_999))
  }

  @Test("keys of the screen are left to it, while a number is typed too")
  func others() {
    func isTaken(_ key: Unicode.Scalar, after keys: String) -> Bool {
      var navigation = Self.after(keys)
      return navigation.handle(key, Self.choice)
    }
    for key: Unicode.Scalar in ["q", "?", " ", "+"] {
      #expect(!isTaken(key, after: "") && !isTaken(key, after: "c"))
    }
    #expect(!isTaken("q", after: "p"))
    #expect(isTaken("?", after: "p"))
  }

  @Test("an answer to a view that was left is dropped")
  func lateAnswer() {
    var navigation = Self.after("p12\rn")
    navigation.take(Self.answer(.phone(12)))
    #expect(navigation.answer?.question == .phone(13))
    navigation = Self.after("p12\r\u{1B}")
    navigation.take(Self.answer(.phone(12)))
    #expect(navigation.answer == nil)
  }

  @Test("a page that shrinks keeps the choice on a phone")
  func shrinkingPage() {
    var navigation = Self.after("s\rjjjjj")
    #expect(navigation.view == .phones(.init(), pages: [0], selected: 5))
    var page = PhonePage(0..<5_000, next: 5_000)
    page.phones = [PhoneFacts(7)]
    navigation.take(PhoneAnswer(.page(.init(), from: 0), at: "08:00:01", .page(page)))
    #expect(navigation.view == .phones(.init(), pages: [0], selected: 0))
  }

  @Test("every state has a title of its own")
  func titles() {
    #expect(Set(PhoneState.all.map(\.title)).count == PhoneState.all.count)
  }
}
