// A program's call of a handler, as XLA makes it: for tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "parallel_pool/core/xla/handlers.h"
#include "xla/ffi/api/ffi.h"

// XLA's own errors are its secret: so are these.
struct XLA_FFI_Error {
  XLA_FFI_Error_Code code;
  std::string message;
};

// The stream of a call.
struct XLA_FFI_ExecutionContext { void* stream; };

namespace parallel_pool::testing {

inline XLA_FFI_Api MakeApi() {
  XLA_FFI_Api api{};
  api.struct_size = XLA_FFI_Api_STRUCT_SIZE;
  api.XLA_FFI_Error_Create = [](XLA_FFI_Error_Create_Args* args) {
    return new XLA_FFI_Error{args->errc, args->message};
  };
  api.XLA_FFI_Error_GetMessage = [](XLA_FFI_Error_GetMessage_Args* args) {
    args->message = args->error->message.c_str();
  };
  api.XLA_FFI_Error_Destroy = [](XLA_FFI_Error_Destroy_Args* args) { delete args->error; };
  api.XLA_FFI_Stream_Get = [](XLA_FFI_Stream_Get_Args* args) -> XLA_FFI_Error* {
    args->stream = args->ctx->stream;
    return nullptr;
  };
  return api;
}

// The arguments, results and attributes of one call. Results keep their values for the next call.
class Frame {
 public:
  Frame(const char* kind, const char* platform, int64_t pool) : pool_(pool) {
    for (const XlaHandler& handler : XlaHandlers()) {
      if (handler.target == std::string("parallel_pool.") + kind &&
          handler.platform == std::string_view(platform)) {
        function_ = reinterpret_cast<XLA_FFI_Handler*>(handler.function);
      }
    }
  }

  // A buffer of a C++ type; `data` must exist until the last call.
  void Argument(XLA_FFI_DataType type, std::vector<int64_t> dims, void* data) {
    arguments_.push_back(Add(type, std::move(dims), data));
  }
  void Result(XLA_FFI_DataType type, std::vector<int64_t> dims, void* data) {
    results_.push_back(Add(type, std::move(dims), data));
  }
  bool counted = true, has_env_id = false, has_seed = false;
  void* stream = nullptr;

  // Calls the handler: its error, or an empty text.
  std::string Call() {
    static const XLA_FFI_Api api = MakeApi();
    XLA_FFI_ExecutionContext context{stream};
    std::vector<XLA_FFI_ArgType> argument_types(arguments_.size(), XLA_FFI_ArgType_BUFFER);
    std::vector<XLA_FFI_RetType> result_types(results_.size(), XLA_FFI_RetType_BUFFER);
    // In the order of their names, as XLA has them.
    XLA_FFI_Scalar scalars[] = {{XLA_FFI_DataType_PRED, &counted},
                                {XLA_FFI_DataType_PRED, &has_env_id},
                                {XLA_FFI_DataType_PRED, &has_seed},
                                {XLA_FFI_DataType_S64, &pool_}};
    XLA_FFI_ByteSpan names[] = {{"counted", 7}, {"has_env_id", 10}, {"has_seed", 8}, {"pool", 4}};
    XLA_FFI_AttrType types[] = {XLA_FFI_AttrType_SCALAR, XLA_FFI_AttrType_SCALAR,
                                XLA_FFI_AttrType_SCALAR, XLA_FFI_AttrType_SCALAR};
    XLA_FFI_ByteSpan* name_pointers[] = {names, names + 1, names + 2, names + 3};
    void* attributes[] = {scalars, scalars + 1, scalars + 2, scalars + 3};
    XLA_FFI_CallFrame frame{};
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = &api;
    frame.ctx = &context;
    frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
    frame.args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, static_cast<int64_t>(arguments_.size()),
                  argument_types.data(), arguments_.data()};
    frame.rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, static_cast<int64_t>(results_.size()),
                  result_types.data(), results_.data()};
    frame.attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 4, types, name_pointers, attributes};
    XLA_FFI_Error* const error = function_(&frame);
    if (error == nullptr) return {};
    std::string message = error->message;
    delete error;
    return message;
  }

 private:
  struct Shaped {
    std::vector<int64_t> dims;
    XLA_FFI_Buffer buffer;
  };

  void* Add(XLA_FFI_DataType type, std::vector<int64_t> dims, void* data) {
    Shaped& added = shaped_.emplace_back();
    added.dims = std::move(dims);
    added.buffer = {
        XLA_FFI_Buffer_STRUCT_SIZE, nullptr, type, data, static_cast<int64_t>(added.dims.size()),
        added.dims.data()};
    return &added.buffer;
  }

  int64_t pool_;
  XLA_FFI_Handler* function_ = nullptr;
  std::deque<Shaped> shaped_;
  std::vector<void*> arguments_, results_;
};

constexpr int kEnvs = 4;

// Memory of a program's calls of Trouble, an env of testing/family.cc.
struct Buffers {
  std::array<uint8_t, 8> state{};
  std::array<int32_t, kEnvs> action{}, lives{}, env_id{}, elapsed{}, player_env{};
  std::array<double, 2 * kEnvs> obs{};
  std::array<float, kEnvs> reward{};
  std::array<bool, kEnvs> terminated{}, truncated{};

  // The handlers' platform, and what to add to the addresses of its memory.
  const char* platform = "cpu";
  uintptr_t offset = 0;

  // A call with all columns as results; it reads and writes `state`.
  Frame Make(const char* kind, int64_t pool, int64_t rows = kEnvs) {
    Frame frame(kind, platform, pool);
    frame.Argument(XLA_FFI_DataType_U8, {8}, At(state.data()));
    const std::string name = kind;
    if (name == "step" || name == "send") {
      frame.Argument(XLA_FFI_DataType_S32, {kEnvs}, At(action.data()));
    }
    frame.Result(XLA_FFI_DataType_U8, {8}, At(state.data()));
    if (name != "send" && name != "send_reset") {
      frame.Result(XLA_FFI_DataType_F64, {rows, 2}, At(obs.data()));
      AddRest(&frame, rows);
    }
    return frame;
  }
  void* At(void* memory) const {
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(memory) + offset);
  }
  // The results but the observations.
  void AddRest(Frame* frame, int64_t rows) {
    frame->Result(XLA_FFI_DataType_S32, {rows}, At(lives.data()));
    frame->Result(XLA_FFI_DataType_F32, {rows}, At(reward.data()));
    frame->Result(XLA_FFI_DataType_PRED, {rows}, At(terminated.data()));
    frame->Result(XLA_FFI_DataType_PRED, {rows}, At(truncated.data()));
    for (std::array<int32_t, kEnvs>* ids : {&env_id, &elapsed, &player_env}) {
      frame->Result(XLA_FFI_DataType_S32, {rows}, At(ids->data()));
    }
  }
};

}  // namespace parallel_pool::testing
