// Finds what initcheck of NVIDIA's compute-sanitizer finds. Copies of structs are not looked at,
// because they have bytes that nobody writes.
#include "cuda/program_observer.h"

#include "cuda/report.h"
#include "cuda/shadow.h"
#include "cuda/state.h"
#include "simt/observe/findings.h"
#include "simt/texts.h"

namespace td::cudart {

void ProgramObserver::begin_launch(const simt::LaunchInfo& launch) {
  launch_ = &launch;
  told_.clear();
  all_.begin_launch(launch);
}

bool ProgramObserver::access(const simt::ThreadInfo& thread, const simt::Access& access) {
  const bool may_happen = all_.access(thread, access);
  is_ahead_ = all_.is_ahead();
  if (may_happen && access.space == simt::Space::kGlobal && !settings().check.empty())
    check_written(thread, access);
  return may_happen;
}

void ProgramObserver::check_written(const simt::ThreadInfo& thread, const simt::Access& access) {
  const auto* const data = reinterpret_cast<const void*>(access.address);
  const bool reads = access.kind != simt::AccessKind::kWrite && !access.is_copy;
  if (reads && !shadow::has(data, access.bytes) && told_.insert(access.site).second) {
    std::string what = "memory";
    for (const simt::PointerArgument& argument : launch_->arguments) {
      const std::size_t offset = access.address - argument.begin;
      if (offset >= argument.bytes) continue;
      what = argument.name + '[' + std::to_string(offset / argument.element_size) + ']';
      break;
    }
    found({simt::Finding::Kind::kUninitialized, false, launch_->kernel, access.site, block_,
           thread.index,
           simt::place(access.site) + ": " + simt::verb(access.kind) + ' ' + what +
               ", which nothing has written since cudaMalloc\n  " +
               simt::thread_of_block(thread.index, block_) +
               "\n  Cure: copy the data there with cudaMemcpy, or set it with cudaMemset, before "
               "the launch"});
  }
  shadow::touch(data, access.bytes,
                access.kind == simt::AccessKind::kRead    ? shadow::Use::kRead
                : access.kind == simt::AccessKind::kWrite ? shadow::Use::kWrite
                                                          : shadow::Use::kAtomic);
}

}  // namespace td::cudart
