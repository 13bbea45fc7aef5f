import Core
import Figures
import Foundation
import TestSupport
import Testing
import Uploads

@testable import Push
@testable import Run

@Suite("Pushes between the processes of a run", .quick)
struct PushParcelTests {
  @Test("a push goes to the process that has its phone", arguments: [1, 2, 3, 7])
  func place(count: Int) {
    for phones in [count, 100, 101, 1_000] {
      let place = SharePlace(number: 0, of: count)
      for phone in 0..<phones {
        let process = place.process(of: PhoneID(rawValue: UInt32(phone)), of: phones)
        #expect(place.range(of: phones, at: process).contains(phone))
      }
    }
  }

  @Test("a parcel reads back unchanged, and invalid bytes are ignored")
  func travels() {
    var parcel = PushParcel()
    parcel.pushes = [
      AcceptedPush(
        phone: PhoneID(rawValue: 7), number: 3, type: .alert, priority: 10, expiration: nil,
        asksToRun: true, isWithheld: false, collapses: true)
    ]
    parcel.unix = 1_800_000_000_000
    parcel.endings = [.init(phone: 8, microseconds: 5)]
    parcel.installations = [.init(phone: 9, epoch: 2)]
    #expect(PushParcel(parcel.data) == parcel)
    #expect(PushParcel(Data("nothing".utf8)) == nil)
  }

  @Test("parcels reach their process, in order; one for an ended process is dropped")
  func table() throws {
    var first = RankTable(SharePlace(number: 0, of: 3), at: .init(microseconds: 0))
    var third = RankTable(SharePlace(number: 2, of: 3), at: .init(microseconds: 0))
    for text in ["a", "b"] { first.send(Data(text.utf8), to: 2) }
    first.send(Data("own".utf8), to: 0)
    #expect(first.takeParcels().map(\.parcel) == [Data("own".utf8)])
    for (rank, message) in first.outbox {
      #expect(rank == 2)
      let arrived = try #require(RankMessage(message.bytes))
      third.receive(arrived, from: 0, at: .init(microseconds: 1))
    }
    let parcels = third.takeParcels()
    #expect(parcels.map(\.parcel) == ["a", "b"].map { Data($0.utf8) })
    #expect(parcels.allSatisfy { $0.from == 0 } && third.takeParcels().isEmpty)
  }

  @Test("what the processes know of one sender is added")
  func merged() {
    func figures(_ count: Int, at: String, requests: Int = 0) -> SenderFigures {
      var figures = SenderFigures()
      figures.requests = requests
      figures.faults = [
        .init(
          fault: "freshPhone", name: "a", count: count, example: "phone \(count)", at: at,
          advice: "b")
      ]
      return figures
    }
    let all = SenderFigures.merged([
      figures(3, at: "2026-03-02T08:00:00", requests: 10), figures(4, at: "2026-03-02T07:00:00"),
    ])
    #expect(all?.requests == 10 && all?.faults.count == 1 && all?.faults.first?.count == 7)
    #expect(all?.faults.first?.example == "phone 4")
    #expect(SenderFigures.merged([]) == nil)
  }
}
