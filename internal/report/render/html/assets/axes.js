const trimTick = v => trim(v, 4);
const rateTick = pps => pps >= 1e6 ? trim(pps / 1e6, 4) + "M" : pps >= 1e3 ? trim(pps / 1e3, 4) + "k" : trim(pps, 3);
const percent = v => v === 0 ? "0" : trim(v * 100, 3) + " %";
const giga = v => v === 0 ? "0" : trim(v / 1e9, 3) + "G";

// units write a value at a tick and in a tip.
const units = {
  "": [trimTick, v => v.toLocaleString("en", { maximumSignificantDigits: 6 })],
  pps: [rateTick, rate], bps: [giga, v => trim(v / 1e9, 4) + " Gbit/s"], ns: [time, time], ratio: [percent, percent],
  s: [trimTick, v => trim(v, 4) + " s"], cores: [v => trim(v, 3), v => trim(v, 3) + " cores"],
};
const unitOf = unit => units[unit || ""] || [trimTick, v => trim(v, 4) + " " + unit];
const tell = (v, unit) => v === null || v === undefined ? "n/a" : typeof v === "string" ? v : unitOf(unit)[1](v);
const labelOf = axis => axis.label + (axis.unit === "pps" && !axis.label.includes("packets") ? ", packets/s" : axis.unit === "s" ? ", s" : "");

// Shares are drawn by how rare more is: each tenfold rarer takes the same height.
const rarity = share => -Math.log10(1 - share);
const percentileTicks = [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999];
const percentileName = share => share === 0 ? "min" : "p" + trim(share * 100, 8);

// scaleOf makes an axis of values that reaches from r0 to r1, in pixels.
function scaleOf(axis, values, r0, r1, log) {
  const [write] = unitOf(axis.unit), pixels = Math.abs(r1 - r0), gap = r1 > r0 ? 46 : 26;
  const kind = log ? "log" : axis.scale || "";
  if (kind === "rarity") {
    const top = Math.max(1, ...values.map(rarity));
    return { scale: share => linear(0, top, r0, r1)(rarity(share)), back: at => 1 - 10 ** -Math.min(top, Math.max(0, linear(r0, r1, 0, top)(at))),
      ticks: percentileTicks.filter(s => rarity(s) <= top * 1.001 && (s > 0 || top < 5)), write: percentileName };
  }
  if (kind === "log0") return logOrZero(values, r0, r1);
  if (kind === "log") {
    const known = values.filter(v => v > 0), lo = Math.min(...known) * 0.85, hi = Math.max(...known, lo * 1.3) * 1.15;
    const f = logarithmic(lo, hi, r0, r1);
    return { scale: v => f(Math.max(v, lo)), ticks: decades(lo, hi, pixels, gap), write, lo, hi };
  }
  if (Math.min(0, ...values) < 0 && axis.unit !== "s") return aroundZero(values, r0, r1, write);
  const marks = ticks(Math.max(axis.least || 0, ...values) * 1.01 || 1, Math.max(3, Math.round(pixels / 62)));
  // Time ends with its last point; other axes at a tick.
  const hi = axis.unit === "s" ? Math.max(0.1, ...values) : marks[marks.length - 1], lo = axis.unit === "s" ? Math.min(0, ...values) : 0;
  return { scale: linear(lo, hi, r0, r1), back: linear(r0, r1, lo, hi), ticks: marks.filter(t => t <= hi), write, lo, hi };
}

// aroundZero reaches as far below 0 as above it, for differences.
function aroundZero(values, r0, r1, write) {
  const up = ticks(Math.max(...values.map(Math.abs)) * 1.01, Math.max(2, Math.round(Math.abs(r1 - r0) / 124))), hi = up[up.length - 1];
  return { scale: linear(-hi, hi, r0, r1), back: linear(r0, r1, -hi, hi), ticks: up.slice(1).map(v => -v).reverse().concat(up), write, lo: -hi, hi };
}

// logOrZero has a place of its own for 0, below the least.
function logOrZero(values, r0, r1) {
  const least = Math.min(0.001, ...values.filter(v => v > 0)) * 0.6, up = Math.sign(r1 - r0), log = logarithmic(least, 1, r0 + up * 26, r1);
  return { scale: v => v > 0 ? log(Math.min(1, v)) : r0 + up * 9, write: v => v === 0 ? "none" : percent(v),
    ticks: [0, ...[1, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7].filter(v => v >= least)] };
}

// panel starts a drawing; its size is that of the page, so that letters stay the size
// they are.
function panel(holder, label, above = 0) {
  const width = Math.max(280, Math.round(holder.clientWidth)), height = width < 400 ? 280 : 310;
  const root = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  holder.append(root);
  return { holder, root, width, height, left: 78, right: width - 14, top: 12 + above, bottom: height - 46 };
}

function nothing(holder) { holder.append(el("p", "none", "not measured")); }

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
