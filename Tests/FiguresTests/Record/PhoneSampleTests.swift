import Foundation
import TestSupport
import Testing
@testable import Figures

@Suite("A sample of phones", .quick)
struct PhoneSampleTests {
  static func sample(phones: Int, instants: Int = 3) -> PhoneSample {
    var sample = PhoneSample()
    sample.instants = (0..<instants).map { 60 * $0 }
    sample.cohorts = ["a"]
    sample.systems = ["iOS"]
    for number in 0..<phones {
      sample.phones.append(number)
      sample.cohort.append(0)
      sample.home.append([number, -number])
      sample.work.append([])
      sample.rests.append([])
      sample.places.append(
        PhoneSample.steps(instants, width: 2) { i, k in k == 0 ? number * i : -7 * i })
      sample.state.append([0, PhoneSample.fresh])
      sample.newest.append([0, PhoneSample.never])
    }
    return sample
  }

  @Test("steps have only changes, and read back")
  func steps() throws {
    let rows = [5, 1, 5, 1, 5, 1, 2, 1, 2, -9, 2, -9]
    let steps = PhoneSample.steps(6, width: 2) { rows[2 * $0 + $1] }
    #expect(steps == [0, 5, 1, 3, -3, 0, 1, 0, -10])
    #expect(PhoneSample.rows(steps, width: 2, count: 6) == rows)
    #expect(PhoneSample.steps(0, width: 1) { _, _ in 1 } == [])
    #expect(PhoneSample.rows([], width: 1, count: 2) == [0, 0])
  }

  @Test(
    "steps that are cut, go back or leave the numbers are refused",
    arguments: [
      [0, 1], [0, 1, 2, 9, 0, 1], [0, 1, 2, -1, 0, 0], [0, .max, 0, 1, 1, 0], [1, 1, 1],
    ])
  func badSteps(steps: [Int]) {
    #expect(PhoneSample.rows(steps, width: 2, count: 6) == nil)
  }

  @Test("a file reads back, in one line")
  func file() throws {
    let sample = Self.sample(phones: 4)
    let json = try sample.json()
    #expect(try PhoneSample(json: json) == sample)
    #expect(!json.contains(0x0A) && sample.damage == nil)
  }

  @Test(
    "lists that do not fit together are damage",
    arguments: [
      { $0.home.removeLast() }, { $0.cohort[1] = 1 }, { $0.work[0] = [1] },
      { $0.state[1] = [0, 99] }, { $0.places[0] = [0, 1] }, { $0.base = [] },
      { $0.systems = [] },
      { $0.days = [PhoneSample.Day(phone: 2, introduction: "")] }, { $0.days[0].marks[1] = 7 },
      { $0.days[0].fixes[4] = 99 }, { $0.days[0].fixes[4] = -1 }, { $0.days[0].times = [] },
    ] as [@Sendable (inout PhoneSample) -> Void])
  func damage(change: @Sendable (inout PhoneSample) -> Void) {
    var sample = Self.sample(phones: 2)
    var day = PhoneSample.Day(phone: 1, introduction: "")
    (day.lines, day.times) = (["wake"], [0])
    (day.fixes, day.marks) = ([0, 0, 0, 10, 0, 1, 0], [0, 0, 0])
    sample.days = [day]
    #expect(sample.damage == nil)
    change(&sample)
    #expect(sample.damage != nil)
  }

  @Test("one that is too large keeps every other phone, and the first days")
  func fits() {
    var sample = Self.sample(phones: 2_000, instants: 48)
    sample.days = (0..<40).map { number in
      var day = PhoneSample.Day(phone: number, introduction: "")
      day.lines = [String(repeating: "x", count: 20_000)]
      day.times = [0]
      return day
    }
    sample.fit()
    #expect(sample.phones.count < 2_000 && sample.phones.allSatisfy { $0.isMultiple(of: 2) })
    #expect(sample.damage == nil)
    #expect(sample.days.first?.phone == 0 && sample.days.count < 15)
  }

  @Test("the first instant and frames of what changes are the whole sample")
  func frames() throws {
    var sample = Self.sample(phones: 4, instants: 5)
    sample.state[2] = [0, 1, 3, 2]
    sample.days = [PhoneSample.Day(phone: 2, introduction: "Phone 2")]
    let (first, others) = try #require(sample.frames)
    #expect(first.damage == nil && first.instants == [0] && first.phones == sample.phones)
    #expect(first.days == [PhoneSample.Day(phone: 2, introduction: "")])
    #expect(others.map(\.number) == [1, 2, 3, 4] && others.map(\.at) == [60, 120, 180, 240])
    for phone in sample.phones {
      var now = [0, 0, first.state[phone][1], first.newest[phone][1]]
      for (n, frame) in others.enumerated() {
        var place = 0
        for i in stride(from: 0, to: frame.changed.count, by: 5) {
          place += frame.changed[i]
          if place == phone { now = Array(frame.changed[i + 1...i + 4]) }
        }
        #expect(now == [phone * (n + 1), -7 * (n + 1), phone == 2 && n == 2 ? 3 : now[2], now[3]])
      }
      #expect(now[2] == (phone == 2 ? 3 : 0) && now[3] == PhoneSample.never)
    }
    #expect(PhoneSample().frames == nil)
    let json = try JSONEncoder().encode(PhoneFrame(number: 1, at: 60))
    let members = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(Set(members.keys) == ["number", "at", "changed", "rests"])
  }
}
