#pragma once
#include <nghttp2/nghttp2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A session packs each frame that it sends into a buffer of 16 KB, which it keeps for its lifetime.
// The sessions of one thread may share it, since the buffer is empty while no frame is being sent:
// a caller that takes frames out of a session takes all of them (HTTP2Session.swift). This saves
// ten thousand idle connections a page or two each.
struct flotilla_h2_memory {
  nghttp2_mem functions;
  void *frame;
  size_t frame_bytes;
  // Set while a session is being created.
  int is_making;
};

// The frame buffer is the only allocation of this size in a new session.
static const size_t flotilla_h2_frame_bytes_min = 16384;

static inline int flotilla_h2_is_frame(struct flotilla_h2_memory *memory, size_t size) {
  return memory->is_making && size >= flotilla_h2_frame_bytes_min &&
         (memory->frame == NULL || size <= memory->frame_bytes);
}

static void *flotilla_h2_malloc(size_t size, void *data) {
  struct flotilla_h2_memory *memory = (struct flotilla_h2_memory *)data;
  if (!flotilla_h2_is_frame(memory, size)) return malloc(size);
  if (memory->frame == NULL) {
    memory->frame = malloc(size);
    memory->frame_bytes = size;
  }
  return memory->frame;
}

static void flotilla_h2_free(void *block, void *data) {
  struct flotilla_h2_memory *memory = (struct flotilla_h2_memory *)data;
  if (block != memory->frame) free(block);
}

static void *flotilla_h2_calloc(size_t count, size_t size, void *data) {
  (void)data;
  return calloc(count, size);
}

static void *flotilla_h2_realloc(void *block, size_t size, void *data) {
  struct flotilla_h2_memory *memory = (struct flotilla_h2_memory *)data;
  if (block == NULL) return flotilla_h2_malloc(size, data);
  if (block != memory->frame) return realloc(block, size);
  void *fresh = malloc(size);
  if (fresh != NULL) {
    memcpy(fresh, block, size < memory->frame_bytes ? size : memory->frame_bytes);
  }
  return fresh;
}

// `memory` must not move and must outlive its sessions.
static inline void flotilla_h2_memory_init(struct flotilla_h2_memory *memory) {
  memset(memory, 0, sizeof *memory);
  memory->functions.mem_user_data = memory;
  memory->functions.malloc = flotilla_h2_malloc;
  memory->functions.free = flotilla_h2_free;
  memory->functions.calloc = flotilla_h2_calloc;
  memory->functions.realloc = flotilla_h2_realloc;
}

static inline nghttp2_mem *flotilla_h2_functions(struct flotilla_h2_memory *memory) {
  return &memory->functions;
}

static inline void flotilla_h2_memory_end(struct flotilla_h2_memory *memory) {
  free(memory->frame);
}

// The unions of nghttp2_frame and nghttp2_data_source, which Swift would copy entirely.
static inline const nghttp2_frame_hd *flotilla_h2_head(const nghttp2_frame *frame) {
  return &frame->hd;
}

static inline uint64_t flotilla_h2_ping_payload(const nghttp2_frame *frame) {
  uint64_t payload;
  memcpy(&payload, frame->ping.opaque_data, sizeof payload);
  return payload;
}

static inline int flotilla_h2_submit_ping(nghttp2_session *session, int is_answer, uint64_t payload) {
  return nghttp2_submit_ping(session, is_answer ? NGHTTP2_FLAG_ACK : NGHTTP2_FLAG_NONE,
                             (const uint8_t *)&payload);
}

static inline nghttp2_data_provider flotilla_h2_provider(
    void *source, nghttp2_data_source_read_callback read) {
  nghttp2_data_provider provider;
  provider.source.ptr = source;
  provider.read_callback = read;
  return provider;
}
