#include "supervisor/client.h"

#include <fmt/format.h>

#include "supervisor/connection.h"
#include "supervisor/lost_run.h"

namespace forebay {
namespace {

constexpr Duration kGreeting{3'000'000'000};

Result<void> check_welcome(Connection& connection, const std::string& path) {
  const auto welcome = connection.wait_for(MessageKind::kWelcome, kGreeting, system_clock());
  if (!welcome)
    return make_error(ErrorCode::kUnavailable, "reach the supervisor at", path, "it does not answer");
  const auto version = parse_number(welcome->payload, 2);
  if (version == kProtocolVersion) return {};
  return make_error(ErrorCode::kUnsupported, "talk to the supervisor at", path,
                    fmt::format("it speaks version {} of the protocol and this program {}",
                                version.value_or(0), kProtocolVersion),
                    "Use the version of Forebay that started the run");
}

}  // namespace

Client::Client(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(const RunDirectory& directory) {
  const auto record = read_supervisor_record(directory);
  if (!record)
    return make_error(ErrorCode::kUnavailable, "reach the supervisor of", directory.path(),
                      record.error().cause);
  FOREBAY_TRY(Connection connection, Connection::open(record->socket, false));
  FOREBAY_CHECK(check_welcome(connection, record->socket));
  return Client(std::make_unique<Connection>(std::move(connection)));
}

Result<void> Client::request_stop(StopRequest request) {
  FOREBAY_CHECK(
      connection_->send(MessageKind::kStop, number_payload(static_cast<std::uint32_t>(request), 1)));
  return status(kGreeting) ? Result<void>()
                           : Result<void>(make_error(ErrorCode::kUnavailable, "stop", "the run",
                                                     "its supervisor does not answer"));
}

Result<Json> Client::status(Duration timeout) {
  FOREBAY_CHECK(connection_->send(MessageKind::kStatus));
  const auto answer = connection_->wait_for(MessageKind::kStatusIs, timeout, system_clock());
  if (!answer) return make_error(ErrorCode::kTimeout, "ask", "the supervisor", "it does not answer");
  return Json::parse(answer->payload, "the supervisor's status");
}

int Client::descriptor() const {
  return connection_->descriptor();
}

}  // namespace forebay
