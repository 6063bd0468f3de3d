// forebay logs: what a run wrote.
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "record/line_stamper.h"
#include "supervisor/client.h"

namespace forebay {
namespace {

class LogsVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional("RUN", run_, "id, beginning of an id, name, or `last`", false);
    line.flag("-f,--follow", follow_, "go on showing what the run writes until it ends");
    line.option("-n,--tail", tail_, "LINES", "only the last lines");
    line.flag("-t,--timestamps", timestamps_, "put before every line when it was written (UTC)");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(OpenRuns open, open_runs());
    say_reconciled(open, console);
    FOREBAY_TRY(const RunRow row, open.runs.find(run_.empty() ? "last" : run_));
    const RunDirectory directory = open.directory_of(row);
    FOREBAY_CHECK(check_record_version(directory));
    if (console.json) return print_json_lines(console, directory);
    if (timestamps_) stamper_.emplace();
    LogPosition from;
    if (!tail_.empty()) {
      FOREBAY_TRY(from, print_tail(console, directory));
      if (!follow_) return 0;
    }
    FollowSettings settings{directory, system_clock(), from};
    settings.stamper = stamper_;
    settings.until_end = follow_ && !is_terminal(row.state);
    FOREBAY_TRY(const FollowResult result, follow(settings));
    if (result.end == FollowEnd::kDetached) return 128 + result.signal.value_or(2);
    return 0;
  }

 private:
  Result<int> print_json_lines(const Console& console, const RunDirectory& directory) const {
    LogReader reader(directory);
    while (true) {
      FOREBAY_TRY(const auto chunk, reader.next());
      if (!chunk) return 0;
      static constexpr const char* kNames[] = {"?", "output", "error", "setup", "forebay"};
      const auto stream = static_cast<std::size_t>(chunk->stream);
      Json json = Json::object({{"time_ns", chunk->time.nanoseconds}});
      if (timestamps_) json.set("time", line_time(chunk->time));
      json.set("stream", kNames[stream < 5 ? stream : 0]).set("text", chunk->bytes);
      console.print(json.dump() + "\n");
    }
  }

  // Two passes: where the wanted line begins, then from there; memory stays bounded whatever the size of the
  // log.
  Result<LogPosition> print_tail(const Console& console, const RunDirectory& directory) {
    char* end = nullptr;
    const long long wanted = std::strtoll(tail_.c_str(), &end, 10);
    if (*end != '\0' || wanted < 0)
      return make_error(ErrorCode::kInvalidInput, "show", "--tail " + tail_,
                        std::string(tr("it is not a number of lines")));
    FOREBAY_TRY(const LogPosition from, position_of_last_lines(directory, wanted));
    long long lines = 0;
    char last = '\n';
    {
      LogReader reader(directory, from);
      while (true) {
        FOREBAY_TRY(const auto chunk, reader.next());
        if (!chunk) break;
        for (char c : chunk->bytes) lines += c == '\n' ? 1 : 0;
        if (!chunk->bytes.empty()) last = chunk->bytes.back();
      }
    }
    if (last != '\n') ++lines;
    long long to_skip = std::max(0ll, lines - wanted);
    LogReader reader(directory, from);
    while (true) {
      FOREBAY_TRY(const auto chunk, reader.next());
      if (!chunk) return reader.position();
      std::string_view bytes = chunk->bytes;
      while (to_skip > 0 && !bytes.empty()) {
        const std::size_t newline = bytes.find('\n');
        if (newline == std::string_view::npos) {
          bytes = {};
          break;
        }
        bytes.remove_prefix(newline + 1);
        --to_skip;
      }
      if (to_skip == 0)
        console.print(stamper_ ? stamper_->stamp(chunk->stream, chunk->time, bytes) : std::string(bytes));
    }
  }

  std::string run_, tail_;
  bool follow_ = false, timestamps_ = false;
  std::optional<LineStamper> stamper_;
};

}  // namespace

VerbInfo logs_verb_info() {
  return {"logs",
          "Run",
          "show what a run wrote",
          "Shows the run's output, to the last byte: standard output on standard output, standard error on "
          "standard error. With -f it goes on until the run ends; Ctrl-C ends the showing, not the run.",
          "$ forebay logs -f last\n$ forebay logs --tail 20 train\n$ forebay logs -t train",
          make_verb<LogsVerb>};
}

}  // namespace forebay
