// Following a run's log in front of a person.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "supervisor/client.h"
#include "supervisor/connection.h"
#include "supervisor/lost_run.h"
#include "supervisor/terminal.h"

namespace forebay {
namespace {

constexpr int kLookAgain = 100;        // ms, while there is no supervisor to wake us
constexpr int kForegroundCheck = 500;  // ms, while in the background of the terminal we might read keys from

class Follower {
 public:
  explicit Follower(const FollowSettings& settings)
      : settings_(settings),
        reader_(settings.directory, settings.from),
        terminal_(settings.input),
        stamper_(settings.stamper),
        feeds_(settings.feed_input) {
    result_.position = settings.from;
  }

  Result<FollowResult> follow() {
    while (true) {
      FOREBAY_CHECK(handle_signals());
      if (is_over_) break;
      FOREBAY_TRY(const bool has_shown, show());
      if (is_over_) break;
      if (has_shown) continue;
      if (!settings_.until_end || is_last_look_) break;
      // Somebody who sends us away at once is not asked again at once.
      if (!connection_ && (std::exchange(was_lost_, false) || !connect())) {
        if (has_ended()) {
          is_last_look_ = true;  // what was written between the last look and the end
          continue;
        }
        wait();
        continue;
      }
      if (!is_armed_) {
        // Ask for the wake first and look again after it, so that nothing falls in between.
        is_armed_ = connection_->send(MessageKind::kArmWake).has_value();
        if (!is_armed_) lose_connection();
        continue;
      }
      wait();
    }
    result_.position = reader_.position();
    return result_;
  }

 private:
  bool connect() {
    const auto record = read_supervisor_record(settings_.directory);
    if (!record) return false;
    auto opened = Connection::open(record->socket, feeds_);
    if (!opened) return false;
    connection_ = std::make_unique<Connection>(std::move(*opened));
    is_armed_ = false;
    credit_ = kInputCredit;
    if (settings_.raw_terminal && settings_.attached) terminal_.enter();
    send_window();
    for (const StopRequest request : std::exchange(waiting_requests_, {})) send_stop(request);
    return true;
  }

  void lose_connection() {
    connection_.reset();
    was_lost_ = true;
    terminal_.leave();
  }

  // Only asked while nobody can be reached.
  bool has_ended() const {
    if (path_exists(settings_.directory.outcome())) return true;
    const auto record = read_supervisor_record(settings_.directory);
    return record && presence_of(*record) != SupervisorPresence::kAlive;
  }

  Result<bool> show() {
    bool has_shown = false;
    while (true) {
      FOREBAY_TRY(const std::optional<LogChunk> chunk, reader_.next());
      if (!chunk) return has_shown;
      has_shown = true;
      const int fd = shown_as_error(chunk->stream) ? settings_.error : settings_.output;
      FOREBAY_CHECK(stamper_ ? write_out(fd, stamper_->stamp(*chunk)) : write_out(fd, chunk->bytes));
      if (is_over_) return has_shown;
    }
  }

  Result<void> write_out(int fd, std::string_view bytes) {
    while (!bytes.empty() && !is_over_) {
      const ssize_t done = ::write(fd, bytes.data(), bytes.size());
      if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
      if (done >= 0) continue;
      if (errno == EINTR) {
        FOREBAY_CHECK(handle_signals());
      } else if (errno == EAGAIN) {
        pollfd waits[2] = {{fd, POLLOUT, 0}, {signals_.descriptor(), POLLIN, 0}};
        ::poll(waits, 2, -1);
        FOREBAY_CHECK(handle_signals());
      } else if (errno == EPIPE || errno == EIO || errno == EBADF) {
        end(FollowEnd::kOutputClosed);
      } else {
        return system_error("write", "the log to standard output", errno);
      }
    }
    return {};
  }

  void end(FollowEnd how, std::optional<int> signal = std::nullopt) {
    is_over_ = true;
    result_.end = how;
    result_.signal = signal;
  }

  void send_stop(StopRequest request) {
    if (!connection_) {
      waiting_requests_.push_back(request);
      return;
    }
    if (!connection_->send(MessageKind::kStop, number_payload(static_cast<std::uint32_t>(request), 1)))
      lose_connection();
  }

  void send_window() {
    const auto size = terminal_size(settings_.input);
    if (!size || !connection_ || !settings_.attached) return;
    (void)connection_->send(MessageKind::kWindow,
                            number_payload(size->rows, 2) + number_payload(size->columns, 2));
  }

