// The reports as JSON, for tools. Invariant: the names of the members are those of profile.h and
// observer.h; values that can be computed from others are left out.
#include <nlohmann/json.hpp>

#include "simt/observe/report.h"

namespace td::simt {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(uint3 v) { return {v.x, v.y, v.z}; }
Json to_json(dim3 v) { return {v.x, v.y, v.z}; }

Json to_json(const Site* site) {
  if (!site) return nullptr;
  return {{"file", site->file},
          {"line", site->line},
          {"column", site->column},
          {"function", site->function}};
}

const char* name_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kOutOfBounds:
      return "out of bounds";
    case Finding::Kind::kMisaligned:
      return "misaligned";
    case Finding::Kind::kHostMemory:
      return "host memory";
    case Finding::Kind::kOtherThreadsLocal:
      return "other thread's local variable";
    case Finding::Kind::kUninitialized:
      return "uninitialized";
    case Finding::Kind::kRace:
      return "race";
    case Finding::Kind::kBarrier:
      return "barrier";
    case Finding::Kind::kMask:
      return "mask";
    case Finding::Kind::kLaunchConfig:
      return "launch configuration";
    case Finding::Kind::kTrap:
      return "trap";
  }
  return "";
}

Json to_json(const Finding& finding) {
  return {{"kind", name_of(finding.kind)},
          {"note", finding.is_note},
          {"site", to_json(finding.site)},
          {"block", to_json(finding.block)},
          {"thread", to_json(finding.thread)},
          {"count", finding.count},
          {"text", finding.text}};
}

Json to_json(const WarpRequest& request) {
  Json offsets = Json::array();
  for (int lane = 0; lane < 32; ++lane)
    offsets.push_back(request.mask >> lane & 1 ? Json(request.offset[lane]) : Json(nullptr));
  return {{"block", to_json(request.block)},
          {"warp", request.warp},
          {"bytes", request.bytes},
          {"offsets", offsets}};
}

Json to_json(const SiteProfile& place) {
  Json json = {{"site", to_json(place.site)},
               {"space", place.space == Space::kShared ? "shared" : "global"},
               {"kind", name_of(place.kind)},
               {"variable", place.variable},
               {"type", place.type},
               {"requests", place.requests},
               {"lanes", place.lanes},
               {"bytes", place.bytes},
               {place.space == Space::kShared ? "passes" : "sectors", place.transfers},
               {"ideal", place.ideal}};
  if (place.space == Space::kShared) json["worst_ways"] = place.worst_ways;
  if (place.kind == kAtomic) json["same_word"] = place.same_word;
  json["worst_request"] = to_json(place.worst);
  return json;
}

Json to_json(const Occupancy& occupancy) {
  return {{"blocks", occupancy.blocks},
          {"warps", occupancy.warps},
          {"fraction", occupancy.fraction},
          {"limit", occupancy.limit},
          {"registers_limit_above", occupancy.registers_limit_above}};
}

Json to_json(const Profile& profile) {
  Json sites = Json::array(), missing = Json::array();
  for (const SiteProfile& place : profile.sites) sites.push_back(to_json(place));
  for (const NeverWritten& m : profile.never_written)
    missing.push_back({{"argument", m.argument}, {"elements", m.elements}, {"first", m.first}});
  return {{"grid", to_json(profile.grid)},
          {"block", to_json(profile.block)},
          {"threads", profile.threads},
          {"warps", profile.warps},
          {"barriers", profile.barriers},
          {"static_shared", profile.static_shared},
          {"dynamic_shared", profile.dynamic_shared},
          {"distinct_sectors", profile.distinct_sectors},
          {"flops", profile.flops},
          {"tensor_flops", profile.tensor_flops},
          {"matrix_products", profile.matrix_products},
          {"async_bytes", profile.async_bytes},
          {"overlapped_async_bytes", profile.overlapped_async_bytes},
          {"branch_efficiency", profile.branch_efficiency},
          {"gpu", std::string(profile.gpu.name)},
          {"occupancy", to_json(profile.occupancy)},
          {"seconds_at_least", profile.bound.seconds()},
          {"sites", sites},
          {"never_written", missing}};
}

}  // namespace

std::string json(const std::vector<KernelReport>& reports) {
  Json all = Json::array();
  for (const KernelReport& report : reports) {
    Json findings = Json::array();
    for (const Finding& finding : report.findings) findings.push_back(to_json(finding));
    all.push_back(
        {{"kernel", report.kernel}, {"findings", findings}, {"profile", to_json(report.profile)}});
  }
  return all.dump(2) + '\n';
}

}  // namespace td::simt
