// Names of accelerators as drivers, clouds and people write them, made comparable.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace forebay {

// Lower case, without blanks, '-' and '_'; makers and brands ("NVIDIA", "Tesla", "GeForce" …) and a leading
// RTX or GTX left out: "nvidia-tesla-t4" is "t4", "NVIDIA GeForce RTX 4090" and "4090" are "4090".
std::string comparable_name(std::string_view name);

// Whether the name begins with its maker or brand, as drivers report it ("NVIDIA H200").
bool names_its_maker(std::string_view name);

// Whether a short name may mean the part `id`: its words stand in the id in this order, the first one first.
// "A100" and "A100-80GB" may mean A100-PCIe-80GB; "L4" is not L40S.
bool may_mean(std::string_view name, std::string_view id);

// "NVIDIA A10-8Q", "GRID T4-16Q": the part that is shared out; nothing when the name is not that of a share
// (vGPU).
std::optional<std::string_view> shared_part(std::string_view name);

}  // namespace forebay
