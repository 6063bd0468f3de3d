#include "environment/ignore_rules.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "storage/wildmatch.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

bool ignored(const std::string& rules, const std::string& path, bool is_folder = false) {
  IgnoreRules all;
  all.add("", parse_ignore_file(rules));
  return all.is_ignored_with_parents(path, is_folder);
}

TEST(IgnoreRules, AnAnchoredPatternDoesNotReachDeeperFolders) {
  EXPECT_TRUE(ignored("dataset/*\n", "dataset/a.jpg"));
  EXPECT_FALSE(ignored("dataset/*\n", "foo/bar/dataset/a.jpg"));
  EXPECT_TRUE(ignored("dataset\n", "foo/bar/dataset/a.jpg"));
}

TEST(IgnoreRules, NegationIncludesAgainButNotBelowAnIgnoredFolder) {
  EXPECT_FALSE(ignored("*.log\n!keep.log\n", "a/keep.log"));
  EXPECT_TRUE(ignored("logs/\n!logs/keep.log\n", "logs/keep.log"));
  EXPECT_FALSE(ignored("logs/*\n!logs/keep.log\n", "logs/keep.log"));
}

TEST(IgnoreRules, KnowsTrailingSpacesEscapesAndFoldersOnly) {
  EXPECT_TRUE(ignored("name   \n", "name"));
  EXPECT_TRUE(ignored("name\\ \n", "name "));
  EXPECT_FALSE(ignored("name\t\n", "name"));
  EXPECT_TRUE(ignored("\\#file\n", "#file"));
  EXPECT_TRUE(ignored("\\!file\n", "!file"));
  EXPECT_FALSE(ignored("out/\n", "out"));
  EXPECT_TRUE(ignored("out/\n", "out", true));
  EXPECT_TRUE(ignored("name\r\nother\r\n", "name"));
}

TEST(Wildmatch, APathologicalPatternEnds) {
  std::string pattern, text(400, 'a');
  for (int i = 0; i < 60; ++i) pattern += "*a[a]";
  EXPECT_FALSE(wildmatch(pattern + "b", text));
  std::string deep;
  for (int i = 0; i < 40; ++i) pattern = "**/" + pattern, deep += "a/";
  EXPECT_FALSE(wildmatch(pattern + "b", deep));
}

// Everything below compares with the git on this machine.
class AgainstGit : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "git is not installed";
    ASSERT_EQ(std::system(("git init -q '" + folder_.path() + "'").c_str()), 0);
  }
  void write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(folder_.file(name)).parent_path());
    std::ofstream(folder_.file(name), std::ios::binary) << content;
  }
  // The paths that git ignores among `paths`.
  std::set<std::string> ask_git(const std::vector<std::string>& paths) {
    std::string list;
    for (const auto& path : paths) list += path + '\0';
    write(".git/asked", list);
    const std::string command = "cd '" + folder_.path() +
                                "' && GIT_CONFIG_GLOBAL=/dev/null git -c core.excludesFile=/dev/null "
                                "check-ignore --no-index -z --stdin < .git/asked";
    std::set<std::string> result;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string output;
    std::array<char, 65536> buffer;
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
      output.append(buffer.data(), got);
    ::pclose(pipe);
    for (std::size_t at = 0; at < output.size();) {
      const std::size_t end = output.find('\0', at);
      result.insert(output.substr(at, end - at));
      at = end + 1;
    }
    return result;
  }
  TemporaryFolder folder_;
};

std::string pick(std::mt19937& random, const std::vector<std::string>& from) {
  return from[random() % from.size()];
}

std::string random_pattern(std::mt19937& random) {
  static const std::vector<std::string> pieces = {
      "a",   "b",   "ab",  "*",  "**",  "?",   "[ab]", "[!a]", "[^b]",   "[a-c]",       "*.x",
      "b*",  "\\*", "/",   "/",  "/",   "**/", "/**",  "/**/", "a b",    "[[:alpha:]]", "[]a]",
      "\\a", ".x",  "c**", "[a", "[!]", "é",   "***",  "a\\ ", "*[a-b]*"};
  std::string pattern = random() % 6 == 0 ? "!" : "";
  if (random() % 4 == 0) pattern += "/";
  const int count = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < count; ++i) pattern += pick(random, pieces);
  if (random() % 4 == 0) pattern += "/";
  if (random() % 8 == 0) pattern += "  ";
  return pattern;
}

