internal import Core
package import Scenarios
internal import Transport
package import Uploads

package struct MachineLimits: Sendable, Equatable {
  /// The current limit of open files.
  package var descriptors: Int
  /// The hard limit of open files, to which a process may raise its own limit.
  package var descriptorsHard: Int
  /// The number of local ports for outgoing connections, per pair of addresses.
  package var ports: Int
  package var memoryBytes: Int
}

/// Checks whether this machine can run a plan.
package struct Preflight: Sendable, Equatable {
  package let connections: Int
  package let descriptors: Int
  /// The number of ports in use at once to one destination.
  package let ports: Int
  /// The number of addresses such as 127.0.0.x, each of which has its own set of ports.
  package let sourceAddresses: Int
  package let memoryBytes: Int
  package let shortages: [String]

  // The estimates below are rounded up from measurements of this program.

  /// The memory of a process without any phone.
  private static let baseBytes = 120_000_000
  /// The memory per phone at a collector for rows of the last-seen table and of the sequences.
  private static let collectorBytesPerPhone = 200.0
  /// The memory of both ends of a connection, without the kernel's part.
  private static let bytesPerConnection = 4_096
  /// The descriptors of a process without connections, for files, event loops and pipes.
  private static let baseDescriptors = 128
  /// The time, in seconds, for which an upload keeps its connection open.
  private static let secondsOpen = 1.0
  /// The time, in seconds, in which all phones of a run without a warm start first send. A
  /// generator cannot keep up with more than `stampedeMax` uploads per second.
  private static let stampedeSeconds = 10.0
  private static let stampedeMax = 5_000.0

  package init(
    _ scenario: Scenario, _ forecast: LoadForecast, _ limits: MachineLimits,
    at place: SharePlace = .alone, isLoopback: Bool
  ) {
    let phones = place.range(of: scenario.fleet.phones).count
    switch scenario.connections {
    case .perUpload:
      let peak = forecast.peakPerSecond / Double(place.count)
      connections = min(phones, Int((peak * Self.secondsOpen).rounded(.up)))
    case .perPhone: connections = phones
    case .pooled(let count): connections = max(1, place.range(of: count).count)
    }
    descriptors = connections + Self.baseDescriptors
    let addresses =
      isLoopback ? min(254, 1 + connections / UploadDispatcher.connectionsPerAddress) : 1
    sourceAddresses = addresses
    ports = (connections + addresses - 1) / addresses
    let fleetBytes = forecast.bytesPerPhone * Double(phones)
    let serverBytes = isLoopback ? Self.collectorBytesPerPhone * Double(phones) : 0
    memoryBytes =
      Self.baseBytes + Int(fleetBytes + serverBytes) + connections * Self.bytesPerConnection
    shortages =
      Self.shortages(
        descriptors: descriptors, ports: ports, memoryBytes: memoryBytes, limits)
      + Self.stampede(scenario, forecast)
  }

  private static func stampede(_ scenario: Scenario, _ forecast: LoadForecast) -> [String] {
    let first = forecast.startPerSecond * 60 / scenario.speed
    guard scenario.warmStart < .minutes(1), first / stampedeSeconds > stampedeMax else { return [] }
    return [
      """
      warm start: about \(Int(first)) phones send in the first seconds, since all start at once; \
      simulate them before the measured part with '--set warmStart=1h'.
      """
    ]
  }

  private static func shortages(
    descriptors: Int, ports: Int, memoryBytes: Int, _ limits: MachineLimits
  ) -> [String] {
    var shortages: [String] = []
    if descriptors > limits.descriptors {
      let isAllowed = descriptors <= limits.descriptorsHard
      shortages.append(
        """
        descriptors: \(descriptors) needed, the limit is \(limits.descriptors); raise it with \
        'ulimit -n \(descriptors)'\(isAllowed ? "" : " as root") in the shell that starts the run.
        """)
    }
    if ports > limits.ports {
      shortages.append(
        """
        ports: \(ports) needed to one address, \(limits.ports) available; raise the limit with \
        'sysctl net.ipv4.ip_local_port_range="1024 65535"', or share connections with \
        '--set "connections=pooled(1000)"'.
        """)
    }
    if memoryBytes > limits.memoryBytes {
      shortages.append(
        """
        memory: \(memoryBytes / 1_000_000) MB needed, \(limits.memoryBytes / 1_000_000) MB free; \
        use fewer phones, or stop other programs.
        """)
    }
    return shortages
  }
}
