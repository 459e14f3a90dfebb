// Plain data in SharedMemory, which a pool and its worker processes share.
//
//   pool     tickets -> ring of the env's worker, rings its bell if it sleeps
//   pool     message -> the worker's pipe, counts it in `messages`
//   worker   step -> row of the batch -> record -> `done`; rings the pool's bell at its last row
//
// A ticket is of one env. A worker does its tickets in order, so the one store of `done` commits a
// row: whenever a worker dies, the pool knows which rows are written.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "parallel_pool/core/engine/runner.h"
#include "parallel_pool/core/engine/ticket_queue.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// The report of a worker about a ticket that it has done.
struct TicketResult {
  uint64_t row;  // async pools: the position of its row among all rows of the pool
  uint32_t failed;
};

// One worker.
struct WorkerQueue {
  int32_t first_env, num_envs;
  uint64_t mask;              // of positions in the rings
  uint64_t tickets, records;  // offsets of the rings

  // The pool writes:
  alignas(64) std::atomic<uint64_t> sent;  // tickets so far
  uint64_t next;                           // the same, with those that are not published yet
  std::atomic<uint64_t> messages;          // messages so far, in the worker's pipe
  std::atomic<uint32_t> bell;              // the worker's futex word
  // The worker writes:
  alignas(64) std::atomic<uint64_t> done;  // tickets so far
  std::atomic<uint64_t> answered;          // messages so far
  std::atomic<uint64_t> begun;             // tickets that it has begun
  EnvState before;                         // of the env of the last one, before it
  std::atomic<uint32_t> asleep, spinning;
};

// A batch that can have rows.
struct SharedBatch {
  uint64_t block;  // offset
  int32_t capacity, rows;
  uint64_t first_row;
};

// The numbers of the next reset of an env.
struct SharedSeed {
  uint64_t seed;
  uint32_t given;  // not 0: the next reset uses it; see CalledGroup
};

// The first of the shared memory. Offsets are those of arrays with an element for each worker,
// batch, row or env.
struct SharedHeader {
  int32_t num_workers, num_batches;
  int32_t usable_threads;  // of the pool's process
  uint64_t lanes, batches, states, episodes, times, seeds, errors;
  // For each row that batches have room for, who writes it: OwnerOf.
  uint64_t owners;
  uint64_t num_owners;
  uint64_t actions[256];  // offset of the rows of each array

  alignas(64) std::atomic<uint64_t> wake_at;  // the pool sleeps until the workers have done so many
  std::atomic<uint32_t> bell;                 // the pool's futex word
  std::atomic<uint32_t> stop;
  alignas(
      64) std::atomic<uint64_t> next_row;  // hint: the first row without an owner; may be too small
};
inline constexpr uint64_t kNever = ~uint64_t{0};

// Async pools: the owner of a row. A row is used again for one of a later round, so its round is
// part of the word, and no worker can take it for the wrong one.
inline constexpr uint64_t kWritten = ~uint64_t{0};  // no worker may take it until the next round
inline uint64_t OwnerOf(uint64_t round, uint32_t worker_plus_1) {
  return round << 32 | worker_plus_1;
}

// Sleep on words that processes share. Wake changes the word.
struct SharedSync {
  static void Wait(const std::atomic<uint32_t>& word, uint32_t seen,
                   std::chrono::nanoseconds limit);
  static void Wake(std::atomic<uint32_t>& word);
};

// The number of tickets that all workers have done.
uint64_t DoneByAll(const SharedHeader& link, const WorkerQueue* lanes);

// Takes the next row without an owner for `worker`; returns its position.
uint64_t TakeRow(SharedHeader& link, std::atomic<uint64_t>* owners, uint32_t worker);

}  // namespace parallel_pool
