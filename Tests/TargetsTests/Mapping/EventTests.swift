internal import Core
internal import Scenarios
internal import TestSupport
internal import Testing
@testable internal import Targets

/// The request of an event: `events` in a target's file.
@Suite("Events of a target", .quick)
struct EventTests {
  private static func file(_ events: String, more: String = "") -> String {
    smallestTarget + "events: \(events)\n" + more
  }

  private static let fix = TargetsTests.fix()
  private static let now = SimInstant(microseconds: 1_772_436_660_000_000)

  private static func context(_ event: AppEvent) -> UploadContext {
    var context = UploadContext(
      BatchID(phone: PhoneID(rawValue: 17), epoch: 1, sequence: event.number),
      fixes: event.fix.map { [$0] } ?? [], now: now.microseconds)
    context.event = event
    return context
  }

  private static func body(_ name: String, _ event: AppEvent) throws -> String {
    let program = try #require(TargetPrograms(masked: try shippedTargets.load(name)).events)
    return text { program.write(body: context(event), into: &$0) }
  }

  private static func event(
    _ kind: AppEvent.Kind, place: UInt8 = 0, detail: UInt8 = 0, dwell: UInt32? = nil,
    fix: Fix? = EventTests.fix
  ) -> AppEvent {
    AppEvent(
      kind, place: place, detail: detail, number: 5, dwellSeconds: dwell, noticed: now,
      happened: now - .seconds(90), fix: fix)
  }

  @Test("an event has its kind, its region, its dwell, and the times of crossing and callback")
  func values() throws {
    let target = try readTarget(
      Self.file(
        """
        { path: /, message: { a: $event, b: $trigger, c: $region, d: $dwell, e: $noticed.s,
          f: $happened, g: $permission, h: $sequence, i: $latitude } }
        """))
    let program = try #require(TargetPrograms(masked: target).events)
    func json(_ event: AppEvent) -> String {
      text { program.write(body: Self.context(event), into: &$0) }
    }
    #expect(
      json(Self.event(.dwell, place: 2, dwell: 300))
        == #"{"a":"dwell","b":"region","c":"place_2","d":300,"e":1772436660,"#
        + #""f":"2026-03-02T07:29:30.000Z","g":null,"h":5,"i":52.520008}"#)
    var opened = Self.event(.opened, fix: nil)
    opened.happened = nil
    #expect(
      json(opened) == #"{"a":"opened","b":"opened","c":null,"d":null,"e":1772436660,"#
        + #""f":null,"g":null,"h":5,"i":null}"#)
    let always = json(Self.event(.permission, detail: Authorization.always.rawValue))
    #expect(always.contains(#""a":"permission","b":"permission","c":null"#))
    #expect(always.contains(#""g":"always""#))
  }

  @Test("every kind has a word and a trigger, and a repetition keeps its identifier")
  func kinds() throws {
    for kind in AppEvent.Kind.allCases {
      let body = try Self.body("event-webhook", Self.event(kind))
      #expect(
        body.contains(#""type":"\#(kind)""#) && body.contains(#""trigger":"\#(kind.trigger)""#))
      #expect(body == (try Self.body("event-webhook", Self.event(kind))))
    }
    let first = Self.context(Self.event(.enter))
    var second = first
    second.sequence = 6
    #expect(first.uuid(fix: nil) != second.uuid(fix: nil))
    // A batch with the same number is another thing.
    second.sequence = 5
    second.event = nil
    #expect(first.uuid(fix: nil) != second.uuid(fix: nil))
  }

  @Test("OwnTracks gets a transition, with leave for an exit")
  func ownTracks() throws {
    let entered = try Self.body("owntracks-mqtt", Self.event(.enter))
    #expect(
      entered == #"{"_type":"transition","event":"enter","desc":"home","t":"c","#
        + #""lat":52.520008,"lon":13.404954,"acc":12,"tst":1772436600,"wtst":1767225600,"#
        + #""tid":"17"}"#)
    #expect(try Self.body("owntracks", Self.event(.exit, place: 1)).contains(#""event":"leave""#))
    let target = try shippedTargets.load("owntracks-mqtt")
    let events = try #require(TargetPrograms(masked: target).events)
    let topic = text { events.write(topic: Self.context(Self.event(.enter)), into: &$0) }
    #expect(topic == "owntracks/user000017/phone/event" && !events.form.isRetained)
  }

  @Test("Home Assistant gets the companion app's event of a zone, and none is repeated")
  func homeAssistant() throws {
    let left = try Self.body("homeassistant", Self.event(.exit, place: 3))
    #expect(left.contains(#""type":"fire_event","data":{"event_type":"ios.zone_exited""#))
    #expect(left.contains(#""zone":"zone.place_3""#))
    #expect(try shippedTargets.load("homeassistant").events?.isKept == false)
  }

  @Test("the transistorsoft SDK posts a record with event and geofence, or without geofence")
  func transistorsoft() throws {
    let dwelt = try Self.body("transistorsoft", Self.event(.dwell, place: 1))
    #expect(dwelt.contains(#""event":"geofence""#))
    #expect(dwelt.contains(#""geofence":{"identifier":"work","action":"DWELL""#))
    #expect(
      try Self.body("transistorsoft", Self.event(.motion)).contains(#""event":"motionchange""#))
  }

  @Test("a value of an event is refused elsewhere, and a repeated fix in an event")
  func mistakes() {
    let misplaced = smallestTarget.replacing("lat: $latitude", with: "kind: $event")
    #expect(
      diagnostics(in: misplaced).contains { $0.contains("'event' is a value only in 'events'") })
    let each = Self.file("{ path: /, message: { fixes: { each: fix, lat: $latitude } } }")
    #expect(diagnostics(in: each).contains { $0.contains("a request has one event") })
    let unknown = Self.file("{ path: /, message: { a: $regoin } }")
    #expect(diagnostics(in: unknown).contains { $0.contains("regoin") && $0.contains("region") })
    let pathless = Self.file("{ message: { a: $event } }")
    #expect(diagnostics(in: pathless).contains { $0.contains("events.path is missing") })
    #expect(diagnostics(in: Self.file("{ path: /, message: { a: $event } }")).isEmpty)
  }

  @Test("a target names the kinds of events that its app sends, by default all")
  func kindsOfTarget() throws {
    let some = try readTarget(
      Self.file("{ kinds: [regions, boot], path: /, message: { a: $event } }"))
    #expect(some.events?.kinds == [.regions, .boot])
    let all = try readTarget(Self.file("{ path: /, message: { a: $event } }"))
    #expect(all.events?.kinds == .all && EventUse.Kinds.all.text.split(separator: ",").count == 6)
    #expect(try shippedTargets.load("owntracks").events?.kinds == .regions)
    #expect(
      !diagnostics(in: Self.file("{ kinds: [region], path: /, message: { a: $event } }")).isEmpty)
  }

  @Test("the answer rules of events decide on an event, not those of uploads")
  func answers() throws {
    let target = try readTarget(
      Self.file(
        """
        { path: /, message: { a: $event }, answer: [{ when: { status: 409 }, is: stored }] }
        """))
    func judge(_ rules: AnswerRules) -> Targets.Answer.Outcome {
      [UInt8]().withUnsafeBytes {
        rules.judge(status: 409, header: { _ in nil }, body: $0).answer.outcome
      }
    }
    #expect(judge(target.eventAnswers) == .stored)
    #expect(judge(target.uploadAnswers) == .failed)
  }
}
