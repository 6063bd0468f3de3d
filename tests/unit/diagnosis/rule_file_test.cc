#include <gtest/gtest.h>

#include "base/text.h"
#include "diagnosis/rule.h"

namespace forebay {
namespace {

const std::string kRule = R"(
- id: sample
  kind: time
  title: "t"
  applies: num_workers == 0
  when: data_wait_share >= 0.05
  share: data_wait_wall_share
  floor: 0.05
  evidence:
    - text: "{0} waits"
      args: [data_wait_share | %]
  fixes:
    - text: "do"
      settings: {num_workers: model_workers}
      step: {low: model_step_low, likely: model_step_likely, high: model_step_high}
  confidence: {high: steps > 10, reason: "r"}
  source: "s"
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kRule;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(RuleFile, IsReadWhole) {
  auto rules = parse_rules(kRule, "test.yaml");
  ASSERT_TRUE(rules) << rules.error().sentence();
  ASSERT_EQ(rules->size(), 1u);
  EXPECT_EQ((*rules)[0].id, "sample");
  EXPECT_EQ((*rules)[0].floor, 0.05);
  EXPECT_EQ((*rules)[0].fixes[0].step.size(), 3u);
}

TEST(RuleFile, RefusesWhatIsWrongAndSaysWhere) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {with("data_wait_share >= 0.05", "data_wiat_share >= 0.05"), "data_wiat_share"},
      {with("  floor: 0.05", "  flor: 0.05"), "flor"},
      {with("  floor: 0.05", "  floor: 5"), "floor"},
      {with("kind: time", "kind: slow"), "kind"},
      {with("  share: data_wait_wall_share\n", ""), "share"},
      {with("  when: data_wait_share >= 0.05\n", ""), "when"},
      {with("  source: \"s\"\n", ""), "source"},
      {with("args: [data_wait_share | %]", "args: [data_wait_share]"), "unit"},
      {with("      args: [data_wait_share | %]\n", ""), "{0}"},
      {with("steps > 10", "steps >"), "confidence"},
      {with("args: [data_wait_share | %]", "args: [\"@devise\"]"), "devise"},
      {"id: not a list", "list"},
      {kRule + kRule, "twice"},
  };
  for (const auto& [yaml, word] : cases) {
    auto rules = parse_rules(yaml, "test.yaml");
    ASSERT_FALSE(rules) << word;
  }
  EXPECT_NE(parse_rules(cases[0].first, "test.yaml").error().sentence().find("data_wiat_share"),
            std::string::npos);
  EXPECT_NE(parse_rules(cases[1].first, "test.yaml").error().sentence().find("flor"), std::string::npos);
}

TEST(RuleFile, HostileFilesNeverCrash) {
  const std::string deep_flow(50'000, '['), deep_map(50'000, '{');
  std::string deep_block;
  for (int i = 0; i < 600; ++i) deep_block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  std::string dashes;
  for (int i = 0; i < 5'000; ++i) dashes += "- ";
  for (const std::string& yaml :
       {deep_flow, deep_map, deep_block, dashes, std::string("\0\xff\xfe", 3), std::string("- *a"),
        std::string("&a [*a]"), std::string(300'000, 'x'), std::string("- - -\n- [}"),
        std::string("!!binary x"), std::string("- null\n- 1\n"), std::string("%YAML 9\n---\n- a"),
        std::string("- id: [1, 2]\n  kind: {}\n"), std::string("- &r {id: x}\n- *r\n")})
    EXPECT_FALSE(parse_rules(yaml, "hostile"));
  EXPECT_TRUE(parse_rules("[]", "empty"));
}

// Every line of the real file damaged in turn: refused or read, never a crash.
TEST(RuleFile, SurvivesCutsAtEveryLine) {
  for (std::size_t end = kRule.find('\n'); end != std::string::npos; end = kRule.find('\n', end + 1)) {
    (void)parse_rules(kRule.substr(0, end), "cut");
    (void)parse_rules(kRule.substr(end), "tail");
  }
}

TEST(BuiltInRules, AllParse) {
  for (const Error& fault : built_in_rule_faults()) ADD_FAILURE() << fault.sentence();
  EXPECT_GE(built_in_rules().size(), 25u);
}

void expect_translated(const std::string& text) {
  if (text == "{0}") return;
  EXPECT_NE(tr_in("zh_CN", text), text) << "no Chinese for: " << text;
}

TEST(BuiltInRules, EveryTextExistsInChinese) {
  for (const Rule& rule : built_in_rules()) {
    expect_translated(rule.title);
    for (const RuleText& line : rule.evidence) expect_translated(line.msgid);
    for (const RuleFix& fix : rule.fixes) expect_translated(fix.text.msgid);
    expect_translated(rule.reason.msgid);
  }
  for (const MetricDescription& description : metric_descriptions())
    expect_translated(std::string(description.meaning));
}

TEST(BuiltInRules, TranslationsKeepTheFields) {
  const auto fields = [](std::string_view text) {
    std::set<char> found;
    for (std::size_t i = 0; i + 2 < text.size(); ++i)
      if (text[i] == '{' && text[i + 2] == '}') found.insert(text[i + 1]);
    return found;
  };
  for (const Rule& rule : built_in_rules()) {
    for (const RuleText& line : rule.evidence)
      EXPECT_EQ(fields(line.msgid), fields(tr_in("zh_CN", line.msgid))) << line.msgid;
    for (const RuleFix& fix : rule.fixes)
      EXPECT_EQ(fields(fix.text.msgid), fields(tr_in("zh_CN", fix.text.msgid))) << fix.text.msgid;
  }
}

}  // namespace
}  // namespace forebay
