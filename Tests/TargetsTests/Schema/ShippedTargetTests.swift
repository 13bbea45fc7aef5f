internal import Foundation
internal import Scenarios
internal import TestSupport
internal import Testing
@testable internal import Targets

/// The shipped targets send what their clients send (`client.source` of each file).
@Suite("Shipped targets", .quick)
struct ShippedTargetTests {
  @Test("every shipped target is valid, and names its client")
  func all() throws {
    #expect(
      Set(shippedTargets.names).isSuperset(of: [
        "traccar", "traccar-query", "traccar-json", "owntracks", "owntracks-mqtt", "overland",
        "transistorsoft", "radar", "gpslogger", "homeassistant", "grpc-example",
      ]))
    for name in shippedTargets.names {
      let target = try shippedTargets.load(name)
      #expect(!target.client.version.isEmpty && !target.client.source.isEmpty, "\(name)")
      #expect(!target.description.isEmpty, "\(name)")
      let address = try #require(TargetAddress(target.url), "\(name)")
      #expect(address.isLocal, "\(name) must not point at somebody else")
    }
  }

  private func requests(_ name: String) throws -> TargetPrograms {
    TargetPrograms(masked: try shippedTargets.load(name))
  }

  private func body(_ name: String) throws -> String {
    let upload = try requests(name).upload
    return text { upload.write(body: context([fix()]), into: &$0) }
  }

  @Test("Traccar Client 10 posts one position as a form: knots to two digits, seconds")
  func traccar() throws {
    // 1.4 m/s are 2.7213… knots.
    #expect(
      try body("traccar")
        == "id=000017&lat=52.520008&lon=13.404954&timestamp=1772436600&accuracy=12&speed=2.72"
        + "&bearing=271&batt=83&charge=false")
  }

  @Test("Traccar's query form has every name that Home Assistant's webhook needs")
  func traccarQuery() throws {
    let upload = try requests("traccar-query").upload
    let path = text { upload.write(path: context([fix()]), into: &$0) }
    #expect(
      path == "/?id=000017&lat=52.520008&lon=13.404954&timestamp=1772436600&accuracy=12"
        + "&altitude=0&speed=2.72&bearing=271&batt=83")
    #expect(text { upload.write(body: context([fix()]), into: &$0) }.isEmpty)
  }

  @Test("Traccar's JSON has what the decoder requires inside coords, -1 for unknown")
  func traccarJSON() throws {
    let upload = try requests("traccar-json").upload
    let known = text { upload.write(body: context([fix()]), into: &$0) }
    #expect(
      known == #"{"device_id":"00000017","location":{"timestamp":"2026-03-02T07:30:00.000Z","#
        + #""coords":{"latitude":52.520008,"longitude":13.404954,"accuracy":12,"speed":1.4,"#
        + #""heading":271,"altitude":-1},"is_moving":true,"odometer":0,"#
        + #""battery":{"level":0.83,"is_charging":false},"activity":{"type":"in_vehicle"},"#
        + #""extras":{}}}"#)
    let still = text {
      upload.write(body: context([fix(speed: -1, course: -1)]), into: &$0)
    }
    #expect(still.contains(#""speed":-1,"heading":-1"#))
  }

  @Test("OwnTracks posts one message: whole km/h, no zeros, limits and Basic")
  func ownTracks() throws {
    let upload = try requests("owntracks").upload
    #expect(
      try body("owntracks")
        == #"{"_type":"location","lat":52.520008,"lon":13.404954,"tst":1772436600,"acc":12,"#
        + #""vel":5,"cog":271,"batt":83,"bs":1,"conn":"m","m":1,"tid":"17","#
        + #""topic":"owntracks/user000017/phone","created_at":1772436660}"#)
    let resting = text {
      upload.write(body: context([fix(accuracy: 0, speed: 1, course: 0)]), into: &$0)
    }
    for key in ["vel", "cog", "acc", "alt"] { #expect(!resting.contains("\"\(key)\"")) }
    let headers = upload.headers.map { header in
      header.name + ": " + text { upload.write(header: header, context([fix()]), into: &$0) }
    }
    let basic = Data("user000017:password-17".utf8).base64EncodedString()
    #expect(
      headers == [
        "X-Limit-U: user000017", "X-Limit-D: phone", "Authorization: Basic \(basic)",
      ])
    #expect(
      text { upload.write(path: context([fix()]), into: &$0) } == "/pub?u=user000017&d=phone")
  }

  @Test("OwnTracks over MQTT: the topic, QoS 1, retained, and a will of type lwt")
  func ownTracksMQTT() throws {
    let target = try shippedTargets.load("owntracks-mqtt")
    let upload = try requests("owntracks-mqtt").upload
    #expect(
      text { upload.write(topic: context([fix()]), into: &$0) } == "owntracks/user000017/phone")
    #expect(upload.form.qos == 1 && upload.form.isRetained)
    #expect(!target.mqtt.isClean && target.mqtt.level == .v311)
    #expect(target.mqtt.will?.isRetained == false)
    #expect(try body("owntracks-mqtt").hasPrefix(#"{"_type":"location","lat":52.520008,"#))
  }

  @Test("Overland sends GeoJSON, and its current position while more than a request waits")
  func overland() throws {
    let programs = try requests("overland")
    let feature = """
      {"type":"Feature","geometry":{"type":"Point","coordinates":[13.404954,52.520008]},\
      "properties":{"timestamp":"2026-03-02T07:30:00Z","altitude":0,"speed":1,\
      "horizontal_accuracy":12,"vertical_accuracy":-1,"motion":["driving"],\
      "battery_state":"unplugged","battery_level":0.83,"device_id":"phone-000017","wifi":""}}
      """
    let two = context([fix(), fix()])
    #expect(
      text { programs.upload.write(body: two, into: &$0) }
        == "{\"locations\":[\(feature),\(feature)]}")
    let backlog = try #require(programs.backlog)
    let waiting = text { backlog.write(body: two, into: &$0) }
    #expect(waiting.hasPrefix("{\"locations\":[\(feature),\(feature)],\"current\":{"))
  }

  @Test("transistorsoft's SDK sends one location with its uuid, the same when it is repeated")
  func transistorsoft() throws {
    let first = try body("transistorsoft")
    #expect(first == (try body("transistorsoft")))
    #expect(first.contains(#""heading":271,"altitude":-1},"activity":{"type":"in_vehicle""#))
    #expect(first.hasSuffix(#""extras":{}},"device_id":"device-000017"}"#))
  }

  @Test("Radar tracks one location, and replays those that waited")
  func radar() throws {
    let programs = try requests("radar")
    let track = text { programs.upload.write(body: context([fix()]), into: &$0) }
    #expect(track.contains(#""locationMs":1772436600000,"#))
    #expect(track.contains(#""replayed":false"#))
    let backlog = try #require(programs.backlog)
    let replay = text { backlog.write(body: context([fix(), fix()]), into: &$0) }
    #expect(replay.hasPrefix(#"{"replays":[{"installId":"install-00000017-1","#))
    #expect(replay.contains(#""replayed":true"#))
    #expect(
      text { backlog.write(path: context([fix()]), into: &$0) } == "/v1/track/replay")
    let key = try #require(backlog.headers.first { $0.name == "Authorization" })
    let value = text { backlog.write(header: key, context([fix()]), into: &$0) }
    #expect(value.hasPrefix("prj_test_pk_"))
  }

  @Test("GPSLogger posts the form of Home Assistant's manual")
  func gpsLogger() throws {
    #expect(
      try body("gpslogger")
        == "latitude=52.520008&longitude=13.404954&device=phone_17&accuracy=12&battery=83"
        + "&speed=1.4&direction=271&altitude=0&provider=gps")
  }

  @Test("Home Assistant gets the newest position of a batch, at the webhook it gave")
  func homeAssistant() throws {
    let programs = try requests("homeassistant")
    let batch = context([fix(latitude: 0), fix()], kept: ["ab12"])
    #expect(
      text { programs.upload.write(path: batch, into: &$0) } == "/api/webhook/ab12")
    #expect(
      text { programs.upload.write(body: batch, into: &$0) }
        == #"{"type":"update_location","data":{"gps":[52.520008,13.404954],"gps_accuracy":12,"#
        + #""battery":83,"speed":1,"course":271}}"#)
    #expect(programs.upload.form.method == .post)
    let register = try #require(programs.register)
    let message = text { register.write(body: context([]), into: &$0) }
    #expect(message.contains(#""device_id":"flotilla-000017-1","app_id":"flotilla""#))
    #expect(message.contains(#""app_data":{"push_token":"none","push_url":"http://"#))
    var pushed = context([])
    pushed.device.pushToken = "ab"
    let registered = text { register.write(body: pushed, into: &$0) }
    #expect(registered.contains(#""app_data":{"push_token":"ab","push_url":"http://"#))
    let token = try #require(register.headers.first)
    #expect(text { register.write(header: token, context([]), into: &$0) } == "Bearer ***")
  }
}
