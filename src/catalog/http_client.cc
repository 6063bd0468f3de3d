#include "catalog/http_client.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <type_traits>

#define CURL_DISABLE_TYPECHECK 1
#define CURL_DISABLE_DEPRECATION 1
#include <curl/curl.h>
#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/text.h"
#include "version.h"

namespace forebay {
namespace {

// The functions of the loaded library, by the types of its header.
struct CurlLibrary {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_perform) easy_perform = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;

  bool load() {
    void* handle = nullptr;
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"})
      if (handle == nullptr) handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return false;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
      return function != nullptr;
    };
    return find(global_init, "curl_global_init") && find(easy_init, "curl_easy_init") &&
           find(easy_setopt, "curl_easy_setopt") && find(easy_perform, "curl_easy_perform") &&
           find(easy_getinfo, "curl_easy_getinfo") && find(easy_strerror, "curl_easy_strerror") &&
           find(easy_cleanup, "curl_easy_cleanup") && find(slist_append, "curl_slist_append") &&
           find(slist_free_all, "curl_slist_free_all") && global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }
};

// What arrives for one request.
struct Arrival {
  HttpResponse response;
  std::size_t limit = 0;
  bool is_too_long = false;
};

std::size_t take_body(char* data, std::size_t, std::size_t size, void* user) {
  auto& arrival = *static_cast<Arrival*>(user);
  if (arrival.response.body.size() + size > arrival.limit) {
    arrival.is_too_long = true;
    return 0;
  }
  arrival.response.body.append(data, size);
  return size;
}

// The value of a header line when it has this (lower-case) name.
std::optional<std::string> header_value(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return std::nullopt;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(line[i])) != name[i]) return std::nullopt;
  std::string_view value = line.substr(name.size() + 1);
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  while (!value.empty() && (value.back() == '\r' || value.back() == '\n' || value.back() == ' '))
    value.remove_suffix(1);
  return std::string(value);
}

std::size_t take_header(char* data, std::size_t, std::size_t size, void* user) {
  auto& arrival = *static_cast<Arrival*>(user);
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) arrival.response = {};  // of a redirect before: forgotten
  if (auto value = header_value(line, "etag")) arrival.response.etag = *std::move(value);
  if (auto value = header_value(line, "last-modified")) arrival.response.last_modified = *std::move(value);
  return size;
}

class CurlClient final : public HttpClient {
 public:
  explicit CurlClient(const CurlLibrary& curl) : curl_(curl), handle_(curl.easy_init()) {}
  ~CurlClient() override {
    if (handle_ != nullptr) curl_.easy_cleanup(handle_);
  }
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  Result<HttpResponse> get(const HttpRequest& request) override {
    if (!request.url.starts_with("https://") && !request.url.starts_with("http://"))
      return failure(ErrorCode::kInvalidInput, request, tr("it is not an http or https address"));
    Arrival arrival;
    arrival.limit = request.limit;
    curl_slist* headers = conditions(request);
    set_options(request, arrival, headers);
    const CURLcode code = curl_.easy_perform(handle_);
    curl_.slist_free_all(headers);
    long status = 0;
    curl_.easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK) return transfer_failure(request, arrival, code);
    if (status == 304) {
      arrival.response.is_unchanged = true;
      return std::move(arrival.response);
    }
    if (status != 200) return status_failure(request, status);
    return std::move(arrival.response);
  }

 private:
  curl_slist* conditions(const HttpRequest& request) const {
    curl_slist* headers = nullptr;
    const auto add = [&](const std::string& line) { headers = curl_.slist_append(headers, line.c_str()); };
    if (!request.etag.empty()) add("If-None-Match: " + request.etag);
    if (!request.last_modified.empty()) add("If-Modified-Since: " + request.last_modified);
    return headers;
  }

  template <typename Value>
  void set(CURLoption option, Value value) {
    curl_.easy_setopt(handle_, option, value);
  }

  void set_options(const HttpRequest& request, Arrival& arrival, curl_slist* headers) {
    const bool is_secure = request.url.starts_with("https://");
    const auto stall_seconds = std::max(1l, static_cast<long>(request.stall.seconds()));
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    set(CURLOPT_REDIR_PROTOCOLS,
        static_cast<long>(is_secure ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS));
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 5L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ACCEPT_ENCODING, "");
    set(CURLOPT_USERAGENT, "forebay/" FOREBAY_VERSION);
    set(CURLOPT_CONNECTTIMEOUT, stall_seconds);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, stall_seconds);
    if (const auto authorities = environment_variable("SSL_CERT_FILE"); authorities && !authorities->empty())
      set(CURLOPT_CAINFO, authorities->c_str());
    set(CURLOPT_HTTPHEADER, headers);
    set(CURLOPT_WRITEFUNCTION, &take_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&arrival));
    set(CURLOPT_HEADERFUNCTION, &take_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&arrival));
  }

  static Error failure(ErrorCode code, const HttpRequest& request, std::string_view cause,
                       std::string advice = {}) {
    return make_error(code, "fetch", request.url, std::string(cause), std::move(advice));
  }
  Error transfer_failure(const HttpRequest& request, const Arrival& arrival, CURLcode code) const {
    if (arrival.is_too_long)
      return failure(ErrorCode::kResourceExhausted, request,
                     fmt::format(fmt::runtime(tr("it is longer than {0}")),
                                 format_bytes(Bytes{static_cast<std::int64_t>(arrival.limit)})));
    if (code == CURLE_PARTIAL_FILE)
      return failure(ErrorCode::kCorrupt, request,
                     tr("the connection ended before the whole file was there"));
    if (code == CURLE_OPERATION_TIMEDOUT)
      return failure(
          ErrorCode::kTimeout, request,
          fmt::format(fmt::runtime(tr("nothing arrived for {0}")), format_duration(request.stall)));
    return failure(ErrorCode::kUnavailable, request, curl_.easy_strerror(code));
  }
  static Error status_failure(const HttpRequest& request, long status) {
    const ErrorCode code = status == 404 || status == 410   ? ErrorCode::kNotFound
                           : status == 401 || status == 403 ? ErrorCode::kPermissionDenied
                                                            : ErrorCode::kUnavailable;
    return failure(code, request,
                   fmt::format(fmt::runtime(tr("the server answered with status {0}")), status));
  }

  const CurlLibrary& curl_;
  CURL* handle_;
};

}  // namespace

Result<std::unique_ptr<HttpClient>> open_http_client() {
  static CurlLibrary library;
  static const bool is_loaded = library.load();
  if (!is_loaded)
    return make_error(
        ErrorCode::kUnsupported, "use the network", "libcurl",
        std::string(tr("it is not installed on this machine")),
        std::string(tr("Install it (Debian: libcurl4), or give a folder instead of an address.")));
  return std::unique_ptr<HttpClient>(std::make_unique<CurlClient>(library));
}

}  // namespace forebay
