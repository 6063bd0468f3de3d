// Language, theme, and drawing the plots when they are shown or change their width. #lang=zh_CN and #theme=dark choose at start.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement, mains = document.querySelectorAll("main");
  const asked = new URLSearchParams(location.hash.slice(1));
  const remembered = (key) => { try { return localStorage.getItem("forebay-" + key); } catch { return null; } };
  const remember = (key, value) => { try { localStorage.setItem("forebay-" + key, value); } catch { /* private mode: not remembered */ } };
  let language = root.lang === "zh-CN" ? "zh_CN" : "en";
  if (asked.get("lang") && data.words[asked.get("lang")]) language = asked.get("lang");
  let theme = asked.get("theme") || remembered("theme") || "auto";
  const themes = ["auto", "light", "dark"], themeButton = document.getElementById("theme"), languageButton = document.getElementById("language");

  function shownMain() { return [...mains].find((main) => !main.hidden); }
  function draw(figure) { drawPlot(figure, data.plots[figure.dataset.plot], data.words[language], language); }
  function drawAll() { shownMain().querySelectorAll("figure.plot").forEach(draw); }

  function showTheme() {
    if (!themes.includes(theme)) theme = "auto";
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    themeButton.textContent = data.words[language][theme];
  }
  function showLanguage() {
    root.lang = language === "zh_CN" ? "zh-CN" : "en";
    mains.forEach((main) => { main.hidden = main.lang !== root.lang; });
    languageButton.textContent = language === "zh_CN" ? "English" : "简体中文";
    languageButton.lang = language === "zh_CN" ? "en" : "zh-CN";
    document.querySelectorAll("time").forEach((time) => { time.textContent = new Date(time.dateTime).toLocaleString(root.lang); });
    showTheme();
    drawAll();
  }
  themeButton.addEventListener("click", () => { theme = themes[(themes.indexOf(theme) + 1) % 3]; remember("theme", theme); showTheme(); });
  languageButton.addEventListener("click", () => { language = language === "zh_CN" ? "en" : "zh_CN"; showLanguage(); });
  themeButton.hidden = languageButton.hidden = false;
  let width = 0, waiting = 0;
  new ResizeObserver(() => {
    if (shownMain().clientWidth === width) return;
    width = shownMain().clientWidth;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(drawAll);
  }).observe(document.body);
  showLanguage();
})();
