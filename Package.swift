// swift-tools-version: 6.2
import PackageDescription

// The rooms stand in the order in which the data walks through them; each names what it may
// import, and nothing else builds (`--explicit-target-dependency-import-check error`).
// `Design.md` shows the same table; `ArrowTests` compares the two.

let isFuzzing = Context.environment["FLOTILLA_FUZZ"] != nil

/// The one room whose tests are built (`make test ROOM=Phone`), or `Tidy`, `Fuzz`, `Flow`, `Live`;
/// nil builds all.
let testedRoom = Context.environment["FLOTILLA_ROOM"]

let houseSettings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]

struct Room {
  let name: String
  let mayImport: [String]
  /// What its tests need beside the room and what it imports.
  var testsImport: [String] = []
  /// Whether tests elsewhere share what its own make their worlds with: Tests/NAMESupport.
  var hasSupport = false
  var support: String { "\(name)Support" }
}

let rooms = [
  Room(name: "Core", mayImport: ["CXML", "CZlib", "CDeflate"]),
  Room(name: "Figures", mayImport: ["Core"]),
  Room(name: "Scenarios", mayImport: ["Core", "CDefaults", "CYAML"]),
  Room(name: "Push", mayImport: ["Core", "Scenarios"]),
  Room(
    name: "Phone", mayImport: ["Core", "Scenarios", "Push"], testsImport: ["PhoneSupport"]),
  Room(name: "ServerLogic", mayImport: ["Core"], testsImport: ["Scenarios"]),
  Room(
    name: "Fleet", mayImport: ["Core", "Scenarios", "Phone", "Push", "ServerLogic"],
    testsImport: ["PhoneSupport"]),
  Room(
    name: "Wire",
    mayImport: ["Core", "CProtobufC", "CFlotillaProto", "CZstd", "CZlib", "CDeflate"],
    testsImport: ["Scenarios", "Fleet"]),
  Room(
    name: "Transport",
    mayImport: [
      "Core", "Wire", "CUV", "COpenSSL", "CNghttp2", "CCurl", "CMosquitto",
      "CMosquittoGuard", "CWebsockets", "CMicrohttpd",
    ], hasSupport: true),
  Room(
    name: "Collector",
    mayImport: [
      "Core", "ServerLogic", "Wire", "Transport", "CSQLite", "CPostgreSQL",
    ],
    testsImport: ["Scenarios"], hasSupport: true),
  Room(name: "Capacity", mayImport: ["Core", "Figures", "Scenarios"]),
  Room(name: "Targets", mayImport: ["Core", "Scenarios", "Wire", "COpenSSL"]),
  Room(
    name: "Uploads",
    mayImport: [
      "Core", "Figures", "Scenarios", "Phone", "Push", "Fleet", "Wire", "Transport",
      "Collector", "Capacity", "Targets",
    ], hasSupport: true),
  Room(
    name: "Run",
    mayImport: [
      "Core", "Figures", "Scenarios", "Phone", "Push", "ServerLogic", "Fleet", "Wire", "Transport",
      "Collector", "Capacity", "Targets", "Uploads",
    ], hasSupport: true),
  Room(
    name: "Report", mayImport: ["Core", "Figures", "Capacity", "CNcurses", "CPage"],
    testsImport: ["Scenarios"], hasSupport: true),
  Room(
    name: "Commands",
    mayImport: ["Core", "Scenarios", "Wire", "Transport", "Uploads", "Report"]),
]

