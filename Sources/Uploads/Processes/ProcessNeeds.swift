internal import Core

/// The minimum system resources of a process, below which libraries crash or hang.
package enum ProcessNeeds {
  /// Loops, a store, a log and a terminal take some 40 descriptors.
  private static let descriptors = 64
  /// Foundation uses descriptors up to this one to start a process.
  private static let descriptorsOfParent = 256
  /// Each thread reserves much more address space for stack and heap than it uses. A run on two
  /// cores reserved 1 GiB.
  private static let (addresses, addressesPerCore) = (1 << 30, 1 << 27)

  /// Returns what is missing and how to raise it; nil if the limits suffice.
  package static func shortage(cores: Int) -> String? {
    shortage(
      descriptors: ResourceLimit.descriptors.current,
      addressSpace: ResourceLimit.addressSpace.current, cores: cores)
  }

  static func shortage(descriptors: Int, addressSpace: Int, cores: Int) -> String? {
    if descriptors < Self.descriptors { return few(descriptors, Self.descriptors, "to run") }
    let least = addresses + cores * addressesPerCore
    guard addressSpace < least else { return nil }
    return """
      the address-space limit is \(addressSpace >> 20) MiB; the threads of this process need \
      \(least >> 20) MiB or more: raise it with 'ulimit -v unlimited' in the shell that starts \
      it, and limit the memory in another way, such as a cgroup.
      """
  }

  package static var shortageOfParent: String? {
    shortageOfParent(descriptors: ResourceLimit.descriptors.current)
  }

  static func shortageOfParent(descriptors: Int) -> String? {
    descriptors < descriptorsOfParent
      ? few(descriptors, descriptorsOfParent, "to start another process") : nil
  }

  private static func few(_ count: Int, _ least: Int, _ what: String) -> String {
    "the limit of open files is \(count); this process needs \(least) or more \(what): raise "
      + "it with 'ulimit -n 4096' in the shell that starts it."
  }
}
