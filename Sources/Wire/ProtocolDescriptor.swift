internal import CFlotillaProto

/// The definitions of a collector's services and messages as protoc describes them.
package enum ProtocolDescriptor {
  /// A `FileDescriptorSet` of `flotilla/v1/collector.proto` and of gRPC's own services.
  package static var files: [UInt8] {
    // What `proto/generate` wrote: an array of so many bytes.
    Array(
      UnsafeRawBufferPointer(
        start: flotilla_collector_descriptor_start(),
        count: Int(flotilla_collector_descriptor_bytes)))
  }
}
