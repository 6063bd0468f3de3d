#include "telemetry/machine_collectors.h"
#include "telemetry/text_cursor.h"

namespace forebay {

// /sys/class/powercap/intel-rapl:N is a package (AMD uses the same names); intel-rapl:N:M are parts of one
// and would count twice, psys contains the package.
PackageEnergy::PackageEnergy(const std::string& sys) {
  const std::string folder = sys + "/class/powercap";
  const auto zones = list_directory(folder);
  if (!zones) return;
  for (const std::string& zone : *zones) {
    if (!zone.starts_with("intel-rapl:") || zone.find(':', 11) != std::string::npos || packages_.size() >= 64)
      continue;
    const std::string path = join_path(folder, zone);
    if (!read_file(path + "/name", 256).value_or("").starts_with("package")) continue;
    const auto range = parse_number(read_file(path + "/max_energy_range_uj", 64).value_or("").substr(0, 20));
    Package package;
    package.file = KeptFile(path + "/energy_uj");
    package.range = range.value_or(0);
    packages_.push_back(std::move(package));
  }
}

void PackageEnergy::append_to(Sample& sample, ReadBuffer& buffer) {
  for (std::size_t i = 0; i < packages_.size(); ++i) {
    Package& package = packages_[i];
    const auto text = package.file.read(buffer);
    const auto now = text ? parse_number(text->substr(0, text->find('\n'))) : std::nullopt;
    if (!now) continue;
    if (package.last) {
      if (*now >= *package.last)
        package.joules += static_cast<double>(*now - *package.last) * 1e-6;
      else if (package.range >= *package.last)
        package.joules += static_cast<double>(package.range - *package.last + *now) * 1e-6;
    }
    package.last = *now;
    sample.add(Metric::kCpuPackageEnergyJoules, package.joules, static_cast<std::uint16_t>(i));
  }
}

}  // namespace forebay
