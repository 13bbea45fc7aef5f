#pragma once

// What keeps libmosquitto 2.0 from doing more than is good for a program with many clients. Both
// take the place of a function of the C library's; where a linker does not let a program's function
// do that (macOS), they do nothing.

// Refuses pairs of sockets to the calling thread, or gives them again. libmosquitto opens a pair
// for each client, to wake a loop of its own; with another loop it is not needed and costs two
// descriptors a client, and a write for each packet. libmosquitto goes on without.
void flotilla_refuse_socket_pairs(int refuses);

// Calls `call(client, argument)`; where an assertion fails in it, returns `broken` in the place of
// ending the program. libmosquitto 2.0.11 asserts on what a broker sends: a property of MQTT 5 that
// it does not know. After that the client may only be destroyed.
//
// No frame of Swift may lie between this call and the assertion.
int flotilla_guard_assertions(int (*call)(void *client, int argument), void *client, int argument,
                              int broken);

// Bytes that can be read from a socket without waiting; -1 where the system does not say. It stands
// here, as the next does, since a header that brings those of sockets would own their types.
long flotilla_readable_bytes(int descriptor);

// How a connect that did not wait went: 0, or the error.
int flotilla_connect_error(int descriptor);
