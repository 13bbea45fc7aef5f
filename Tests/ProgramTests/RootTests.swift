import Commands
import Testing

@testable import flotilla

@Suite("Commands of the program") struct RootTests {
  @Test("the tree of commands has names of one word")
  func names() { #expect(Flotilla.root.name == "flotilla") }
}
