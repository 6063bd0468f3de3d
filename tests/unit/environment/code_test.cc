#include "environment/code.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/file.h"
#include "environment/object_folder.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

// Everything below a folder: path → kind, mode and content.
std::map<std::string, std::string> picture(const std::string& root,
                                           const std::vector<std::string>& without = {}) {
  std::map<std::string, std::string> result;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
    const std::string path = at->path().string().substr(root.size() + 1);
    if (std::find(without.begin(), without.end(), path) != without.end()) {
      at.disable_recursion_pending();
      continue;
    }
    if (at->is_symlink()) {
      result[path] = "link " + fs::read_symlink(at->path()).string();
    } else if (at->is_regular_file()) {
      struct stat info{};
      ::stat(at->path().c_str(), &info);
      result[path] = "file " + std::to_string(info.st_mode & 07777) + " " + *read_file(at->path().string());
    } else if (at->is_directory() && fs::is_empty(at->path())) {
      result[path] = "folder";
    }
  }
  return result;
}

class Code : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(workdir_);
    fs::create_directories(record_.path());
    settings_.state_folder = folder_.file("state");
    settings_.deadline = Duration::from_seconds(60);
  }
  void write(const std::string& name, const std::string& content) {
    fs::create_directories(fs::path(workdir_ + "/" + name).parent_path());
    std::ofstream(workdir_ + "/" + name, std::ios::binary) << content;
  }
  Json take(const std::string& below = "") {
    auto summary = snapshot_code(below.empty() ? workdir_ : workdir_ + "/" + below, record_, settings_);
    EXPECT_TRUE(summary) << (summary ? "" : summary.error().sentence());
    return summary ? *summary : Json();
  }
  RestoredCode restore(const std::string& target = "back") {
    auto restored = restore_code(record_, settings_.state_folder, folder_.file(target));
    EXPECT_TRUE(restored) << (restored ? "" : restored.error().sentence());
    return restored ? *restored : RestoredCode{};
  }
  void git(const std::string& arguments) {
    const std::string command =
        "cd '" + workdir_ +
        "' && GIT_CONFIG_GLOBAL=/dev/null git -c user.name=n -c user.email=e@example.org " + arguments +
        " >/dev/null 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  static bool has_git() { return std::system("git --version >/dev/null 2>&1") == 0; }
  static std::vector<std::string> remark_codes(const Json& summary) {
    std::vector<std::string> codes;
    for (const auto& remark : summary["remarks"].items()) codes.push_back(remark["code"].string_or_empty());
    return codes;
  }

  TemporaryFolder folder_;
  std::string workdir_ = folder_.file("project");
  RunDirectory record_{folder_.file("state/runs/r1")};
  SnapshotSettings settings_;
};

TEST_F(Code, AFolderComesBackExactlyWithHostileNames) {
  write("train.py", "print(1)\n");
  write("-leading", "dash");
  write("new\nline", "x");
  write("caf\xC3\xA9.py", "composed");
  write("cafe\xCC\x81.py", "decomposed");
  write("bad\xFF\xFEutf8%41", "bytes");
  write("..hidden/...", "dots");
  write("binary", std::string("\0\1\2\r\n", 5));
  write("empty", "");
  write("run.sh", "#!/bin/sh\n");
  fs::permissions(workdir_ + "/run.sh", fs::perms(0751));
  fs::create_directories(workdir_ + "/outputs/deep");
  fs::create_symlink("/etc/passwd", workdir_ + "/absolute");
  fs::create_symlink("../outside", workdir_ + "/upwards");
  fs::create_symlink("nowhere", workdir_ + "/dangling");
  const Json summary = take();
  EXPECT_EQ(summary["kind"].string_or_empty(), "files");
  EXPECT_EQ(summary["files"].as_integer(), 10);
  EXPECT_FALSE(*summary["partial"].as_bool());
  const auto restored = restore();
  EXPECT_EQ(restored.workdir, folder_.file("back"));
  EXPECT_EQ(picture(folder_.file("back")), picture(workdir_));
}

TEST_F(Code, IgnoreFilesAndToolFoldersAreLeftOut) {
  write(".gitignore", "dataset/*\n*.log\n!keep.log\n");
  write(".forebayignore", "scratch/\n");
  write("sub/.gitignore", "local\n");
  for (const char* name : {"dataset/a", "foo/bar/dataset/a", "x.log", "keep.log", "scratch/y", "sub/local",
                           "local", ".venv/pyvenv.cfg", ".venv/lib/site.py", "__pycache__/a.pyc", ".git2/x",
                           "node_modules/m/index.js", "cache/CACHEDIR.TAG", "cache/x"})
    write(name, "1");
  take();
  restore();
  const auto back = picture(folder_.file("back"));
  std::vector<std::string> names;
  for (const auto& [name, content] : back) names.push_back(name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(".gitignore", ".forebayignore", "sub/.gitignore",
                                                     "foo/bar/dataset/a", "keep.log", "local", ".git2/x"));
}

