#include "report/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/text_width.h"

namespace forebay {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Table, AlignsByDisplayWidth) {
  const std::string text = format_table({{"name"}, {"time", true}}, {{"照片", "1 s"}, {"a", "12 s"}}, {});
  EXPECT_EQ(text, "name  time\n照片   1 s\na     12 s\n");
}

TEST(Table, ShrinksTheColumnsThatMayAndIsNeverWiderThanTheTerminal) {
  const std::vector<TableColumn> columns{{.title = "id"},
                                         {.title = "command", .may_shrink = true},
                                         {.title = "folder", .may_shrink = true, .cut_middle = true}};
  const std::vector<std::vector<TableCell>> rows{
      {"k3v9x2", std::string(70, 'x'), "/home/ada/" + std::string(60, 'y') + "/end"}};
  for (const int width : {40, 60, 80, 120})
    for (const std::string& line : lines_of(format_table(columns, rows, {.width = width})))
      EXPECT_LE(display_width(line), width);
  EXPECT_NE(format_table(columns, rows, {.width = 60}).find("/end"), std::string::npos);
  EXPECT_NE(format_table(columns, rows, {.width = 60}).find("k3v9x2"), std::string::npos);
}

TEST(Table, DropsTrailingColumnsWhenNothingElseHelps) {
  const auto lines = lines_of(
      format_table({{"one"}, {"two"}, {"three"}},
                   {{std::string(30, 'a'), std::string(30, 'b'), std::string(30, 'c')}}, {.width = 64}));
  EXPECT_EQ(lines[1], std::string(30, 'a') + "  " + std::string(30, 'b'));
}

TEST(Table, CellsCannotBreakTheLineOrSteerTheTerminal) {
  const std::string text = format_table({{"name"}}, {{"a\nb\x1b[2J"}}, {});
  EXPECT_EQ(lines_of(text).size(), 2u);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Table, ColoursOnlyWhenAsked) {
  const std::vector<std::vector<TableCell>> rows{{TableCell("failed", Tone::kBad)}};
  EXPECT_EQ(format_table({{"state"}}, rows, {}).find('\x1b'), std::string::npos);
  EXPECT_NE(format_table({{"state"}}, rows, {.colour = true}).find("\x1b[31mfailed\x1b[0m"),
            std::string::npos);
}

TEST(Table, MissingCellsAreEmpty) {
  EXPECT_EQ(format_table({{"a"}, {"b"}}, {{"1"}}, {}), "a  b\n1  \n");
}

}  // namespace
}  // namespace forebay