let shims: [Target] = [
  .systemLibrary(name: "CXML", pkgConfig: "libxml-2.0"),
  .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1"),
  .systemLibrary(name: "CProtobufC", pkgConfig: "libprotobuf-c"),
  .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
  .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate"),
  .systemLibrary(name: "CUV", pkgConfig: "libuv"),
  .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2"),
  .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
  .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto"),
  .systemLibrary(name: "CWebsockets", pkgConfig: "libwebsockets"),
  .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
  .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd"),
  .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
  .systemLibrary(name: "CNcurses"),
  .target(name: "CFlotillaProto", dependencies: ["CProtobufC"]),
  // The files of the program's own profiles, as bytes.
  .target(name: "CDefaults"),
  // The scripts of a report, as bytes.
  .target(name: "CPage"),
  // Keeps libmosquitto from opening three descriptors a client, and from ending the program.
  .target(name: "CMosquittoGuard"),
  // Loads libpq when a store needs it: nothing of PostgreSQL is needed to build.
  .target(
    name: "CPostgreSQL",
    linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
]

/// Rooms without a pointer: here the compiler refuses whatever is not safe of memory.
let pointerFree: Set = ["Phone"]

/// Rooms in which simulated days are lived, or logs of a million lines read: tests live thousands
/// of them, so that a debug build optimises these too and keeps its assertions.
let computing: Set = [
  "Core", "Scenarios", "Phone", "Push", "ServerLogic", "Fleet", "Wire",
  "Capacity",
]

/// Rooms on the path of a batch, whose classes are touched some hundred times for each: with the
/// run-time check that nothing is changed while it is read, a collector took 14 to 21 µs of CPU a
/// batch, without it 12 to 14. Release builds check all other rooms: with `Core` and
/// `Fleet` checked, `simulate city` took 1.02 × the CPU time (medians of eight in turn, 2.57 s and
/// 2.53 s), and a load of 60,000 phones the same. Debug builds and fuzzers check everywhere.
let onBatchPath: Set = ["Wire", "Transport", "Collector", "Targets", "Uploads"]

/// Rooms that read files, compose records, judge claims and print: optimised, they take three times
/// as long to compile (Scenarios 33 s of CPU, not 11), and no bench feels it. `make build` is what
/// a user waits for first.
let launchOnly: Set = [
  "Figures", "Scenarios", "Run", "Report", "Commands", "flotilla",
]

func settings(of room: String) -> [SwiftSetting] {
  houseSettings
    + (launchOnly.contains(room)
      ? [.unsafeFlags(["-Onone", "-assert-config", "Release"], .when(configuration: .release))]
      : [])
    + (pointerFree.contains(room) ? [.strictMemorySafety()] : [])
    + (onBatchPath.contains(room) && !isFuzzing
      ? [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))] : [])
    + (computing.contains(room)
      ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : [])
}

func dependencies(_ names: [String]) -> [Target.Dependency] { names.map { .byName(name: $0) } }

/// Tests are not optimised: it would take longer than to run them.
let testSettings: [SwiftSetting] =
  houseSettings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

var targets: [Target] = shims
// What tests of many rooms need; no room and no program has it.
targets.append(
  .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: testSettings))
// A phone that a test lives without a fleet.
targets.append(
  .target(
    name: "PhoneSupport",
    dependencies: dependencies(["Core", "Scenarios", "Phone"]),
    path: "Tests/PhoneSupport", swiftSettings: testSettings))
for room in rooms {
  targets.append(
    .target(
      name: room.name, dependencies: dependencies(room.mayImport),
      swiftSettings: settings(of: room.name)))
  let ofTests = [room.name] + room.mayImport + room.testsImport + ["TestSupport"]
  if room.hasSupport {
    targets.append(
      .target(
        name: room.support, dependencies: dependencies(ofTests), path: "Tests/\(room.support)",
        swiftSettings: testSettings))
  }
  guard testedRoom == nil || testedRoom == room.name else { continue }
  targets.append(
    .testTarget(
      name: "\(room.name)Tests",
      dependencies: dependencies(ofTests + (room.hasSupport ? [room.support] : [])),
      exclude: room.name == "Report" ? ["Dashboard/Golden"] : [], swiftSettings: testSettings))
}
targets.append(
  .executableTarget(
    name: "flotilla",
    dependencies: dependencies(rooms.map(\.name)),
    swiftSettings: settings(of: "flotilla")))
