// Fetching a file over http or https. The one door of this room to the network.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/units.h"

namespace forebay {

struct HttpRequest {
  std::string url;                  // http:// or https://
  std::string etag, last_modified;  // of what is at hand: asks for the content only if it has changed
  std::size_t limit = 64u << 20;    // of the body, in bytes, unpacked
  Duration stall = Duration::from_seconds(30);  // gives up when nothing arrives for so long
};

struct HttpResponse {
  bool is_unchanged = false;        // 304: there is no body
  std::string body;                 // whole: a body shorter than announced is an error
  std::string etag, last_modified;  // empty when the server named none
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // 200 and 304 are answers; every other status is an error that names it (404 kNotFound, 401 and 403
  // kPermissionDenied, else kUnavailable). Follows at most five redirects, never from https to http.
  virtual Result<HttpResponse> get(const HttpRequest& request) = 0;
};

// The client on top of libcurl, which is loaded when it is first asked for (libcurl.so.4 of either TLS
// flavour), so that no other command waits for it; kUnsupported when the machine has none. Certificates are
// always checked; proxies come from the environment (https_proxy …). Not thread-safe.
Result<std::unique_ptr<HttpClient>> open_http_client();

}  // namespace forebay
