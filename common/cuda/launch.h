// Launches of a translated program: what `kernel<<<grid, block>>>(arguments)` becomes
// (tools/course/cuda/translate.h), and the parameters of a kernel. Included by cuda_runtime.h.
//
// Invariant: everything is inlined into the program's function, so that a launch returns to the
// line of its `<<<`. Arguments are copied as bytes, as CUDA copies them.
#pragma once

#include <array>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "driver_types.h"

#define TD_CUDA_INLINE inline __attribute__((always_inline))

namespace td::cudart {

/// The part of __PRETTY_FUNCTION__ that names the template argument.
template <class T>
constexpr std::string_view type_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__, mark = "T = ";
  constexpr std::size_t begin = text.find(mark) + mark.size();
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

/// What a pointer points at.
struct Element {
  std::size_t size = 1;
  std::string_view type = "byte";
};
template <class T>
constexpr Element element_of() {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_void_v<Plain> || std::is_function_v<Plain>)
    return {};
  else
    return {sizeof(Plain), type_name<Plain>()};
}

/// A parameter of a kernel, and where its value is among the arguments.
struct Parameter {
  std::size_t offset = 0, size = 0;
  bool is_pointer = false;
  bool is_const = false, is_volatile = false;  ///< what a pointer points at
  Element element;                             ///< of a pointer
};
template <class T>
constexpr Parameter parameter_of() {
  using Target = std::remove_pointer_t<T>;
  Parameter p{
      0, sizeof(T), std::is_pointer_v<T>, std::is_const_v<Target>, std::is_volatile_v<Target>, {}};
  if constexpr (std::is_pointer_v<T>) p.element = element_of<Target>();
  return p;
}

/// A kernel as the runtime launches it.
struct Kernel {
  const char* name;           ///< as the program spells it: "add<float>"
  const void* address;        ///< of its code; null where the compiler does not tell
  void (*call)(const void*);  ///< runs one thread, with its arguments
  const Parameter* parameters;
  std::size_t count, bytes;  ///< of parameters; of all arguments
};

struct Config {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  bool is_cooperative = false;
};

/// Checks the launch and queues it. cudaGetLastError returns its error. @param arguments are
/// copied.
cudaError_t launch(const Kernel& kernel, const Config& config, const void* arguments);
/// Remembers a kernel whose address the program passes on as void*.
void* remember(const Kernel& kernel);

// What the templates of cuda_runtime.h call.

/// Kinds of memory that the runtime knows.
enum class Kind : unsigned char { kDevice, kManaged, kPinned, kRegistered };

/// Where a pointer is stored, whatever it points at; it may be const.
template <class T>
constexpr void** untyped(T** pointer) {
  return static_cast<void**>(static_cast<void*>(pointer));
}
/// cudaMalloc and its kin. @param call its name.
cudaError_t allocate(const char* call, Kind kind, void** memory, std::size_t bytes,
                     const Element& element, cudaStream_t stream = nullptr);
cudaError_t allocate_rows(void** memory, std::size_t* pitch, std::size_t width, std::size_t height,
                          const Element& element);
cudaError_t device_pointer(void** pointer, void* host);

/// What cudaMemcpyToSymbol and its kin do with the variable at `symbol`, of so many bytes.
cudaError_t copy_symbol(const char* call, const void* symbol, std::size_t size, const void* other,
                        std::size_t bytes, std::size_t offset, cudaMemcpyKind kind, bool to_symbol,
                        bool waits, cudaStream_t stream);

cudaError_t set_attribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t get_attributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t occupancy(int* blocks, const void* kernel, int threads, std::size_t shared);
cudaError_t launch_remembered(const void* kernel, const Config& config, void** arguments);
cudaError_t prefetch(const void* memory, std::size_t bytes);

/// A kernel's address. No cast to void*: the tool would take `kernel` for one of the program's, if
/// that has one of this name.
template <class T>
const void* untyped_kernel(T* kernel) {
  return __builtin_bit_cast(const void*, kernel);
}

