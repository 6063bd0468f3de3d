"use strict";
// Small SVG plots: lines over time (or steps) and stacked parts. drawPlot(figure, plot, words) fills figure's .canvas.
const SVG = "http://www.w3.org/2000/svg";
const LINE_COLOURS = ["--forward", "--data_wait", "--optimizer", "--collective", "--backward", "--host_sync", "--checkpoint", "--validation"];
const LINE_DASHES = ["", "6 3", "2 2", "8 3 2 3"];

function svgElement(name, attributes, parent, text) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.appendChild(element);
  return element;
}

function htmlElement(name, className, parent, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  if (parent) parent.appendChild(element);
  return element;
}

function significant(value, digits) {
  if (value === 0) return "0";
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 9));
}

// A value with its unit, as the terminal report writes it.
function valueText(value, unit) {
  if (value === null || value === undefined) return null;
  if (unit === "1") return significant(value * 100, value >= 0.9995 ? 3 : 2) + " %";
  if (unit === "s") return secondsText(value);
  if (unit === "B" || unit === "B/s") {
    const names = ["B", "KiB", "MiB", "GiB", "TiB"];
    let index = 0;
    while (Math.abs(value) >= 1024 && index + 1 < names.length) { value /= 1024; index++; }
    return significant(value, 3) + " " + names[index] + (unit === "B/s" ? "/s" : "");
  }
  return significant(value, 3) + (unit ? " " + unit : "");
}

// At an axis zeros at the end say nothing, and the caption names the unit of plain counts.
function tickText(value, unit) {
  const text = valueText(value, unit === "cores" ? "" : unit);
  return text.replace(/(\.\d*?)0+(?= |$)/, "$1").replace(/\.(?= |$)/, "");
}

function secondsText(value) {
  if (value >= 60) return clockText(value);
  if (value >= 1 || value === 0) return significant(value, 3) + " s";
  if (value >= 1e-3) return significant(value * 1e3, 3) + " ms";
  return significant(value * 1e6, 2) + " µs";
}

function clockText(value) {
  const whole = Math.round(value), hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, seconds = whole % 60;
  const two = (n) => String(n).padStart(2, "0");
  return hours > 0 ? hours + ":" + two(minutes) + ":" + two(seconds) : minutes + ":" + two(seconds);
}

// Round distances for ticks: 1, 2, 5 × 10^n; binary multiples for bytes; minutes and hours for time.
function tickStep(span, count, unit) {
  const rough = span / count;
  if (unit === "time") for (const step of [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400])
    if (step >= rough) return step;
  const binary = unit === "B" || unit === "B/s";
  const base = binary ? Math.pow(1024, Math.max(0, Math.floor(Math.log(Math.max(rough, 1)) / Math.log(1024)))) : 1;
  const power = Math.pow(10, Math.floor(Math.log10(rough / base)));
  for (const factor of [1, 2, 5, 10]) if (factor * power * base >= rough * 0.999) return factor * power * base;
  return rough;
}

function frame(plot, width) {
  const narrow = width < 420;
  return { width: width, height: narrow ? 170 : 200, left: plot.unit === "B/s" ? 74 : 62, right: 12, top: 10, bottom: 24 };
}

// Axes, ticks and scales; `domain` is {x0, x1, y1}; returns {svg, x, y, box}.
function axes(canvas, plot, domain, label) {
  const box = frame(plot, Math.max(canvas.clientWidth, 240));
  const svg = svgElement("svg", { viewBox: "0 0 " + box.width + " " + box.height, role: "img", tabindex: "0", "aria-label": label }, canvas);
  const x = (value) => box.left + (value - domain.x0) / Math.max(domain.x1 - domain.x0, 1e-9) * (box.width - box.left - box.right);
  const y = (value) => box.height - box.bottom - value / Math.max(domain.y1, 1e-12) * (box.height - box.top - box.bottom);
  const yStep = tickStep(domain.y1, 4, plot.unit);
  for (let value = 0; value <= domain.y1 * 1.0001; value += yStep) {
    svgElement("line", { class: "axis", x1: box.left, x2: box.width - box.right, y1: y(value), y2: y(value) }, svg);
    svgElement("text", { class: "tick", x: box.left - 6, y: y(value) + 4, "text-anchor": "end" }, svg, tickText(value, plot.unit));
  }
  const byStep = plot.x === "step";
  const xStep = Math.max(tickStep(domain.x1 - domain.x0, Math.max(2, Math.floor(box.width / 110)), byStep ? "" : "time"), byStep ? 1 : 0);
  for (let value = Math.ceil(domain.x0 / xStep) * xStep; value <= domain.x1; value += xStep)
    svgElement("text", { class: "tick", x: Math.min(x(value), box.width - 18), y: box.height - 6, "text-anchor": "middle" }, svg,
      byStep ? String(value) : domain.x1 < 60 ? value + " s" : clockText(value));
  return { svg: svg, x: x, y: y, box: box };
}

// Stops at the last whole tick above, so that the top line is labelled.
function roundedTop(value, unit) {
  if (!(value > 0)) return 1;
  const step = tickStep(value, 4, unit);
  return Math.ceil(value / step - 1e-6) * step;
}

