#include "environment/variables.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "environment/redact.h"

namespace forebay {

std::map<std::string, std::string> chosen_variables(const EnvironmentRequest& request, bool uses_python,
                                                    std::vector<Remark>& remarks) {
  std::map<std::string, std::string> chosen;
  const auto is_free = [&](const char* name) {
    return !request.variables.contains(name) && !request.base_environment.contains(name);
  };
  if (uses_python && is_free("PYTHONUNBUFFERED")) chosen["PYTHONUNBUFFERED"] = "1";
  if (request.cpus && *request.cpus > 0 && is_free("OMP_NUM_THREADS")) {
    chosen["OMP_NUM_THREADS"] = std::to_string(*request.cpus);
    remarks.push_back(
        {"threads-fixed",
         fmt::format(fmt::runtime(tr("OMP_NUM_THREADS is set to {0}, the number of cores the job asks for.")),
                     *request.cpus),
         Json::object({{"OMP_NUM_THREADS", *request.cpus}})});
  }
  if (request.gpus && request.machine_gpus && *request.gpus < *request.machine_gpus &&
      is_free("CUDA_VISIBLE_DEVICES")) {
    std::vector<int> devices;
    for (int i = 0; i < *request.gpus; ++i) devices.push_back(i);
    chosen["CUDA_VISIBLE_DEVICES"] = fmt::format("{}", fmt::join(devices, ","));
    remarks.push_back(
        {"gpus-fixed",
         fmt::format(
             fmt::runtime(tr("CUDA_VISIBLE_DEVICES is set to \"{0}\": the job asks for {1} of {2} GPUs.")),
             chosen["CUDA_VISIBLE_DEVICES"], *request.gpus, *request.machine_gpus),
         Json::object({{"CUDA_VISIBLE_DEVICES", chosen["CUDA_VISIBLE_DEVICES"]}})});
  }
  return chosen;
}

Result<std::map<std::string, std::string>> take_secrets(const EnvironmentRequest& request) {
  std::map<std::string, std::string> secrets;
  std::vector<std::string> missing;
  for (const auto& name : request.secrets) {
    const auto found = request.base_environment.find(name);
    if (found == request.base_environment.end())
      missing.push_back(name);
    else
      secrets[name] = found->second;
  }
  if (!missing.empty())
    return make_error(
        ErrorCode::kNotFound, "take the secrets", fmt::format("{}", fmt::join(missing, ", ")),
        std::string(tr("they are not set in the environment of the command that started this")),
        fmt::format(fmt::runtime(tr("Set them first, for instance: export {0}=…")), missing.front()));
  return secrets;
}

bool is_recorded_variable(const std::string& name) {
  static constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"CUDA_",         "NCCL_",       "OMP_",     "MKL_",        "OPENBLAS_",  "GOTO_",  "NUMEXPR_",
       "KMP_",          "TORCH",       "PYTORCH_", "PYTHON",      "PIP_",       "UV_",    "HF_",
       "TRANSFORMERS_", "TOKENIZERS_", "TF_",      "XLA_",        "JAX_",       "CONDA_", "VIRTUAL_ENV",
       "LC_",           "SLURM_",      "MASTER_",  "ACCELERATE_", "DEEPSPEED_", "DS_",    "TRITON_",
       "NVIDIA_",       "ROCR_",       "HIP_",     "HSA_",        "NEURON_",    "GLOO_",  "UCX_",
       "FI_",           "WANDB_",      "MLFLOW_",  "MALLOC_",     "MPI_",       "OMPI_",  "PYENV_",
       "CUBLAS_",       "CUDNN_"});
  static constexpr auto kNames = std::to_array<std::string_view>({"PATH",
                                                                  "LD_LIBRARY_PATH",
                                                                  "LD_PRELOAD",
                                                                  "LIBRARY_PATH",
                                                                  "CPATH",
                                                                  "LANG",
                                                                  "LANGUAGE",
                                                                  "TZ",
                                                                  "HOME",
                                                                  "USER",
                                                                  "SHELL",
                                                                  "TMPDIR",
                                                                  "RANK",
                                                                  "LOCAL_RANK",
                                                                  "WORLD_SIZE",
                                                                  "LOCAL_WORLD_SIZE",
                                                                  "NODE_RANK",
                                                                  "HTTP_PROXY",
                                                                  "HTTPS_PROXY",
                                                                  "NO_PROXY",
                                                                  "ALL_PROXY",
                                                                  "http_proxy",
                                                                  "https_proxy",
                                                                  "no_proxy",
                                                                  "all_proxy",
                                                                  "SSL_CERT_FILE",
                                                                  "SSL_CERT_DIR",
                                                                  "REQUESTS_CA_BUNDLE",
                                                                  "XDG_CACHE_HOME",
                                                                  "GOMP_CPU_AFFINITY",
                                                                  "VECLIB_MAXIMUM_THREADS",
                                                                  "TERM"});
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](auto prefix) { return name.starts_with(prefix); });
}

Json describe_variables(const EnvironmentRequest& request,
                        const std::map<std::string, std::string>& set_for_job) {
  Json set = Json::object(), inherited = Json::object(), others = Json::array();
  for (const auto& [name, value] : set_for_job)
    set.set(name, recorded_variable(name, value, request.secrets));
  for (const auto& [name, value] : request.base_environment) {
    if (set_for_job.contains(name)) continue;
    if (is_recorded_variable(name))
      inherited.set(name, recorded_variable(name, value, request.secrets));
    else
      others.push(name);
  }
  return Json::object(
      {{"set", std::move(set)}, {"inherited", std::move(inherited)}, {"other_names", std::move(others)}});
}

}  // namespace forebay
