// Built with the headers of the oldest jaxlib that has this interface: newer ones accept handlers
// of an older minor version and refuse newer ones. The headers are all that is used of jaxlib.
#include "parallel_pool/core/xla/handlers.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "parallel_pool/core/xla/xla_pool.h"
#include "xla/ffi/api/ffi.h"

namespace parallel_pool {
namespace {

namespace ffi = xla::ffi;

std::optional<DType> TypeOf(ffi::DataType type) {
  switch (type) {
    case ffi::DataType::PRED:
      return DType::kBool;
    case ffi::DataType::S8:
      return DType::kInt8;
    case ffi::DataType::U8:
      return DType::kUint8;
    case ffi::DataType::S16:
      return DType::kInt16;
    case ffi::DataType::S32:
      return DType::kInt32;
    case ffi::DataType::S64:
      return DType::kInt64;
    case ffi::DataType::F32:
      return DType::kFloat32;
    case ffi::DataType::F64:
      return DType::kFloat64;
    default:
      return std::nullopt;
  }
}

ffi::AnyBuffer BufferAt(const ffi::RemainingArgs& all, size_t i) {
  return all.get<ffi::AnyBuffer>(i).value();
}

ffi::AnyBuffer BufferAt(const ffi::RemainingRets& all, size_t i) {
  return *all.get<ffi::AnyBuffer>(i).value();
}

// The buffers of a call. Few calls have more than kFew, so most allocate nothing.
class Arrays {
 public:
  // False if a buffer has a type that no pool has.
  template <class Buffers>
  bool Read(const Buffers& buffers) {
    const size_t count = buffers.size();
    if (count > kFew) many_.resize(count);
    XlaArray* const first = count > kFew ? many_.data() : few_;
    for (size_t i = 0; i < count; ++i) {
      const ffi::AnyBuffer buffer = BufferAt(buffers, i);
      const std::optional<DType> type = TypeOf(buffer.element_type());
      if (!type) return false;
      const auto shape = buffer.dimensions();
      first[i] = {
          *type, {shape.begin(), shape.size()}, static_cast<std::byte*>(buffer.untyped_data())};
    }
    all_ = {first, count};
    return true;
  }
  std::span<const XlaArray> all() const { return all_; }

 private:
  static constexpr size_t kFew = 32;
  XlaArray few_[kFew];
  std::vector<XlaArray> many_;
  std::span<const XlaArray> all_;
};

ffi::ErrorCode CodeOf(XlaError::Type type) {
  switch (type) {
    case XlaError::kValue:
      return ffi::ErrorCode::kInvalidArgument;
    case XlaError::kRuntime:
      return ffi::ErrorCode::kFailedPrecondition;
    case XlaError::kMemory:
      return ffi::ErrorCode::kResourceExhausted;
    case XlaError::kEnv:
      break;
  }
  return ffi::ErrorCode::kInternal;
}

// Runs a call, whose arrays are not set yet, of the pool with this number.
ffi::Error Run(int64_t id, XlaCall call, const ffi::RemainingArgs& arguments,
               const ffi::RemainingRets& results) {
  const std::shared_ptr<XlaPool> pool = FindXlaPool(id);
  if (pool == nullptr)
    return ffi::Error::InvalidArgument("the pool of this program was closed and freed");
  Arrays from, to;
  if (!from.Read(arguments) || !to.Read(results)) {
    return ffi::Error::InvalidArgument("an array has a dtype that no pool has");
  }
  call.arguments = from.all();
  call.results = to.all();
  XlaStatus status = pool->Run(call);
  if (status.text.empty()) return ffi::Error::Success();
  return {CodeOf(status.type), std::move(status.text)};
}

template <class Binding>
auto WithAttributes(Binding binding) {
  return std::move(binding)
      .template Attr<int64_t>("pool")
      .template Attr<bool>("counted")
      .template Attr<bool>("has_env_id")
      .template Attr<bool>("has_seed")
      .RemainingArgs()
      .RemainingRets();
}

template <XlaKind kind>
XLA_FFI_Error* OnCpu(XLA_FFI_CallFrame* frame) {
  static auto* const handler =
      WithAttributes(ffi::Ffi::Bind())
          .To([](int64_t pool, bool counted, bool has_env_id, bool has_seed,
                 const ffi::RemainingArgs& arguments, const ffi::RemainingRets& results) {
            const XlaCall call{
                .kind = kind, .counted = counted, .has_env_id = has_env_id, .has_seed = has_seed};
            return Run(pool, call, arguments, results);
          })
          .release();
  return handler->Call(frame);
}

// Without the trait that lets XLA record the call once and replay it: envs are not on the GPU.
template <XlaKind kind>
XLA_FFI_Error* OnCuda(XLA_FFI_CallFrame* frame) {
  static auto* const handler =
      WithAttributes(ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>())
          .To([](void* stream, int64_t pool, bool counted, bool has_env_id, bool has_seed,
                 const ffi::RemainingArgs& arguments, const ffi::RemainingRets& results) {
            const XlaCall call{.kind = kind,
                               .counted = counted,
                               .has_env_id = has_env_id,
                               .has_seed = has_seed,
                               .on_gpu = true,
                               .stream = stream};
            return Run(pool, call, arguments, results);
          })
          .release();
  return handler->Call(frame);
}

template <XlaKind kind>
XlaHandler CpuHandler(const char* target) {
  return {target, "cpu", reinterpret_cast<void*>(&OnCpu<kind>)};
}

template <XlaKind kind>
XlaHandler CudaHandler(const char* target) {
  return {target, "CUDA", reinterpret_cast<void*>(&OnCuda<kind>)};
}

}  // namespace

std::span<const XlaHandler> XlaHandlers() {
  static const XlaHandler handlers[] = {
      CpuHandler<XlaKind::kStep>("parallel_pool.step"),
      CudaHandler<XlaKind::kStep>("parallel_pool.step"),
      CpuHandler<XlaKind::kSend>("parallel_pool.send"),
      CudaHandler<XlaKind::kSend>("parallel_pool.send"),
      CpuHandler<XlaKind::kRecv>("parallel_pool.recv"),
      CudaHandler<XlaKind::kRecv>("parallel_pool.recv"),
      CpuHandler<XlaKind::kReset>("parallel_pool.reset"),
      CpuHandler<XlaKind::kSendReset>("parallel_pool.send_reset"),
      CudaHandler<XlaKind::kReset>("parallel_pool.reset"),
      CudaHandler<XlaKind::kSendReset>("parallel_pool.send_reset"),
  };
  return handlers;
}

}  // namespace parallel_pool
