// The table of objects and the arithmetic of fetches; textures.h describes them.
#include "simt/textures.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "simt/machine.h"
#include "simt/texts.h"
#include "simt/thread_variables.h"
#include "td/tensor/half.h"

namespace td::simt {
namespace {

/// The low bits of a handle are the index of its slot; the others count how often that was used.
constexpr unsigned kSlotBits = 12;
struct Slot {
  std::atomic<std::uint64_t> handle{0};  // 0: free
  std::uint64_t uses = 0;
  Texture texture;
};
constinit Slot slots[1 << kSlotBits];

Slot& slot_of(std::uint64_t handle) { return slots[handle & ((1u << kSlotBits) - 1)]; }

/// The free slots. The one that was freed first is used first.
struct FreeSlots {
  std::mutex mutex;
  std::deque<std::uint32_t> slots;
  FreeSlots() {
    for (std::uint32_t i = 1; i < 1u << kSlotBits; ++i) slots.push_back(i);
  }
};
FreeSlots& free_slots() {
  static auto& all = *new FreeSlots;
  return all;
}

const char* name_of(TextureShape shape) {
  const char* const names[] = {"linear memory", "1D",         "2D",      "3D",
                               "layered 1D",    "layered 2D", "cubemap", "layered cubemap"};
  return names[static_cast<int>(shape)];
}

/// Nothing of the caller is destroyed, so it has no strings but this one.
[[noreturn]] void fail(Finding::Kind kind, const void* pc, std::string&& text) {
  Machine* const machine = Machine::running();
  if (!machine) __builtin_trap();
  text.insert(text.find('\n'),
              "\n  thread " + text_of(machine->current().index) + " of block " + text_of(blockIdx));
  machine->fail_thread(kind, reinterpret_cast<std::uintptr_t>(pc), std::move(text));
}

[[noreturn]] void fail_handle(std::uint64_t handle, bool is_surface, const void* pc) {
  const char* const what = is_surface ? "Surface" : "Texture";
  fail(Finding::Kind::kTrap, pc,
       std::string("uses a cuda") + what + "Object_t that " +
           (handle == 0 ? "is 0" : "no object has: it was destroyed, or it is of another kind") +
           "\n  pass what cudaCreate" + what +
           "Object has made, and destroy it after the kernel has ended");
}

const Texture& find(std::uint64_t handle, TextureShape shape, bool is_surface, const void* pc) {
  const Slot& slot = slot_of(handle);
  const Texture& t = slot.texture;
  if (handle == 0 || slot.handle.load(std::memory_order_acquire) != handle ||
      t.is_surface != is_surface)
    fail_handle(handle, is_surface, pc);
  if (t.shape != shape)
    fail(Finding::Kind::kTrap, pc,
         std::string("reads or writes a ") + (is_surface ? "surface (" : "texture (") +
             name_of(t.shape) + ") as if it were of the shape " + name_of(shape) +
             "\n  call the function that fits to how the object was made");
  return t;
}

/// The texel at an index of an axis with n texels; -1 means the border.
int texel_at(AddressMode mode, int i, int n) {
  if (i >= 0 && i < n) return i;
  const auto modulo = [i](int m) { return (i % m + m) % m; };
  switch (mode) {
    case AddressMode::kWrap:
      return modulo(n);
    case AddressMode::kMirror:
      return std::min(modulo(2 * n), 2 * n - 1 - modulo(2 * n));
    case AddressMode::kClamp:
      return i < 0 ? 0 : n - 1;
    case AddressMode::kBorder:
      break;
  }
  return -1;
}

/// The texels of an axis that a fetch reads, with their weights. Fetches avoid the C library, whose
/// functions take longer than the rest.
struct Footprint {
  int index[2] = {0, 0};
  float weight[2] = {1, 0};
  int count = 1;
};
int whole_of(float x) {
  const int i = static_cast<int>(x);
  return i - (x < static_cast<float>(i));
}
Footprint footprint(const Texture& t, int axis, float x, unsigned extent) {
  constexpr float kMost = 1 << 24;  // above, a float has no fraction
  const int n = static_cast<int>(extent);
  if (t.has_unit_extents) x *= static_cast<float>(n);
  if (!(x < kMost)) x = kMost;  // a NaN, too
  if (x < -kMost) x = -kMost;
  const AddressMode mode = t.address[axis];
  if (!t.is_linear) return {{texel_at(mode, whole_of(x), n), 0}, {1, 0}, 1};
  const float begin = x - 0.5f;
  const int i = whole_of(begin);
  // The fraction has 8 bits.
  const auto steps = static_cast<int>((begin - static_cast<float>(i)) * 256 + 0.5f);
  const float fraction = static_cast<float>(steps) / 256;
  return {{texel_at(mode, i, n), texel_at(mode, i + 1, n)}, {1 - fraction, fraction}, 2};
}

/// A channel of a texel, sign-extended, or the bits of a float.
std::uint32_t channel_at(const Texture& t, const char* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, t.channel_bits / 8);
  if (t.kind == ChannelKind::kFloat && t.channel_bits == 16) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    return same_bits<std::uint32_t>(static_cast<float>(half));
  }
  const unsigned unused = 32 - t.channel_bits;
  if (t.kind == ChannelKind::kSigned)
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << unused) >> unused);
  return bits;
}

