// Arrays of programs on an NVIDIA GPU, through pinned memory of the processor.
//
//   Fetch     arguments: copy to the host on XLA's stream, then wait for the stream
//   Results   the host's memory that a call writes its results to
//   Return    results: copy to the GPU on the stream, and do not wait
//
// XLA runs what follows on the same stream, so it sees the results. Blocks of results are used
// again when the GPU has read them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "parallel_pool/core/cuda/driver.h"
#include "parallel_pool/core/xla/xla_array.h"

namespace parallel_pool {

// The pinned memory of one pool; one thread at a time may use it. All throw std::runtime_error if
// the driver reports an error.
class CudaStaging {
 public:
  CudaStaging() : driver_(TheCudaDriver()) {}
  ~CudaStaging();  // waits until the GPU has read everything
  CudaStaging(const CudaStaging&) = delete;
  CudaStaging& operator=(const CudaStaging&) = delete;

  // The arguments of a call in the host's memory, until the next Fetch.
  std::span<const XlaArray> Fetch(std::span<const XlaArray> arguments, CudaDriver::Stream stream);
  // The host's memory of the results of a call, until Return.
  std::span<const XlaArray> Results(std::span<const XlaArray> results, CudaDriver::Stream stream);
  void Return(std::span<const XlaArray> results, CudaDriver::Stream stream);

 private:
  struct Block {
    std::byte* memory = nullptr;
    size_t bytes = 0;
    CudaDriver::Event event = nullptr;  // of the last Return
    bool is_read = true;                // by the GPU; false: the event tells
  };

  void Check(int status, const char* what) const;
  void Resize(Block* block, size_t bytes);
  Block& FreeBlock();
  static std::vector<XlaArray> Place(std::span<const XlaArray> arrays, std::byte* memory);

  const CudaDriver& driver_;
  void* context_ = nullptr;  // the last stream's
  Block arguments_;
  std::vector<Block> results_;
  Block* current_ = nullptr;  // the block of Results
  std::vector<XlaArray> host_arguments_, host_results_;
};

}  // namespace parallel_pool
