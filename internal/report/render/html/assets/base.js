function el(name, cls, text) {
  const node = document.createElement(name);
  if (cls) node.className = cls;
  if (text !== undefined) node.textContent = text;
  return node;
}

function shape(name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return node;
}

const linear = (d0, d1, r0, r1) => v => r0 + (v - d0) / (d1 - d0) * (r1 - r0);
const logarithmic = (d0, d1, r0, r1) => {
  const f = linear(Math.log10(d0), Math.log10(d1), r0, r1);
  return v => f(Math.log10(v));
};

// ticks gives round values from 0 to past max, about n of them.
function ticks(max, n) {
  const rough = (max || 1) / n, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(f => f * power).find(s => s >= rough * 0.999);
  const list = [0];
  while (list[list.length - 1] < max * 0.999) list.push(+(list.length * step).toPrecision(12));
  return list;
}

// decades gives round values between lo and hi for a logarithmic axis, at
// least gap pixels apart.
function decades(lo, hi, pixels, gap) {
  const each = pixels / Math.log10(hi / lo);
  const pick = factors => {
    const list = [];
    for (let p = Math.floor(Math.log10(lo)); p <= Math.ceil(Math.log10(hi)); p++)
      for (const f of factors) { const v = f * 10 ** p; if (v >= lo * 0.999 && v <= hi * 1.001) list.push(v); }
    return list;
  };
  const fits = list => list.every((v, i) => !i || Math.log10(v / list[i - 1]) * each >= gap);
  const coarse = [[1, 2, 5], [1, 3], [1]].map(pick).find(fits) || [];
  if (coarse.length > 2) return coarse;
  const halves = [...Array(18).keys()].map(i => 1 + i / 2), tenths = [...Array(90).keys()].map(i => 1 + i / 10);
  return [tenths, halves, [1, 1.5, 2, 3, 5, 7]].map(pick).find(list => list.length > 2 && fits(list)) || coarse;
}

const trim = (v, digits) => String(+v.toPrecision(digits));
const digits = v => v >= 1000 ? v.toFixed(0) : trim(v, 3);
function time(ns) {
  if (ns >= 1e9) return digits(ns / 1e9) + " s";
  if (ns >= 1e6) return digits(ns / 1e6) + " ms";
  if (ns >= 1e3) return digits(ns / 1e3) + " µs";
  return digits(ns) + " ns";
}
const rate = pps => pps >= 1e6 ? trim(pps / 1e6, 4) + " Mpps" : pps >= 1e3 ? trim(pps / 1e3, 5) + " kpps" : digits(pps) + " pps";

const tip = document.getElementById("tip");
function showTip(event, title, rows) {
  tip.replaceChildren(el("b", "", title));
  for (const [name, value] of rows) {
    const line = el("div");
    line.append(typeof name === "string" ? el("span", "", name) : nameOf(name), el("span", "", value));
    tip.append(line);
  }
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), gap = 14;
  let left = event.clientX + gap, top = event.clientY + gap;
  if (left + box.width > innerWidth - 8) left = Math.max(8, event.clientX - box.width - gap);
  if (top + box.height > innerHeight - 8) top = Math.max(8, event.clientY - box.height - gap);
  tip.style.left = left + "px";
  tip.style.top = top + "px";
}
const hideTip = () => { tip.hidden = true; };

function nameOf(series) {
  const name = el("span", "dut " + series.color);
  name.append(el("i"), series.name);
  return name;
}

// markOf draws a point: style is "hollow", "cross", "pale" or "" for a full mark.
const forms = {
  circle: (x, y, r) => `M${x - r},${y}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0z`,
  square: (x, y, r) => `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  triangle: (x, y, r) => `M${x},${y - r * 1.2}L${x + r * 1.15},${y + r}L${x - r * 1.15},${y + r}z`,
  diamond: (x, y, r) => `M${x},${y - r * 1.3}L${x + r * 1.3},${y}L${x},${y + r * 1.3}L${x - r * 1.3},${y}z`,
  cross: (x, y, r) => `M${x - r},${y - r}L${x + r},${y + r}M${x - r},${y + r}L${x + r},${y - r}`,
};
const markOf = (series, x, y, style) => shape("path", { d: forms[style === "cross" ? "cross" : series.mark || "circle"](x, y, style === "cross" ? 7 : 4.6), class: `mark ${style || "full"} ${series.color}` });
const strokeOf = line => "line " + (line || "").replace("dashed", "dashes").replace("solid", "");

// choice is a select that draws again; start is what it shows first.
function choice(box, options, label, draw, start = 0) {
  if (!options.length || options.length === 1 && !options[0]) return () => 0;
  if (options.length === 1) { box.append(el("span", "only", options[0])); return () => 0; }
  const select = el("select");
  select.setAttribute("aria-label", label);
  options.forEach((text, i) => { const o = el("option", "", text); o.value = i; select.append(o); });
  select.selectedIndex = start;
  select.addEventListener("change", draw);
  box.append(select);
  return () => +select.value;
}
