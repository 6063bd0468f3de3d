#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "telemetry/progress_log.h"
#include "telemetry/progress_parser.h"

namespace forebay {
namespace {

struct Expected {
  const char* line;
  std::int64_t step = -1, total = -1;
  double epoch = -1, loss = -1, rate = -1, eta = -1, fraction = -1;
};

class ProgressLines : public testing::TestWithParam<Expected> {};

TEST_P(ProgressLines, AreUnderstood) {
  const Expected& expected = GetParam();
  const ProgressLine found = parse_progress_line(expected.line);
  EXPECT_EQ(found.step.value_or(-1), expected.step) << expected.line;
  EXPECT_EQ(found.total_steps.value_or(-1), expected.total) << expected.line;
  EXPECT_NEAR(found.epoch.value_or(-1), expected.epoch, 1e-9) << expected.line;
  EXPECT_NEAR(found.loss.value_or(-1), expected.loss, 1e-9) << expected.line;
  if (expected.rate >= 0) {
    EXPECT_NEAR(found.rate.value_or(-1), expected.rate, 1e-6) << expected.line;
  }
  if (expected.eta >= 0) {
    EXPECT_NEAR(found.eta_seconds.value_or(-1), expected.eta, 1e-9) << expected.line;
  }
  if (expected.fraction >= 0) {
    EXPECT_NEAR(found.fraction.value_or(-1), expected.fraction, 1e-9) << expected.line;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, ProgressLines,
    testing::Values(
        Expected{.line = "step=10 loss=0.5", .step = 10, .loss = 0.5},
        Expected{.line = "Step 10/100", .step = 10, .total = 100, .fraction = 0.1},
        Expected{.line = "step 7 of 20, loss 1.5e-3", .step = 7, .total = 20, .loss = 0.0015},
        Expected{.line = "Epoch [3/10], Step [45/100], Loss: 0.1234",
                 .step = 45,
                 .total = 100,
                 .epoch = 3,
                 .loss = 0.1234},
        Expected{.line = "{'loss': 0.5, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 1.25}",
                 .epoch = 1.25,
                 .loss = 0.5},
        Expected{
            .line = "{'train_runtime': 12.3, 'train_loss': 0.25, 'epoch': 3.0}", .epoch = 3, .loss = 0.25},
        Expected{.line = "epoch 1 | step 2 | loss 3", .step = 2, .epoch = 1, .loss = 3},
        Expected{.line = "iter 100: loss 4.2000, time 33.10ms, mfu 12.1%", .step = 100, .loss = 4.2},
        Expected{.line = "step 250: train loss 2.1, val loss 2.2", .step = 250, .loss = 2.1},
        Expected{.line = "step 250: val loss 2.2, train loss 2.1", .step = 250, .loss = 2.1},
        Expected{.line = "{'eval_loss': 0.9, 'epoch': 2.0}", .epoch = 2},
        Expected{
            .line = "val_loss=0.3",
        },
        Expected{.line = "Epoch: [0][  10/5005]\tTime  0.5 ( 0.6)\tLoss 6.9e+00 (7.0e+00)",
                 .step = 10,
                 .total = 5005,
                 .epoch = 0,
                 .loss = 6.9},
        Expected{.line = "Train Epoch: 1 [6400/60000 (11%)]\tLoss: 0.350000",
                 .epoch = 1,
                 .loss = 0.35,
                 .fraction = 6400.0 / 60000},
        Expected{.line = "45/100 [=====>....] - ETA: 12s - loss: 0.1 - accuracy: 0.9",
                 .step = 45,
                 .total = 100,
                 .loss = 0.1,
                 .eta = 12},
        Expected{
            .line = "45/100 \xe2\x94\x81\xe2\x94\x81\xe2\x94\x81 12s 30ms/step - accuracy: 0.1 - loss: 2.3",
            .step = 45,
            .total = 100,
            .loss = 2.3,
            .rate = 1000.0 / 30},
        Expected{.line = " 45%|\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88 | 45/100 [00:12<00:15,  3.60it/s]",
                 .step = 45,
                 .total = 100,
                 .rate = 3.6,
                 .eta = 15,
                 .fraction = 0.45},
        Expected{
            .line = "Epoch 3:  45%|####      | 45/100 [01:00:12<1:02:03, 2.5s/it, v_num=0, train_loss=0.5]",
            .step = 45,
            .total = 100,
            .epoch = 3,
            .loss = 0.5,
            .rate = 0.4,
            .eta = 3723},
        Expected{.line = "model.safetensors:  45%|###  | 450M/1.00G [00:12<00:15, 36.0MB/s]"},
        Expected{.line = "global_step=5 lr=0.1", .step = 5},
        Expected{.line = "train/loss: 0.75 train/global_step: 12", .step = 12, .loss = 0.75},
        Expected{
            .line = "[2026-12-01 10:00:00] INFO epoch=2 iteration=30/60 loss=1.0 throughput=123.4 samples/s",
            .step = 30,
            .total = 60,
            .epoch = 2,
            .loss = 1,
            .rate = 123.4},
        Expected{.line = "epoch3 done", .epoch = 3},
        Expected{.line = "Loading checkpoint shards: 100%|##########| 2/2 [00:01<00:00, 1.50it/s]",
                 .step = 2,
                 .total = 2},
        Expected{.line = "stepping stones"}, Expected{.line = "the loss of 3 soldiers"},
        Expected{.line = "step"}, Expected{.line = "step=-5"},
        Expected{.line = "step=99999999999999999999999"}, Expected{.line = ""}));

TEST(ProgressLine, ALossThatIsNotANumberIsSaidToBeOne) {
  EXPECT_TRUE(std::isnan(parse_progress_line("step 3 loss: nan").loss.value()));
  EXPECT_TRUE(std::isinf(parse_progress_line("loss=-inf").loss.value()));
  EXPECT_FALSE(parse_progress_line("loss: nancy").loss.has_value());
}

TEST(LineSplitter, CutsAtBothEndsAndTakesEscapesOut) {
  LineSplitter splitter;
  std::vector<std::string> lines;
  const auto sink = [&lines](std::string_view line) { lines.emplace_back(line); };
  const std::string text = "\x1b[1;32mgreen\x1b[0m one\r\n\x1b]0;title\atwo\rthree\x1b[K\n\n";
  for (const char c : text) splitter.add(std::string_view(&c, 1), sink);
  EXPECT_EQ(lines, (std::vector<std::string>{"green one", "two", "three"}));
  lines.clear();
  splitter.add(std::string(100'000, 'x') + "\nnext\n", sink);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].size(), LineSplitter::kLongest);
  EXPECT_EQ(lines[1], "next");
  lines.clear();
  splitter.add("\x1b]never ends" + std::string(5000, 'y') + "\nafter\n", sink);
  EXPECT_EQ(lines, std::vector<std::string>{"after"});
}

class ProgressLogTest : public testing::Test {
 protected:
  void feed(const std::string& text, std::int64_t seconds = 1) {
    LogFeed::Batch batch;
    batch.first = text;
    log.add(batch, Instant{seconds * 1'000'000'000}, seconds * 1'000'000'000);
  }
  ProgressLog log;
};

TEST_F(ProgressLogTest, KeepsTheLatestOfEverything) {
  feed("Epoch 2/5\nstep=1 loss=0.9\nstep=2 loss=0.8\n");
  const Json json = log.to_json();
  EXPECT_EQ(json["latest"]["step"].as_integer(), 2);
  EXPECT_EQ(json["latest"]["epoch"].as_double(), 2.0);
  EXPECT_EQ(json["latest"]["total_epochs"].as_double(), 5.0);
  EXPECT_EQ(json["series"].size(), 2u);
  EXPECT_EQ(json["series"].at(0).at(1).as_integer(), 1);
}

TEST_F(ProgressLogTest, RepeatedLinesAreNoProgress) {
  feed("step=1 loss=0.9\n", 1);
  feed("step=1 loss=0.9\n", 100);
  EXPECT_EQ(log.last_progress_ns(), 1'000'000'000);
  EXPECT_EQ(log.last_byte_ns(), 100'000'000'000);
}

TEST_F(ProgressLogTest, ABarWithoutItsLineEndCountsOnceItHasSettled) {
  feed(" 50%|#####     | 5/10 [00:01<00:01, 5.00it/s]");
  EXPECT_FALSE(log.last_progress_ns().has_value());
  log.settle(Instant{}, 1'500'000'000);
  EXPECT_FALSE(log.last_progress_ns().has_value());
  log.settle(Instant{}, 2'100'000'000);
  EXPECT_TRUE(log.last_progress_ns().has_value());
}

TEST_F(ProgressLogTest, TheSeriesStaysSmallAndCoversTheWholeRun) {
  for (int i = 0; i < 100'000; ++i) feed("step=" + std::to_string(i) + " loss=1\n", i);
  const Json json = log.to_json();
  EXPECT_LE(json["series"].size(), 2000u);
  EXPECT_GE(json["series"].size(), 500u);
  EXPECT_EQ(json["series"].at(0).at(1).as_integer(), 0);
  EXPECT_GT(json["series"].at(json["series"].size() - 1).at(1).as_integer().value(), 95'000);
}

TEST_F(ProgressLogTest, ErrorLinesAreFoundAndKindsTold) {
  feed(
      "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    raise "
      "ValueError('loss=3')\nValueError: loss=3\n");
  feed("[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n");
  feed(
      "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory "
      "(shm).\n");
  feed("OSError: [Errno 28] No space left on device\nKilled\n");
  feed(
      "[E ProcessGroupNCCL.cpp:475] [Rank 0] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum=3)\n");
  feed("Segmentation fault (core dumped)\nRuntimeError: boom\nnot an error: at all\nWarning: nothing\n");
  std::vector<std::string> kinds;
  const Json json = log.to_json();
  for (const Json& line : json["error_lines"].items()) kinds.push_back(line["kind"].string_or_empty());
  EXPECT_EQ(kinds, (std::vector<std::string>{"exception", "out_of_memory", "shared_memory", "disk_full",
                                             "killed", "collective_timeout", "crash", "exception"}));
  EXPECT_EQ(json["error_lines"].at(0)["line"].string_or_empty(), "ValueError: loss=3");
}

TEST_F(ProgressLogTest, AnExceptionWithoutAnUsualNameIsFoundAfterItsTraceback) {
  feed("Traceback (most recent call last):\n  File \"x\", line 1\nmypackage.Stop\n");
  EXPECT_EQ(log.to_json()["error_lines"].at(0)["line"].string_or_empty(), "mypackage.Stop");
}

TEST_F(ProgressLogTest, ErrorLinesAreBoundedFirstAndLastKept) {
  for (int i = 0; i < 1000; ++i) feed("RuntimeError: " + std::to_string(i) + "\n");
  const Json lines = log.to_json()["error_lines"];
  ASSERT_EQ(lines.size(), 40u);
  EXPECT_EQ(lines.at(0)["line"].string_or_empty(), "RuntimeError: 0");
  EXPECT_EQ(lines.at(20)["line"].string_or_empty(), "RuntimeError: 980");
  EXPECT_EQ(lines.at(39)["line"].string_or_empty(), "RuntimeError: 999");
}

TEST_F(ProgressLogTest, BinaryOutputIsHarmless) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes.push_back(static_cast<char>(i * 7919 >> 3));
  feed(bytes);
  EXPECT_TRUE(log.to_json().is_object());
}

TEST(LogFeed, PassesEverythingWhileItIsRead) {
  LogFeed feed;
  LogFeed::Batch batch;
  EXPECT_FALSE(feed.take(batch));
  feed.add("one");
  feed.add("two");
  ASSERT_TRUE(feed.take(batch));
  EXPECT_EQ(batch.first, "onetwo");
  EXPECT_EQ(batch.dropped, 0u);
}

TEST(LogFeed, KeepsTheBeginningAndTheEndOfABurst) {
  LogFeed feed;
  LogFeed::Batch batch;
  std::uint64_t written = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string chunk(10'000, static_cast<char>('a' + i % 26));
    feed.add(chunk);
    written += chunk.size();
  }
  feed.add("\nlast words\n");
  written += 12;
  ASSERT_TRUE(feed.take(batch));
  EXPECT_EQ(batch.first.size(), LogFeed::kRoom);
  EXPECT_EQ(batch.last.size(), LogFeed::kTailRoom);
  EXPECT_TRUE(batch.last.ends_with("\nlast words\n"));
  EXPECT_EQ(batch.dropped, written - batch.first.size() - batch.last.size());
  feed.add("again");
  ASSERT_TRUE(feed.take(batch));
  EXPECT_EQ(batch.first, "again");
  EXPECT_TRUE(batch.last.empty());
}

}  // namespace
}  // namespace forebay
