#pragma once

// Restrains libmosquitto 2.0 and libwebsockets for a program with many clients. The first three
// functions replace one of the C library each; on systems whose linker does not allow that (macOS),
// they do nothing.

// Denies socket pairs to the calling thread, or allows them again. libmosquitto opens a pair for
// each client, to wake its own loop; with another loop it is not needed and costs two descriptors
// per client, and a write per packet. libmosquitto works without it.
void flotilla_refuse_socket_pairs(int refuses);

// From now on, the calling thread, which ends and opens nothing, closes each descriptor once. The end
// of a context of libwebsockets 4.1.6 closes its eventfd twice, and in between another thread may
// have opened the same number.
void flotilla_refuse_second_closes(void);

// Calls `call(client, argument)`; if an assertion fails in it, returns `broken` instead of ending
// the program. libmosquitto 2.0.11 asserts on a broker's input: an MQTT 5 property that it does not
// know. After that the client may only be destroyed.
//
// No Swift frame may be between this call and the assertion.
int flotilla_guard_assertions(int (*call)(void *client, int argument), void *client, int argument,
                              int broken);

// Bytes that can be read from a socket without waiting; -1 if unknown. Declared here, like the
// next, since a header that includes the socket headers would own their types.
long flotilla_readable_bytes(int descriptor);

// The result of a nonblocking connect: 0, or the error.
int flotilla_connect_error(int descriptor);

// Opens a listening local socket whose file is already deleted: only this process can connect, to
// the path of `place` below /proc/self/fd. Returns the listening socket; -1 if there is none.
int flotilla_listen_locally(int *place);

// Takes the oldest connection to a listening local socket; -1 if there is none. Nothing blocks.
int flotilla_accept(int listener);