/// The arguments of a call of F: F itself, then each parameter.
template <class F, class... P>
struct Arguments {
  static constexpr std::size_t up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
  // No lambda, which g++ does not evaluate after an error elsewhere: that would be one more error.
  static constexpr std::array<Parameter, sizeof...(P) + 1> make() {
    std::array<Parameter, sizeof...(P) + 1> all{parameter_of<P>()..., Parameter{}};
    constexpr std::size_t alignments[] = {(alignof(P) < 8 ? 8 : alignof(P))..., 1};
    std::size_t end = up(sizeof(F), 16);
    for (std::size_t i = 0; i <= sizeof...(P); ++i) {
      all[i].offset = up(end, alignments[i]);
      end = all[i].offset + all[i].size;
    }
    return all;
  }
  static constexpr std::array<Parameter, sizeof...(P) + 1> parameters = make();
  static constexpr std::size_t bytes = parameters[sizeof...(P)].offset;

  template <class Indices>
  struct Call;
  template <std::size_t... I>
  struct Call<std::index_sequence<I...>> {
    // Reading its arguments is no access of a kernel.
    __attribute__((no_sanitize("thread"))) static void run(const void* all) {
      [[maybe_unused]] const char* const base = static_cast<const char*>(all);
      (*static_cast<const F*>(all))(*reinterpret_cast<const P*>(base + parameters[I].offset)...);
    }
  };
  static Kernel kernel(const char* name, const void* address) {
    return {name,         address, Call<std::index_sequence_for<P...>>::run, parameters.data(),
            sizeof...(P), bytes};
  }
};

template <class F, class... P>
TD_CUDA_INLINE cudaError_t launch_with(const char* name, const void* address, const Config& config,
                                       F f, P... values) {
  using All = Arguments<F, P...>;
  alignas(64) char bytes[All::bytes];
  ::new (bytes) F(f);
  [[maybe_unused]] std::size_t i = 0;
  (::new (bytes + All::parameters[i++].offset) P(values), ...);
  return launch(All::kernel(name, address), config, bytes);
}

/// `kernel<<<config>>>` of a kernel with these parameters: waits for the arguments.
template <class Deduced, class... P>
struct Launch {
  const char* name;
  void (*kernel)(P...);
  Deduced deduced;  // calls the kernel with whatever arguments
  Config config;
  TD_CUDA_INLINE void operator()(P... values) const {
    launch_with(name, untyped_kernel(kernel), config, kernel, values...);
  }
  /// Some parameters have default arguments.
  template <class... A>
  requires(sizeof...(A) < sizeof...(P)) TD_CUDA_INLINE void operator()(A... values) const {
    launch_with(name, untyped_kernel(kernel), config, deduced, values...);
  }
};

/// The same for a template or an overloaded function, which the arguments choose.
template <class Deduced>
struct DeducedLaunch {
  const char* name;
  Deduced deduced;
  Config config;
  template <class... A>
  TD_CUDA_INLINE void operator()(A... values) const {
    launch_with(name, nullptr, config, deduced, values...);
  }
};

/// The address of a kernel, where its name means one function.
template <class, class... P>
constexpr auto pointer(void (*kernel)(P...)) {
  return kernel;
}

template <class Find, class Deduced>
struct Launcher {
  const char* name;
  Find find;
  Deduced deduced;
  TD_CUDA_INLINE auto operator()(dim3 grid, dim3 block, std::size_t shared = 0,
                                 cudaStream_t stream = nullptr) const {
    const Config config{grid, block, shared, stream};
    if constexpr (std::is_invocable_v<Find, int>)
      return with(find(0), config);
    else
      return DeducedLaunch<Deduced>{name, deduced, config};
  }
  template <class... P>
  TD_CUDA_INLINE auto with(void (*kernel)(P...), const Config& config) const {
    return Launch<Deduced, P...>{name, kernel, deduced, config};
  }
};

/// What the translation of `name<<<…>>>` begins with.
/// @param find returns the kernel's address; it can be called only where the name means one
/// function
/// @param deduced calls the kernel
template <class Find, class Deduced>
TD_CUDA_INLINE auto launcher(const char* name, Find find, Deduced deduced) {
  return Launcher<Find, Deduced>{name, find, deduced};
}

template <class... P>
Kernel kernel_of(const char* name, void (*kernel)(P...)) {
  return Arguments<void (*)(P...), P...>::kernel(name, untyped_kernel(kernel));
}
/// What the translation of `(void*)name` is.
template <class... P>
void* remembered(const char* name, void (*kernel)(P...)) {
  return remember(kernel_of(name, kernel));
}

}  // namespace td::cudart
