internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("People as data", .quick)
struct PeopleTests {
  @Test("the country has no radius, has its own people, and has a map all the same")
  func country() throws {
    let city = try shipped.load("country").city
    #expect(city.radius == nil)
    #expect(city.extent == .kilometers(40))
    #expect(city.people.name == "country")
    #expect(city.people.modes.walk == PeopleProfile.standard.modes.walk)
    #expect(city.people.work.distance.max > PeopleProfile.standard.work.distance.max)
  }

  @Test("any figure of the people can be changed in the scenario")
  func override() throws {
    let scenario = try read(
      smallest, settings: ["city={ people: { base: standard, work: { lunch: 90% } } }"])
    #expect(scenario.city.people.work.lunch == 0.9)
    #expect(scenario.city.people.outings == PeopleProfile.standard.outings)
    #expect(try read(scenario.text) == scenario)
  }

  @Test("unknown people, curves of wrong length and weights with sum zero are mistakes")
  func diagnosticsSayWhat() {
    #expect(
      diagnostics(in: smallest, settings: ["city.people=villagers"])
        .contains { $0.contains("unknown people 'villagers'") })
    #expect(
      diagnostics(in: smallest, settings: ["city={ people: { work: { leaves: [1, 2] } } }"])
        .contains { $0.contains("there is a list of 2; write a list of 48") })
    #expect(
      diagnostics(in: smallest, settings: ["city={ people: { outings: { tours: [0, 0] } } }"])
        .contains { $0.contains("all weights are 0") })
    #expect(
      diagnostics(
        in: smallest,
        settings: ["city={ people: { places: { distance: { min: 2km, max: 1km } } } }"]
      ).contains { $0.contains("'min' exceeds 'max'") })
  }
}