TEST_F(AgainstGit, GeneratedPatternsMeanWhatGitMeans) {
  static const std::vector<std::string> names = {"a",   "b", "ab", "a.x", "b.x", "c",
                                                 "a b", "*", "é",  "abc", "[a",  "a "};
  std::mt19937 random(20261201);
  std::vector<std::string> paths;
  std::set<std::string> folders;
  for (int i = 0; i < 260; ++i) {
    std::string path = pick(random, names);
    for (int depth = static_cast<int>(random() % 4); depth > 0; --depth) {
      folders.insert(path);
      path += "/" + pick(random, names);
    }
    paths.push_back(path);
  }
  std::vector<std::string> asked;
  for (const auto& folder : folders) {
    std::filesystem::create_directories(folder_.file(folder));
    asked.push_back(folder);
  }
  for (const auto& path : paths)
    if (!folders.contains(path)) {
      write(path, "");
      asked.push_back(path);
    }
  int compared = 0;
  for (int round = 0; round < 150; ++round) {
    std::string root, nested, exclude;
    for (int i = 0; i < 3; ++i) root += random_pattern(random) + "\n";
    for (int i = 0; i < 2; ++i) nested += random_pattern(random) + "\n";
    exclude = random_pattern(random) + "\n";
    write(".gitignore", root);
    write("a/.gitignore", nested);
    write(".git/info/exclude", exclude);
    const auto expected = ask_git(asked);
    IgnoreRules rules;
    rules.add("", parse_ignore_file(exclude));
    rules.add("", parse_ignore_file(root));
    rules.add("a", parse_ignore_file(nested));
    for (const auto& path : asked) {
      ++compared;
      ASSERT_EQ(rules.is_ignored_with_parents(path, folders.contains(path)), expected.contains(path))
          << "path: " << path << "\n.gitignore:\n"
          << root << "a/.gitignore:\n"
          << nested << "exclude:\n"
          << exclude;
    }
  }
  EXPECT_GT(compared, 10'000);
}

TEST_F(AgainstGit, AwkwardFilesMeanWhatGitMeans) {
  const std::vector<std::string> files = {
      "keep.log", "logs/keep.log", "dataset/x", "foo/bar/dataset/x", "name ",    "#x",         "!x", "x\ny",
      "-n",       "foo/deep/er/x", "é.txt",     "e\xCC\x81.txt",     "foobar/x", "a/fooXbar/b"};
  for (const auto& file : files) write(file, "");
  for (const std::string rules : {"dataset/*",
                                  "/dataset/*\n!dataset/x",
                                  "\xEF\xBB\xBFkeep.log",
                                  "name\\ ",
                                  "name ",
                                  "\\#x\n\\!x",
                                  "#x",
                                  "foo/**",
                                  "foo/**/x",
                                  "**/x",
                                  "foo/",
                                  "foo*/",
                                  "/foo\n!/foo/bar",
                                  "é.txt",
                                  "x?y",
                                  "-n",
                                  "*\n!*/\n!*.log",
                                  "foo/*/",
                                  "foo/bar/",
                                  "foo/b/",
                                  "a/foo**/b",
                                  "foo**/x",
                                  "\\",
                                  "foo\\",
                                  "[",
                                  "logs/\n!logs/keep.log",
                                  "*.log\r\nname",
                                  "dataset",
                                  "/",
                                  "//",
                                  "!",
                                  "foo//bar",
                                  "/**",
                                  "**",
                                  "**/",
                                  "*/**/x"}) {
    write(".gitignore", rules);
    const auto expected = ask_git(files);
    IgnoreRules all;
    all.add("", parse_ignore_file(rules));
    for (const auto& file : files)
      EXPECT_EQ(all.is_ignored_with_parents(file, false), expected.contains(file)) << rules << " | " << file;
  }
}

}  // namespace
}  // namespace forebay