float normalized(const Texture& t, std::uint32_t channel) {
  const unsigned bits = t.kind == ChannelKind::kSigned ? t.channel_bits - 1 : t.channel_bits;
  const float most = static_cast<float>((std::uint64_t{1} << bits) - 1);
  if (t.kind == ChannelKind::kUnsigned) return static_cast<float>(channel) / most;
  return std::max(-1.0f, static_cast<float>(static_cast<std::int32_t>(channel)) / most);
}

/// @param x, y, z of the texel; -1 in the border @param pc of the fetch, if it is observed
Texel texel(const Texture& t, int x, int y, int z, const void* pc) {
  Texel result{};
  if (x < 0 || y < 0 || z < 0) {
    std::memcpy(&result, t.border, sizeof result);
    return result;
  }
  const char* const at = t.data + static_cast<std::size_t>(z) * t.plane +
                         static_cast<std::size_t>(y) * t.pitch +
                         static_cast<std::size_t>(x) * t.texel_bytes();
  if (pc) tell_read(at, t.texel_bytes(), AccessForm::kPlain, pc);
  if (t.kind == ChannelKind::kFloat && t.channel_bits == 32) {
    std::memcpy(&result, at, t.channels * sizeof(float));
    return result;
  }
  for (unsigned c = 0; c < t.channels; ++c) {
    result.channels[c] = channel_at(t, at + c * t.channel_bits / 8);
    if (t.normalizes)
      result.channels[c] = same_bits<std::uint32_t>(normalized(t, result.channels[c]));
  }
  return result;
}

Texel sum(const Texture& t, const Footprint& x, const Footprint& y, const Footprint& z,
          const void* pc) {
  if (!t.is_linear) return texel(t, x.index[0], y.index[0], z.index[0], pc);
  float sums[4] = {};
  for (int k = 0; k < z.count; ++k)
    for (int j = 0; j < y.count; ++j)
      for (int i = 0; i < x.count; ++i) {
        const float weight = x.weight[i] * y.weight[j] * z.weight[k];
        if (weight == 0) continue;
        const Texel one = texel(t, x.index[i], y.index[j], z.index[k], pc);
        for (int c = 0; c < 4; ++c) sums[c] += weight * same_bits<float>(one.channels[c]);
      }
  Texel result;
  std::memcpy(&result, sums, sizeof result);
  return result;
}

/// The face of a cubemap that a direction meets, and where.
struct FacePoint {
  int face;
  float x, y;  // from 0 to 1
};
FacePoint face_point(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto at = [](int face, float s, float t, float m) {
    return FacePoint{face, (s / m + 1) / 2, (t / m + 1) / 2};
  };
  if (ax >= ay && ax >= az) return x >= 0 ? at(0, -z, -y, ax) : at(1, z, -y, ax);
  if (ay >= az) return y >= 0 ? at(2, x, z, ay) : at(3, x, -z, ay);
  return z >= 0 ? at(4, x, -y, az) : at(5, -x, -y, az);
}

Footprint layer_of(const Texture& t, int layer) {
  return {{std::clamp(layer, 0, static_cast<int>(t.depth) - 1), 0}, {1, 0}, 1};
}

}  // namespace