function linePath(points, x, y) {
  let path = "", pen = false;
  for (const [at, value] of points) {
    if (value === null) { pen = false; continue; }  // a gap: nothing is drawn across it
    path += (pen ? "L" : "M") + x(at).toFixed(1) + " " + y(value).toFixed(1);
    pen = true;
  }
  return path;
}

// Points that stand alone between gaps have no line; they get a dot.
function lonelyPoints(points) {
  return points.filter((point, i) => point[1] !== null && (i === 0 || points[i - 1][1] === null) && (i + 1 === points.length || points[i + 1][1] === null));
}

function lineColour(plot, i) { return plot.colour || LINE_COLOURS[i % LINE_COLOURS.length]; }

function drawLines(figure, plot, words, language) {
  const canvas = figure.querySelector(".canvas"), all = plot.series.flatMap((series) => series.points), known = all.filter((point) => point[1] !== null);
  const peak = Math.max(...known.map((point) => point[1]), plot.limit || 0, plot.top || 0);
  const domain = { x0: Math.min(0, all[0][0]), x1: Math.max(...all.map((point) => point[0])), y1: plot.unit === "1" && plot.top ? plot.top : roundedTop(peak, plot.unit) };
  if (plot.x === "step") domain.x0 = all[0][0];
  const title = figure.querySelector("figcaption").textContent;
  const area = axes(canvas, plot, domain, title + ". " + words.keys);
  plot.series.forEach((series, i) => {
    const colour = "var(" + lineColour(plot, i) + ")";
    const curve = svgElement("path", { class: "curve", d: linePath(series.points, area.x, area.y) }, area.svg);
    curve.style.stroke = colour;
    if (plot.series.length > 1) curve.style.strokeDasharray = LINE_DASHES[i % LINE_DASHES.length];
    for (const [at, value] of lonelyPoints(series.points))
      svgElement("circle", { class: "dot", cx: area.x(at), cy: area.y(value), r: 2 }, area.svg).style.fill = colour;
  });
  if (plot.limit) {
    const at = area.y(plot.limit);
    svgElement("line", { class: "limit", x1: area.box.left, x2: area.box.width - area.box.right, y1: at, y2: at }, area.svg);
    svgElement("text", { class: "limit-text", x: area.box.width - area.box.right, y: at + 14, "text-anchor": "end" }, area.svg, words.limit + " " + valueText(plot.limit, plot.unit));
  }
  if (plot.series.length > 1) legend(canvas, plot.series.map((series, i) => ({ label: series.label[language], colour: lineColour(plot, i), dash: LINE_DASHES[i % LINE_DASHES.length] })));
  const times = [...new Set(all.map((point) => point[0]))].sort((a, b) => a - b);
  const maps = plot.series.map((series) => new Map(series.points));
  return { area: area, times: times, columns: plot.series.map((series) => series.label[language]),
    values: (i) => maps.map((map) => map.has(times[i]) ? valueText(map.get(times[i]), plot.unit) : undefined) };
}

function drawStack(figure, plot, words, language) {
  const canvas = figure.querySelector(".canvas"), buckets = plot.buckets;
  const sums = buckets.map((bucket) => bucket[3].reduce((sum, value) => sum + value, 0));
  const sorted = [...sums].sort((a, b) => a - b);  // one slow step must not flatten the rest
  const high = sorted[sorted.length - 1], usual = sorted[Math.floor((sorted.length - 1) * 0.98)];
  const domain = { x0: Math.min(0, buckets[0][0]), x1: Math.max(...buckets.map((bucket) => bucket[1])), y1: roundedTop(high > usual * 3 ? usual * 1.6 : high, plot.unit) };
  const area = axes(canvas, plot, domain, figure.querySelector("figcaption").textContent + ". " + words.keys);
  const base = buckets.map(() => 0), roof = area.y(domain.y1);
  plot.parts.forEach((part, p) => {
    let path = "";
    buckets.forEach((bucket, b) => {
      const low = area.y(base[b]);
      base[b] += bucket[3][p];
      const top = Math.max(area.y(base[b]), roof);
      if (low - top < 0.05) return;
      const x0 = area.x(bucket[0]).toFixed(1), x1 = Math.max(area.x(bucket[1]), area.x(bucket[0]) + 0.8).toFixed(1);
      path += "M" + x0 + " " + low.toFixed(1) + "V" + top.toFixed(1) + "H" + x1 + "V" + low.toFixed(1) + "Z";
    });
    svgElement("path", { class: "part-" + part.id, d: path }, area.svg);
  });
  legend(canvas, plot.parts.map((part) => ({ label: part.label[language], colour: "--" + part.id, box: true })));
  return { area: area, times: buckets.map((bucket) => (bucket[0] + bucket[1]) / 2), columns: [words.steps, ...plot.parts.map((part) => part.label[language]), words.total],
    values: (i) => [String(buckets[i][2]), ...buckets[i][3].map((value) => valueText(value, "s")), valueText(sums[i], "s")] };
}