TEST_F(Code, SecretsAndDataAreListedButNotKept) {
  settings_.largest_data_folder = 1000;
  settings_.largest_file = 100'000;
  write("train.py", "1");
  write(".env", "TOKEN=topsecret");
  write("server.pem", "key");
  write("logo.png", "small picture beside code");
  for (int i = 0; i < 20; ++i) write("photos/" + std::to_string(i) + ".jpg", std::string(100, 'x'));
  write("huge.txt", std::string(200'000, 'x'));
  const Json summary = take();
  EXPECT_EQ(summary["not_kept"]["secret"]["files"].as_integer(), 2);
  EXPECT_EQ(summary["not_kept"]["data"]["files"].as_integer(), 20);
  EXPECT_EQ(summary["not_kept"]["large"]["bytes"].as_integer(), 200'000);
  EXPECT_THAT(remark_codes(summary), Contains("secret-files"));
  EXPECT_THAT(remark_codes(summary), Contains("data-not-kept"));
  EXPECT_EQ(std::system(("grep -rq topsecret '" + settings_.state_folder + "'").c_str()), 256);
  const auto restored = restore();
  EXPECT_EQ(restored.files, 2);
  EXPECT_EQ(restored.missing.size(), 23u);
}

TEST_F(Code, TheSecondSnapshotSeesAChangeOfSameSizeAndTime) {
  write("a.py", "one");
  take();
  const auto time = fs::last_write_time(workdir_ + "/a.py");
  write("a.py", "two");
  fs::last_write_time(workdir_ + "/a.py", time);
  take();
  restore();
  EXPECT_EQ(*read_file(folder_.file("back/a.py")), "two");
}

TEST_F(Code, AnOldFileIsRememberedAndStillComesBackWhenItsObjectIsGone) {
  write("a.py", "one");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  take();
  take();
  fs::remove_all(settings_.state_folder + "/objects/" + "76");  // sha256("one") begins with 7692c3ad
  take();
  restore();
  EXPECT_EQ(*read_file(folder_.file("back/a.py")), "one");
}

TEST_F(Code, AFileThatKeepsChangingIsSaid) {
  write("busy.py", std::string(4'000'000, 'a'));
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) std::ofstream(workdir_ + "/busy.py", std::ios::app) << i;
  });
  const Json summary = take();
  stop = true;
  writer.join();
  EXPECT_THAT(remark_codes(summary), Contains("changed-while-read"));
}

// A log that another program goes on writing must not keep the run from starting.
TEST_F(Code, AFileThatNeverStopsGrowingIsKeptAsLongAsItWas) {
  write("growing.txt", std::string(4'000'000, 'a'));
  auto objects = ObjectFolder::open(folder_.file("objects"), ObjectFolder::Use::kKeep);
  ASSERT_TRUE(objects) << objects.error().sentence();
  UniqueFd file(::open((workdir_ + "/growing.txt").c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    const std::string block(1 << 20, 'b');
    while (!stop && ::write(file.get(), block.data(), block.size()) > 0 &&
           ::lseek(file.get(), 0, SEEK_CUR) < (1 << 28)) {
    }
  });
  UniqueFd reader(::open((workdir_ + "/growing.txt").c_str(), O_RDONLY | O_CLOEXEC));
  const auto kept = objects->keep_file(reader.get(), "growing.txt");
  stop = true;
  writer.join();
  ASSERT_TRUE(kept) << kept.error().sentence();
  EXPECT_GE(kept->bytes, 4'000'000);
  EXPECT_LT(kept->bytes, 1 << 28);
}

TEST_F(Code, DamageIsFoundAtRestore) {
  write("a.py", "one");
  take();
  std::ofstream(settings_.state_folder +
                "/objects/76/92c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed")
      << "two";
  const auto restored = restore_code(record_, settings_.state_folder, folder_.file("back"));
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::kCorrupt);
}

TEST_F(Code, AManifestThatLeavesItsTargetIsRefused) {
  write("a.py", "one");
  take();
  const std::string path = record_.code() + "/manifest.json";
  const std::string text = *read_file(path);
  for (const std::string evil : {"../a.py", "/etc/a.py", "x/../../a.py", "a%00b", "", ".", "x//y", "%"}) {
    std::string changed = text;
    changed.replace(changed.find("\"a.py\""), 6, "\"" + evil + "\"");
    std::ofstream(path) << changed;
    const auto restored = restore_code(record_, settings_.state_folder, folder_.file("back"));
    ASSERT_FALSE(restored) << evil;
    EXPECT_EQ(restored.error().code, ErrorCode::kCorrupt);
  }
  for (std::size_t cut = 0; cut < text.size(); cut += 7) {
    std::ofstream(path) << text.substr(0, cut);
    EXPECT_FALSE(restore_code(record_, settings_.state_folder, folder_.file("back")));
  }
}

TEST_F(Code, TheHomeFolderIsNotKept) {
  ::setenv("HOME", workdir_.c_str(), 1);
  write("private", "1");
  const Json summary = take();
  EXPECT_THAT(remark_codes(summary), Contains("folder-too-wide"));
  EXPECT_FALSE(restore_code(record_, settings_.state_folder, folder_.file("back")));
}

