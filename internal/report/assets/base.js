const all = JSON.parse(document.getElementById("data").textContent);
// data is what is drawn: of several sizes the one that was chosen.
let data = all.bySize ? all.bySize[0] : all;

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
  for (const [dut, value] of rows) {
    const line = el("div");
    line.append(typeof dut === "string" ? el("span", "", dut) : nameOf(dut), el("span", "", value));
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

function nameOf(dut) {
  const name = el("span", "dut " + dut.color);
  name.append(el("i"), dut.label);
  return name;
}

// eachPanel makes room for all directions first, since each is as wide as the
// others leave it, then draws them.
function eachPanel(box, draw, names = data.directions) {
  box.classList.toggle("by3", names.length === 3);
  box.replaceChildren(...names.map(direction => {
    const holder = el("div");
    holder.append(el("h4", "", direction));
    return holder;
  }));
  names.forEach((direction, i) => draw(box.children[i], direction));
}

// panel starts the drawing of one direction; its size is that of the page, so
// that letters stay the size they are.
function panel(holder, direction, label, left) {
  const width = Math.max(280, Math.round(holder.clientWidth)), height = width < 400 ? 280 : 310;
  const root = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label + ", " + direction });
  holder.append(root);
  return { holder, root, width, height, left, right: width - 14, top: 12, bottom: height - 46 };
}

function nothing(p) {
  p.root.remove();
  p.holder.append(el("p", "none", "not measured"));
}

function axes(p, x, y) {
  for (const t of y.ticks) {
    const at = y.scale(t);
    p.root.append(shape("line", { x1: p.left, x2: p.right, y1: at, y2: at, class: "grid" }));
    p.root.append(shape("text", { x: p.left - 7, y: at + 4, "text-anchor": "end", class: "tick" }, y.write(t)));
  }
  for (const t of x.ticks) {
    const at = x.scale(t);
    if (!x.plain) p.root.append(shape("line", { x1: at, x2: at, y1: p.top, y2: p.bottom, class: "grid" }));
    p.root.append(shape("text", { x: at, y: p.bottom + 17, "text-anchor": "middle", class: "tick" }, x.write(t)));
  }
  p.root.append(shape("line", { x1: p.left, x2: p.right, y1: p.bottom, y2: p.bottom, class: "axis" }));
  p.root.append(shape("text", { x: (p.left + p.right) / 2, y: p.height - 8, "text-anchor": "middle", class: "label" }, x.label));
  const middle = (p.top + p.bottom) / 2;
  p.root.append(shape("text", { x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})`, class: "label" }, y.label));
}

const forms = {
  circle: (x, y, r) => `M${x - r},${y}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0z`,
  square: (x, y, r) => `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  triangle: (x, y, r) => `M${x},${y - r * 1.2}L${x + r * 1.15},${y + r}L${x - r * 1.15},${y + r}z`,
  diamond: (x, y, r) => `M${x},${y - r * 1.3}L${x + r * 1.3},${y}L${x},${y + r * 1.3}L${x - r * 1.3},${y}z`,
  cross: (x, y, r) => `M${x - r},${y - r}L${x + r},${y + r}M${x - r},${y + r}L${x + r},${y - r}`,
};
const formOf = dut => dut.reference ? "circle" : ["circle", "square", "triangle", "diamond"][dut.index % 4];
const mark = (dut, x, y, kind) => shape("path", { d: forms[kind === "cross" ? "cross" : formOf(dut)](x, y, kind === "cross" ? 7 : 4.6), class: `mark ${kind} ${dut.color}` });

// legend names the DUTs in use, with draw(dut) as their sample.
function legend(box, duts, draw) {
  box.replaceChildren();
  for (const dut of duts) {
    const sample = shape("svg", { width: 30, height: 14, "aria-hidden": "true" });
    sample.append(...draw(dut));
    const entry = el("span");
    entry.append(sample, dut.label + (dut.reference ? " (reference)" : ""));
    box.append(entry);
  }
}
const stroke = (dut, cls) => shape("line", { x1: 1, x2: 29, y1: 7, y2: 7, class: `line ${cls} ${dut.color}` });
const used = list => data.duts.filter(d => list.some(s => s.dut === d.index));

// choice is a select that draws again; start is what it shows first.
function choice(box, options, label, draw, start = 0) {
  if (box.firstChild || !options) return;
  if (options.length < 2) return box.append(el("span", "only", options[0] || ""));
  const select = el("select");
  select.setAttribute("aria-label", label);
  options.forEach((text, i) => { const o = el("option", "", text); o.value = i; select.append(o); });
  select.selectedIndex = start;
  select.addEventListener("change", draw);
  box.append(select);
}
const chosen = box => box.firstChild && +box.firstChild.value || 0;
