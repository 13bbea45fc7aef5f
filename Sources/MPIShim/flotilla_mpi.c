// The part of MPI that the processes of a fleet need to exchange messages, behind ten functions:
// the program neither links nor needs MPI, and loads this library if mpirun started it. `make mpi`
// builds it. All functions are called from one thread.

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

// A message in flight: the bytes stay until MPI has sent them.
struct sent {
  MPI_Request request;
  struct sent *next;
  char bytes[];
};

static struct sent *underway;
static MPI_Message matched;
static char library[MPI_MAX_LIBRARY_VERSION_STRING];

enum { abi = 1, tag = 7 };

// Identifies the version of the program.
int flotilla_mpi_abi(void) { return abi; }

// Joins the other processes and waits for them. 0: done.
int flotilla_mpi_start(void) {
  int provided;
  // The program catches signals itself; errors are returned, not fatal.
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return 1;
  return MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS;
}

int flotilla_mpi_rank(void) {
  int rank = -1;
  return MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS ? rank : -1;
}

int flotilla_mpi_size(void) {
  int size = -1;
  return MPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS ? size : -1;
}

// Returns the name of the library, such as "Open MPI v4.1.4".
const char *flotilla_mpi_library(void) {
  int length;
  if (MPI_Get_library_version(library, &length) != MPI_SUCCESS) return "";
  return library;
}

// Copies a message and starts to send it. 0: done.
int flotilla_mpi_send(int to, const void *bytes, int count) {
  struct sent *message = malloc(sizeof *message + (size_t)count);
  if (!message) return 1;
  memcpy(message->bytes, bytes, (size_t)count);
  if (MPI_Isend(message->bytes, count, MPI_BYTE, to, tag, MPI_COMM_WORLD, &message->request) !=
      MPI_SUCCESS) {
    free(message);
    return 1;
  }
  message->next = underway;
  underway = message;
  return 0;
}

// Returns the number of unsent messages, and lets MPI progress.
int flotilla_mpi_underway(void) {
  int count = 0;
  for (struct sent **place = &underway; *place;) {
    struct sent *message = *place;
    int done = 0;
    if (MPI_Test(&message->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) done = 1;
    if (done) {
      *place = message->next;
      free(message);
    } else {
      place = &message->next;
      count++;
    }
  }
  return count;
}

// Checks for a message, which the next call of `flotilla_mpi_receive` takes. Returns its length in
// bytes, and its source; -1 if there is none.
int flotilla_mpi_look(int *from) {
  int is = 0, count = 0;
  MPI_Status status;
  if (MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &is, &matched, &status) != MPI_SUCCESS ||
      !is || MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS) {
    return -1;
  }
  *from = status.MPI_SOURCE;
  return count;
}

// Takes the message that was found. 0: done.
int flotilla_mpi_receive(void *bytes, int count) {
  return MPI_Mrecv(bytes, count, MPI_BYTE, &matched, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

// Leaves; waits until the others leave, too.
void flotilla_mpi_end(void) { MPI_Finalize(); }