TEST_F(Code, AMissingFolderIsAnErrorAndAnUnreadableFileARemark) {
  EXPECT_FALSE(snapshot_code(folder_.file("nowhere"), record_, settings_));
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  write("closed", "1");
  fs::permissions(workdir_ + "/closed", fs::perms::none);
  EXPECT_THAT(remark_codes(take()), Contains("unreadable-file"));
}

TEST_F(Code, PruningKeepsWhatARecordNames) {
  write("a.py", "one");
  write("b.py", "only in the first run");
  take();
  fs::remove(workdir_ + "/b.py");
  RunDirectory second(folder_.file("state/runs/r2"));
  ASSERT_TRUE(snapshot_code(workdir_, second, settings_));
  fs::remove_all(record_.path());
  const auto freed = prune_code_objects(settings_.state_folder);
  ASSERT_TRUE(freed);
  EXPECT_EQ(*freed, 21);
  EXPECT_TRUE(restore_code(second, settings_.state_folder, folder_.file("back")));
}

TEST_F(Code, AGitTreeComesBackAsItWasWithItsChanges) {
  if (!has_git()) GTEST_SKIP() << "git is not installed";
  git("init -q -b main");
  write(".gitignore", "*.tmp\nforced.tmp2\n");
  write("src/train.py", "print(1)\n");
  write("deleted.py", "x");
  write("binary", std::string("\0\1", 2));
  write("caf\xC3\xA9 \n.py", "odd");
  write("staged.py", "1");
  write("old-name.py", "a file that is renamed, long enough for git to see it\n");
  git("add -A");
  git("commit -qm first");
  git("remote add origin https://someone:hunter22@example.org/r.git");
  write("src/train.py", "print(2)\n");
  fs::remove(workdir_ + "/deleted.py");
  write("binary", std::string("\0\2", 2));
  write("staged.py", "2");
  git("add staged.py");
  write("staged.py", "3");
  git("mv old-name.py new-name.py");
  write("untracked.py", "new");
  write("ignored.tmp", "no");
  fs::create_directories(workdir_ + "/inner");
  ASSERT_EQ(std::system(("cd '" + workdir_ +
                         "/inner' && git init -q && echo hi > f && echo '*.x' > .gitignore && touch a.x")
                            .c_str()),
            0);
  const Json summary = take("src");
  EXPECT_EQ(summary["kind"].string_or_empty(), "git");
  EXPECT_EQ(summary["branch"].string_or_empty(), "main");
  EXPECT_EQ(summary["commit"].string_or_empty().size(), 40u);
  EXPECT_EQ(summary["workdir"].string_or_empty(), "src");
  EXPECT_TRUE(*summary["dirty"].as_bool());
  const std::string manifest = *read_file(record_.code() + "/manifest.json");
  EXPECT_THAT(manifest, ::testing::Not(HasSubstr("hunter22")));
  EXPECT_THAT(*read_file(record_.code() + "/changes.patch"), HasSubstr("GIT binary patch"));
  const auto restored = restore();
  EXPECT_EQ(restored.workdir, folder_.file("back/src"));
  EXPECT_EQ(picture(folder_.file("back")),
            picture(workdir_, {".git", "ignored.tmp", "inner/.git", "inner/a.x"}));
}

TEST_F(Code, WhenTimeIsShortGitKeepsWhatIsClean) {
  if (!has_git()) GTEST_SKIP() << "git is not installed";
  git("init -q");
  write("clean.py", "in the commit");
  git("add -A");
  git("commit -qm first");
  settings_.deadline = Duration{1};
  const Json summary = take();
  EXPECT_FALSE(*summary["partial"].as_bool());
  restore();
  EXPECT_EQ(*read_file(folder_.file("back/clean.py")), "in the commit");
}

TEST_F(Code, ARepositoryWithoutACommitAndADamagedOneAreKept) {
  if (!has_git()) GTEST_SKIP() << "git is not installed";
  git("init -q");
  write("a.py", "1");
  EXPECT_EQ(take()["kind"].string_or_empty(), "git");
  restore("first");
  EXPECT_EQ(*read_file(folder_.file("first/a.py")), "1");
  fs::remove_all(workdir_ + "/.git");
  write(".git", "gitdir: /nowhere\n");
  const Json summary = take();
  EXPECT_EQ(summary["kind"].string_or_empty(), "files");
  EXPECT_THAT(remark_codes(summary), Contains("git-failed"));
  restore("second");
  EXPECT_EQ(*read_file(folder_.file("second/a.py")), "1");
}

TEST_F(Code, ForebayignoreHoldsInAGitTreeToo) {
  if (!has_git()) GTEST_SKIP() << "git is not installed";
  git("init -q");
  write("a.py", "1");
  write("fixtures/big", "1");
  write(".forebayignore", "fixtures/\n");
  git("add -A");
  take();
  restore();
  EXPECT_FALSE(path_exists(folder_.file("back/fixtures")));
}

}  // namespace
}  // namespace forebay
