#include "parallel_pool/core/xla/cuda.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace parallel_pool {
namespace {

// The alignment of arrays within a block.
constexpr size_t kAlignment = 64;
// Blocks of results of a pool: the GPU reads some while the next call fills another.
constexpr size_t kMostBlocks = 4;
// Events that measure no time (CU_EVENT_DISABLE_TIMING).
constexpr unsigned kNoTiming = 2;

size_t BytesOf(const XlaArray& array) {
  int64_t count = 1;
  for (const int64_t n : array.shape) count *= n;
  return count * ItemBytes(array.dtype);
}

size_t BytesOf(std::span<const XlaArray> arrays) {
  size_t bytes = 0;
  for (const XlaArray& array : arrays) {
    bytes += (BytesOf(array) + kAlignment - 1) / kAlignment * kAlignment;
  }
  return bytes;
}

uint64_t AddressOf(const XlaArray& array) {
  return reinterpret_cast<uint64_t>(array.data);
}

}  // namespace

CudaStaging::~CudaStaging() {
  if (context_ == nullptr) return;
  const CurrentContext current(driver_, context_);
  results_.push_back(arguments_);
  for (const Block& block : results_) {
    if (!block.is_read) driver_.wait_for_event(block.event);
    if (block.event != nullptr) driver_.destroy_event(block.event);
    if (block.memory != nullptr) driver_.free(block.memory);
  }
}

void CudaStaging::Check(int status, const char* what) const {
  if (status == 0) return;
  throw std::runtime_error(std::string(what) + ": " + CudaErrorText(driver_, status));
}

// The arrays one after the other in `memory`.
std::vector<XlaArray> CudaStaging::Place(std::span<const XlaArray> arrays, std::byte* memory) {
  std::vector<XlaArray> placed(arrays.begin(), arrays.end());
  for (XlaArray& array : placed) {
    array.data = memory;
    memory += BytesOf(std::span(&array, 1));
  }
  return placed;
}

void CudaStaging::Resize(Block* block, size_t bytes) {
  if (block->bytes >= bytes) return;
  if (block->memory != nullptr) Check(driver_.free(block->memory), "cuMemFreeHost");
  block->memory = nullptr;
  block->bytes = 0;
  void* memory = nullptr;
  Check(driver_.allocate(&memory, bytes), "cuMemAllocHost");
  block->memory = static_cast<std::byte*>(memory);
  block->bytes = bytes;
}

// A block of results that the GPU has read; it waits for the oldest if there are too many. The list
// is in the order of their use.
CudaStaging::Block& CudaStaging::FreeBlock() {
  for (Block& block : results_) {
    if (!block.is_read) block.is_read = driver_.query(block.event) == 0;
  }
  auto free = std::find_if(results_.begin(), results_.end(), [](auto& b) { return b.is_read; });
  if (free == results_.end() && results_.size() < kMostBlocks) return results_.emplace_back();
  if (free == results_.end()) {
    free = results_.begin();
    Check(driver_.wait_for_event(free->event), "cuEventSynchronize");
    free->is_read = true;
  }
  std::rotate(free, free + 1, results_.end());
  return results_.back();
}

std::span<const XlaArray> CudaStaging::Fetch(std::span<const XlaArray> arguments,
                                             CudaDriver::Stream stream) {
  Check(driver_.context_of(stream, &context_), "cuStreamGetCtx");
  const CurrentContext current(driver_, context_);
  Resize(&arguments_, BytesOf(arguments));
  host_arguments_ = Place(arguments, arguments_.memory);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t bytes = BytesOf(arguments[i]);
    if (bytes == 0) continue;
    Check(driver_.to_host(host_arguments_[i].data, AddressOf(arguments[i]), bytes, stream),
          "cuMemcpyDtoHAsync");
  }
  Check(driver_.wait_for_stream(stream), "cuStreamSynchronize");
  return host_arguments_;
}

std::span<const XlaArray> CudaStaging::Results(std::span<const XlaArray> results,
                                               CudaDriver::Stream stream) {
  Check(driver_.context_of(stream, &context_), "cuStreamGetCtx");
  const CurrentContext current(driver_, context_);
  current_ = &FreeBlock();
  Resize(current_, BytesOf(results));
  host_results_ = Place(results, current_->memory);
  return host_results_;
}

void CudaStaging::Return(std::span<const XlaArray> results, CudaDriver::Stream stream) {
  const CurrentContext current(driver_, context_);
  if (current_->event == nullptr) {
    Check(driver_.create_event(&current_->event, kNoTiming), "cuEventCreate");
  }
  current_->is_read = false;
  for (size_t i = 0; i < results.size(); ++i) {
    const size_t bytes = BytesOf(results[i]);
    if (bytes == 0) continue;
    Check(driver_.to_device(AddressOf(results[i]), host_results_[i].data, bytes, stream),
          "cuMemcpyHtoDAsync");
  }
  Check(driver_.record(current_->event, stream), "cuEventRecord");
}

}  // namespace parallel_pool