targets.append(
  .executableTarget(
    name: "flotilla-lab", dependencies: dependencies(rooms.map(\.name)),
    swiftSettings: settings(of: "flotilla-lab")))
if testedRoom == nil || testedRoom == "Lab" {
  targets.append(
    .testTarget(
      name: "LabTests",
      dependencies: dependencies(["flotilla-lab"] + rooms.map(\.name) + ["TestSupport"]),
      swiftSettings: testSettings))
}
if testedRoom == nil || testedRoom == "Tidy" {
  targets.append(
    .testTarget(
      name: "TidyTests",
      dependencies: dependencies(rooms.map(\.name) + ["flotilla-lab", "TestSupport"]),
      swiftSettings: testSettings))
}
// The programs themselves are under test from end to end, so they must be built before: as flows that
// `make test` runs, and as what needs others' software or a machine (`make test-live`).
if testedRoom == nil || ["Flow", "Live", "Program"].contains(testedRoom) {
  targets.append(
    .target(
      name: "LiveSupport", dependencies: dependencies(["Collector", "TestSupport"]),
      path: "Tests/LiveSupport", swiftSettings: testSettings))
  let ofPrograms = ["flotilla", "flotilla-lab", "TestSupport", "LiveSupport"]
  targets.append(
    .testTarget(
      name: "FlowTests", dependencies: dependencies(ofPrograms + ["Collector"]),
      swiftSettings: testSettings))
  targets.append(
    .testTarget(
      name: "LiveTests",
      dependencies: dependencies(
        ofPrograms + rooms.map(\.name) + rooms.filter(\.hasSupport).map(\.support)),
      exclude: ["Python", "Go", "Java", "Guard"], swiftSettings: testSettings))
  // Commands of both programs in this process.
  targets.append(
    .testTarget(
      name: "ProgramTests",
      dependencies: dependencies(ofPrograms + rooms.map(\.name)),
      swiftSettings: testSettings))
}

// `make fuzz` builds the checks of FuzzTests as libFuzzer programs, each with the rooms that it
// fuzzes; else they are a test target.
let fuzzers = [
  ("GPX", ["Core", "Scenarios", "Phone"]),
  ("YAML", ["Core", "Scenarios"]),
  ("Logs", ["Core", "Figures", "Scenarios", "Capacity"]),
  ("Frames", ["Core", "Wire"]),
  ("Batches", ["Core", "Wire", "CFlotillaProto"]),
  ("HTTP1", ["Core", "Wire", "Transport"]),
  ("HTTP2", ["Core", "Wire", "Transport"]),
  ("TLS", ["Core", "Wire", "Transport"]),
  ("Pushes", ["Core", "Push"]),
  ("Values", ["Core", "ServerLogic", "Wire", "Transport", "Collector"]),
]
if isFuzzing {
  for (name, rooms) in fuzzers {
    targets.append(
      .executableTarget(
        name: "Fuzz\(name)", dependencies: dependencies(rooms), path: "Tests/FuzzTests/\(name)",
        swiftSettings: houseSettings))
  }
} else if testedRoom == nil || testedRoom == "Fuzz" {
  targets.append(
    .testTarget(
      name: "FuzzTests",
      dependencies: dependencies(Set(fuzzers.flatMap(\.1)).sorted() + ["TestSupport"]),
      exclude: ["seeds.py"] + fuzzers.map { "\($0.0)/Fuzz\($0.0).swift" },
      swiftSettings: testSettings))
}

// ThreadSanitizer does not see into the toolchain's locks: its builds have a module of their name
// (and of another name to the linker, since others use the toolchain's beside it).
if Context.environment["FLOTILLA_SANITIZE"] == "thread" {
  for target in targets where target.type != .system {
    target.dependencies.append("Synchronization")
  }
  targets.append(
    .target(
      name: "Synchronization", path: "Tests/Synchronization",
      swiftSettings: [.unsafeFlags(["-module-abi-name", "FlotillaSynchronization"])]))
}

let package = Package(name: "flotilla", targets: targets)
