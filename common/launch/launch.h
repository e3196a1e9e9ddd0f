// Launches a kernel of a kernel library on tensors: the one call for sim and cuda. Included by the
// checkers and programs that call kernels; kernel files include simt/kernel.h alone.
//
// Invariant: every argument is checked before anything is queued, so an error of a launch names the
// argument, and comes from the launch itself.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "simt/half.h"
#include "simt/vector_types.h"
#include "td/tensor/tensor.h"

namespace td::simt {

/// How many threads run, and what the launch specifies about them.
struct LaunchConfig {
  dim3 grid;               ///< blocks
  dim3 block;              ///< threads per block
  std::size_t shared = 0;  ///< bytes of dynamic shared memory per block
  double flops = 0;        ///< floating point operations of the launch, for its profile; 0: unknown
  bool is_cooperative = false;  ///< the blocks may wait for each other (grid_group::sync)
  Device device = kCPU;         ///< where no argument is a tensor; cpu: that of the tensors
};

/// Details of launch().
///@{
namespace detail {

/// The element type of a tensor whose memory a kernel sees as T, or as vectors of T. Structs are
/// in a tensor of bytes, and pointers in one of int64.
template <class T>
struct ElementOf {
  using type = std::conditional_t<std::is_arithmetic_v<T>, T, std::uint8_t>;
};
template <class T>
struct ElementOf<T*> {
  using type = std::int64_t;
};
#define TD_SIMT_ELEMENT(T, element) \
  template <>                       \
  struct ElementOf<T> {             \
    using type = element;           \
  };
TD_SIMT_ELEMENT(__half, Half)
TD_SIMT_ELEMENT(__half2, Half)
TD_SIMT_ELEMENT(__nv_bfloat16, BFloat16)
TD_SIMT_ELEMENT(__nv_bfloat162, BFloat16)
TD_SIMT_ELEMENT(float2, float)
TD_SIMT_ELEMENT(float3, float)
TD_SIMT_ELEMENT(float4, float)
TD_SIMT_ELEMENT(double2, double)
TD_SIMT_ELEMENT(double3, double)
TD_SIMT_ELEMENT(double4, double)
TD_SIMT_ELEMENT(int2, int)
TD_SIMT_ELEMENT(int3, int)
TD_SIMT_ELEMENT(int4, int)
TD_SIMT_ELEMENT(unsigned, int)
TD_SIMT_ELEMENT(uint2, int)
TD_SIMT_ELEMENT(uint3, int)
TD_SIMT_ELEMENT(uint4, int)
TD_SIMT_ELEMENT(short, std::uint8_t)
TD_SIMT_ELEMENT(unsigned short, std::uint8_t)
TD_SIMT_ELEMENT(char, std::uint8_t)
TD_SIMT_ELEMENT(signed char, std::uint8_t)
TD_SIMT_ELEMENT(unsigned long long, std::int64_t)
TD_SIMT_ELEMENT(unsigned long, std::int64_t)
#undef TD_SIMT_ELEMENT

/// The part of __PRETTY_FUNCTION__ that names the template argument.
template <class T>
constexpr std::string_view type_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__, mark = "T = ";
  constexpr std::size_t begin = text.find(mark) + mark.size();
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}
template <auto* kernel>
constexpr std::string_view kernel_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__, mark = "kernel = ";
  constexpr std::size_t begin = text.find(mark) + mark.size();
  std::string_view name = text.substr(begin, text.find_first_of(";](<", begin) - begin);
  name.remove_prefix(name.find_last_of(":&") + 1);  // namespaces
  return name;
}

/// A kernel and its parameters, as the machine and CUDA's runtime need them.
struct KernelType {
  std::string_view name;
  const void* address;
  void (*call)(const void* arguments);  ///< with the values of the parameters, at their offsets
  struct Parameter {
    std::size_t offset, size;
    bool is_pointer, is_const;
    bool is_void;              ///< a pointer to void takes any tensor
    ScalarType dtype;          ///< of the tensor, for another pointer
    std::size_t element_size;  ///< of what the pointer points at
    std::string_view element;  ///< its type's name
  };
  const Parameter* parameters;
  std::size_t count, bytes;  ///< of parameters; of their values
};

/// One argument: a tensor, or the bytes of a value that was converted to the parameter's type.
struct Argument {
  const Tensor* tensor = nullptr;
  const void* value = nullptr;
};