  Result<void> handle_signals() {
    for (const int number : signals_.take()) {
      if (number == SIGWINCH) send_window();
      if (number == SIGCONT && connection_ && settings_.raw_terminal && settings_.attached) {
        terminal_.enter();
        send_window();
      }
      if (number == SIGHUP || (!settings_.attached && (number == SIGINT || number == SIGTERM)))
        end(FollowEnd::kDetached, number);
      if (number == SIGINT && settings_.attached) {
        has_interrupted_ = true;
        send_stop(StopRequest::kInterrupt);
      }
      if (number == SIGTERM && settings_.attached) send_stop(StopRequest::kTerminate);
    }
    return {};
  }

  bool wants_input() const {
    return feeds_ && connection_ && credit_ > 0 && may_read_terminal(settings_.input);
  }

  void wait() {
    std::array<pollfd, 4> waits{};
    nfds_t count = 0;
    waits[count++] = {signals_.descriptor(), POLLIN, 0};
    // With no events asked for, a pipe nobody reads from any more still says so.
    waits[count++] = {settings_.output, 0, 0};
    const nfds_t input_at = wants_input() ? count : 0;
    if (input_at != 0) waits[count++] = {settings_.input, POLLIN, 0};
    const nfds_t connection_at = connection_ ? count : 0;
    if (connection_at != 0) waits[count++] = {connection_->descriptor(), POLLIN, 0};
    const int timeout = !connection_                             ? kLookAgain
                        : feeds_ && credit_ > 0 && input_at == 0 ? kForegroundCheck
                                                                 : -1;
    if (::poll(waits.data(), count, timeout) <= 0) return;
    if ((waits[1].revents & POLLERR) != 0) return end(FollowEnd::kOutputClosed);
    if (input_at != 0 && waits[input_at].revents != 0) feed_input();
    if (connection_ && connection_at != 0 && waits[connection_at].revents != 0) read_connection();
  }

  void feed_input() {
    std::array<char, 16384> buffer;
    const ssize_t got = ::read(settings_.input, buffer.data(), std::min(credit_, buffer.size()));
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    bool is_sent = true;
    if (got > 0) {
      credit_ -= static_cast<std::size_t>(got);
      is_sent =
          connection_
              ->send(MessageKind::kInput, std::string_view(buffer.data(), static_cast<std::size_t>(got)))
              .has_value();
    } else {
      feeds_ = false;
      is_sent = connection_->send(MessageKind::kInputEnd).has_value();
    }
    if (!is_sent) lose_connection();
  }

  void read_connection() {
    const bool is_there = connection_->receive();
    while (const auto message = connection_->next()) handle(*message);
    if (!is_there) lose_connection();
  }

  void handle(const Message& message) {
    switch (message.kind) {
      case MessageKind::kWake:
        is_armed_ = false;
        break;
      case MessageKind::kCredit:
        credit_ = std::min(kInputCredit, credit_ + parse_number(message.payload, 4).value_or(0));
        break;
      case MessageKind::kSuspend:
        terminal_.leave();
        ::raise(SIGTSTP);  // the shell takes over; SIGCONT brings us back
        break;
      case MessageKind::kStopping:
        if (settings_.attached) say_stopping(parse_number(message.payload, 1).value_or(0));
        break;
      default:
        break;
    }
  }

  void say_stopping(std::uint32_t request) {
    const std::string text(request == static_cast<std::uint32_t>(StopRequest::kNow)
                               ? tr("stopping the run now")
                           : has_interrupted_ ? tr("stopping the run; press Ctrl-C again to stop it at once")
                                              : tr("stopping the run"));
    (void)write_out(settings_.error, fmt::format("\r[forebay] {}\r\n", text));
  }

  const FollowSettings& settings_;
  bool has_interrupted_ = false;  // the person at this terminal
  LogReader reader_;
  SignalPipe signals_;
  RawTerminal terminal_;
  std::unique_ptr<Connection> connection_;
  std::vector<StopRequest> waiting_requests_;
  FollowResult result_;
  std::size_t credit_ = 0;
  std::optional<LineStamper> stamper_;
  bool feeds_ = false;
  bool is_armed_ = false;
  bool is_over_ = false;
  bool is_last_look_ = false;
  bool was_lost_ = false;
};

}  // namespace

Result<FollowResult> follow(const FollowSettings& settings) {
  return Follower(settings).follow();
}

}  // namespace forebay