function legend(canvas, entries) {
  const list = htmlElement("div", "legend", canvas);
  for (const entry of entries) {
    const item = htmlElement("span", "", list);
    const sign = svgElement("svg", { viewBox: "0 0 18 10", "aria-hidden": "true" }, item);
    const shape = entry.box ? svgElement("rect", { width: 14, height: 10, rx: 2 }, sign) : svgElement("line", { x1: 0, x2: 18, y1: 5, y2: 5, "stroke-width": 2.4 }, sign);
    shape.style[entry.box ? "fill" : "stroke"] = "var(" + entry.colour + ")";
    if (entry.dash) shape.style.strokeDasharray = entry.dash;
    item.appendChild(document.createTextNode(entry.label));
  }
}

// Tooltip by pointer and by arrow keys.
function addCursor(drawn, plot, words) {
  const { area, times, columns } = drawn, tip = document.getElementById("tip");
  const line = svgElement("line", { class: "cursor", y1: area.box.top, y2: area.box.height - area.box.bottom, visibility: "hidden" }, area.svg);
  let index = -1;
  const atText = (at) => plot.x === "step" ? words.step + " " + Math.round(at) : "+" + secondsText(at);
  function show(i, clientX, clientY) {
    index = Math.max(0, Math.min(times.length - 1, i));
    const at = area.x(times[index]);
    line.setAttribute("x1", at); line.setAttribute("x2", at); line.setAttribute("visibility", "visible");
    tip.replaceChildren();
    htmlElement("div", "at", tip, atText(times[index]));
    drawn.values(index).forEach((value, c) => { if (value !== undefined) htmlElement("div", "", tip, (columns.length > 1 ? columns[c] + ": " : "") + (value === null ? words.gap : value)); });
    tip.hidden = false;
    const box = area.svg.getBoundingClientRect();
    const x = clientX === undefined ? box.left + at * box.width / area.box.width : clientX, y = clientY === undefined ? box.top + 20 : clientY;
    tip.style.left = Math.max(4, Math.min(x + 14, window.innerWidth - tip.offsetWidth - 6)) + "px";
    tip.style.top = Math.max(4, Math.min(y + 14, window.innerHeight - tip.offsetHeight - 6)) + "px";
  }
  function hide() { tip.hidden = true; line.setAttribute("visibility", "hidden"); }
  function nearest(event) {
    const box = area.svg.getBoundingClientRect(), wanted = (event.clientX - box.left) * area.box.width / Math.max(box.width, 1);
    let low = 0, high = times.length - 1;
    while (low < high) { const middle = (low + high) >> 1; if (area.x(times[middle]) < wanted) low = middle + 1; else high = middle; }
    return low > 0 && wanted - area.x(times[low - 1]) < area.x(times[low]) - wanted ? low - 1 : low;
  }
  area.svg.addEventListener("pointermove", (event) => show(nearest(event), event.clientX, event.clientY));
  area.svg.addEventListener("pointerleave", hide);
  area.svg.addEventListener("blur", hide);
  area.svg.addEventListener("keydown", (event) => {
    const stride = event.shiftKey ? Math.max(1, Math.round(times.length / 20)) : 1;
    if (event.key === "ArrowRight") show(index + stride); else if (event.key === "ArrowLeft") show(index < 0 ? times.length - 1 : index - stride);
    else if (event.key === "Home") show(0); else if (event.key === "End") show(times.length - 1); else if (event.key === "Escape") hide(); else return;
    event.preventDefault();
  });
}

// The same values as a table (at most 60 rows), for reading and for screen readers.
function addTable(figure, drawn, plot, words) {
  const button = htmlElement("button", "", figure.querySelector(".canvas"), words.table);
  button.type = "button";
  button.setAttribute("aria-expanded", "false");
  let holder = null;
  button.addEventListener("click", () => {
    if (holder) { holder.remove(); holder = null; button.textContent = words.table; button.setAttribute("aria-expanded", "false"); return; }
    holder = htmlElement("div", "scroll", figure.querySelector(".canvas"));
    const table = htmlElement("table", "", holder), head = htmlElement("tr", "", htmlElement("thead", "", table)), body = htmlElement("tbody", "", table);
    for (const column of [plot.x === "step" ? words.step : words.time, ...drawn.columns]) htmlElement("th", "number", head, column).scope = "col";
    const rows = Math.min(60, drawn.times.length);
    for (let r = 0; r < rows; r++) {
      const i = Math.floor(r * drawn.times.length / rows), row = htmlElement("tr", "", body);
      htmlElement("th", "number", row, plot.x === "step" ? String(Math.round(drawn.times[i])) : secondsText(drawn.times[i])).scope = "row";
      for (const value of drawn.values(i)) htmlElement("td", "number", row, value === undefined ? "" : value === null ? words.gap : value);
    }
    button.textContent = words.hide;
    button.setAttribute("aria-expanded", "true");
  });
}

function drawPlot(figure, plot, words, language) {
  figure.querySelector(".canvas").replaceChildren();
  const drawn = plot.kind === "stack" ? drawStack(figure, plot, words, language) : drawLines(figure, plot, words, language);
  addCursor(drawn, plot, words);
  addTable(figure, drawn, plot, words);
}