/// Checks the arguments and queues or starts the kernel. @throws DeviceError, DtypeError, Error
void launch_kernel(const KernelType& kernel, const LaunchConfig& config, const Argument* arguments);

template <class T>
constexpr KernelType::Parameter parameter_at(std::size_t offset) {
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    using Plain = std::remove_cv_t<Pointee>;
    using Element = std::conditional_t<std::is_void_v<Plain>, std::uint8_t, Plain>;
    return {offset,
            sizeof(T),
            true,
            std::is_const_v<Pointee>,
            std::is_void_v<Plain>,
            scalar_type_of<typename ElementOf<Element>::type>(),
            sizeof(Element),
            type_name<Plain>()};
  } else {
    return {offset, sizeof(T), false, false, false, kByte, 0, ""};
  }
}

template <auto* kernel, class Indices, class... Params>
struct Caller;

/// Stores the parameters one after another, and calls the kernel with copies of them.
template <auto* kernel, std::size_t... I, class... Params>
struct Caller<kernel, std::index_sequence<I...>, Params...> {
  /// Where the parameter begins, aligned for every type.
  static constexpr std::size_t offset(std::size_t parameter) {
    constexpr std::size_t sizes[] = {sizeof(Params)..., 0};
    std::size_t sum = 0;
    for (std::size_t i = 0; i < parameter; ++i) sum += (sizes[i] + 15) / 16 * 16;
    return sum;
  }
  static constexpr std::size_t kBytes = offset(sizeof...(Params));
  static_assert((0 + ... + sizeof(Params)) <= 4096, "a kernel has at most 4 KiB of parameters");
  static void call([[maybe_unused]] const void* arguments) {
    kernel(*reinterpret_cast<const Params*>(static_cast<const char*>(arguments) + offset(I))...);
  }
  static constexpr KernelType::Parameter parameters[sizeof...(Params) + 1] = {
      parameter_at<Params>(offset(I))...};
};

/// The value for a parameter of type P.
template <class P, class A>
struct Converted {
  static_assert(!std::is_pointer_v<P> || std::is_null_pointer_v<A>,
                "pass a Tensor or nullptr for a pointer");
  static_assert(std::is_convertible_v<A, P>, "the argument does not convert to the parameter");
  P value;
  explicit Converted(const A& a) : value(static_cast<P>(a)) {}
  Argument argument() const { return {nullptr, &value}; }
};
template <class P>
struct Converted<P, Tensor> {
  static_assert(std::is_pointer_v<P>, "pass a number for this parameter, not a Tensor");
  const Tensor& tensor;
  explicit Converted(const Tensor& t) : tensor(t) {}
  Argument argument() const { return {&tensor, nullptr}; }
};

template <auto* kernel, class... Params, class... Args>
void launch_as(void (*)(Params...), const LaunchConfig& config, const Args&... args) {
  static_assert(sizeof...(Params) == sizeof...(Args), "one argument for each parameter");
  using Call = Caller<kernel, std::index_sequence_for<Params...>, Params...>;
  const KernelType type{kernel_name<kernel>(),
                        reinterpret_cast<const void*>(kernel),
                        Call::call,
                        Call::parameters,
                        sizeof...(Params),
                        Call::kBytes};
  [&](const auto&... converted) {
    const Argument arguments[sizeof...(Params) + 1] = {converted.argument()...};
    launch_kernel(type, config, arguments);
  }(Converted<Params, Args>(args)...);
}

}  // namespace detail
///@}

/// Launches `kernel` on the current stream of the device that the tensors are on:
/// `launch<add>({.grid = 4, .block = 256}, a, b, out, n)`. Returns immediately.
/// Each argument is a Tensor for a pointer parameter, which must be contiguous, or nullptr, or a
/// number or struct that converts to the parameter. A pointer to const is read, others are read and
/// written.
/// @throws DtypeError when a tensor's element type is not the pointer's.
/// @throws DeviceError unless all tensors are defined and on one device, of sim or cuda; where
/// there is none, `device` names it.
/// @throws Error when a GPU would reject the launch, and when a tensor is not contiguous.
template <auto* kernel, class... Args>
void launch(const LaunchConfig& config, const Args&... args) {
  detail::launch_as<kernel>(kernel, config, args...);
}

}  // namespace td::simt