std::uint64_t add_texture(const Texture& texture) {
  FreeSlots& all = free_slots();
  const std::lock_guard lock(all.mutex);
  if (all.slots.empty()) return 0;
  const std::uint32_t index = all.slots.front();
  all.slots.pop_front();
  Slot& slot = slots[index];
  slot.texture = texture;
  const std::uint64_t handle = ++slot.uses << kSlotBits | index;
  slot.handle.store(handle, std::memory_order_release);
  return handle;
}

bool remove_texture(std::uint64_t handle) {
  FreeSlots& all = free_slots();
  const std::lock_guard lock(all.mutex);
  Slot& slot = slot_of(handle);
  if (handle == 0 || slot.handle.load() != handle) return false;
  slot.handle.store(0);
  all.slots.push_back(static_cast<std::uint32_t>(&slot - slots));
  return true;
}

Texel fetch(std::uint64_t texture, TextureShape shape, float x, float y, float z, int layer) {
  const void* pc = __builtin_return_address(0);
  const Texture& t = find(texture, shape, false, pc);
  if (!is_observed) pc = nullptr;
  switch (shape) {
    case TextureShape::kElements:
      break;
    case TextureShape::k1D:
      return sum(t, footprint(t, 0, x, t.width), {}, {}, pc);
    case TextureShape::k1DLayered:
      return sum(t, footprint(t, 0, x, t.width), {}, layer_of(t, layer), pc);
    case TextureShape::k2D:
      return sum(t, footprint(t, 0, x, t.width), footprint(t, 1, y, t.height), {}, pc);
    case TextureShape::k2DLayered:
      return sum(t, footprint(t, 0, x, t.width), footprint(t, 1, y, t.height), layer_of(t, layer),
                 pc);
    case TextureShape::k3D:
      return sum(t, footprint(t, 0, x, t.width), footprint(t, 1, y, t.height),
                 footprint(t, 2, z, t.depth), pc);
    case TextureShape::kCubemap:
    case TextureShape::kCubemapLayered: {
      const FacePoint at = face_point(x, y, z);
      const int cube = std::clamp(layer, 0, static_cast<int>(t.depth) / 6 - 1);
      return sum(t, footprint(t, 0, at.x, t.width), footprint(t, 1, at.y, t.height),
                 layer_of(t, 6 * cube + at.face), pc);
    }
  }
  return {};
}

Texel fetch_element(std::uint64_t texture, int index) {
  const void* const pc = __builtin_return_address(0);
  const Texture& t = find(texture, TextureShape::kElements, false, pc);
  if (index < 0 || static_cast<unsigned>(index) >= t.width) return {};
  return texel(t, index, 0, 0, is_observed ? pc : nullptr);
}

void* surface_address(std::uint64_t surface, TextureShape shape, int x, int y, int z,
                      std::size_t bytes, BoundaryMode mode) {
  const void* const pc = __builtin_return_address(0);
  const Texture& t = find(surface, shape, true, pc);
  const auto row = static_cast<int>(t.width * t.texel_bytes()), size = static_cast<int>(bytes);
  const int most[3] = {row - size, static_cast<int>(t.height) - 1, static_cast<int>(t.depth) - 1};
  int at[3] = {x, y, z};
  for (int axis = 0; axis < 3; ++axis) {
    if (at[axis] >= 0 && at[axis] <= most[axis]) continue;
    if (mode == BoundaryMode::kZero) return nullptr;
    if (mode == BoundaryMode::kTrap)
      fail(Finding::Kind::kOutOfBounds, pc,
           "accesses byte " + std::to_string(x) + " of row " + std::to_string(y) + " of plane " +
               std::to_string(z) + ", outside of a surface of " + std::to_string(row) +
               " bytes × " + std::to_string(t.height) + " × " + std::to_string(t.depth) +
               "\n  x counts bytes, not elements. Cure: compare the indices with the extents");
    at[axis] = std::clamp(at[axis], 0, std::max(most[axis], 0));
  }
  if (at[0] % size != 0)
    fail(Finding::Kind::kMisaligned, pc,
         "accesses " + std::to_string(size) + " bytes from byte " + std::to_string(x) +
             " of a surface on, which is no multiple of " + std::to_string(size) +
             "\n  x counts bytes: multiply the index with the size of an element");
  return t.data + static_cast<std::size_t>(at[2]) * t.plane +
         static_cast<std::size_t>(at[1]) * t.pitch + static_cast<std::size_t>(at[0]);
}

}  // namespace td::simt
