// Bars lie, so that names, values and notes have room at any width: each has a
// line of text above it, or two where they would meet.
function sidePanel(holder, name, metric, bars) {
  const width = Math.max(280, Math.round(holder.clientWidth)), narrow = width < 430;
  const each = narrow ? 62 : 46, text = narrow ? 34 : 18, left = 4, right = width - 10;
  const height = bars.length * each + 48, bottom = bars.length * each + 6;
  const root = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": metric.name + " " + name });
  holder.append(root);
  const most = Math.max(...metric.bars.map(b => Math.max(b.value, b.high ?? 0)));
  const marks = ticks(most * 1.02, 5), x = linear(0, marks[marks.length - 1], left, right);
  for (const t of marks) {
    root.append(shape("line", { x1: x(t), x2: x(t), y1: 4, y2: bottom, class: "grid" }));
    root.append(shape("text", { x: Math.min(x(t), right - 4), y: bottom + 16, "text-anchor": t === 0 ? "start" : t === marks[marks.length - 1] ? "end" : "middle", class: "tick" }, trim(t, 3)));
  }
  root.append(shape("text", { x: width / 2, y: height - 6, "text-anchor": "middle", class: "label" }, metric.unit));
  bars.forEach((b, i) => sideBar(root, b, { top: i * each + 4, text, narrow, x, left, right, most: marks[marks.length - 1] }));
}

function sideBar(root, b, at) {
  const dut = data.duts[b.dut], y = at.top + at.text + 2, high = 17, end = Math.max(at.left + 2, at.x(b.value));
  const line = shape("text", { x: at.left, y: at.top + 14, class: "value" });
  line.append(shape("tspan", { class: "value name" }, dut.label), shape("tspan", { dx: 9 }, b.text));
  const note = b.note + (b.far ? "; outliers: " + b.far.join(", ") : "");
  if (at.narrow) root.append(shape("text", { x: at.left, y: at.top + 30, class: "why-note" }, note));
  else line.append(shape("tspan", { dx: 9, class: "why-note" }, note));
  const kind = dut.reference ? "" : b.bound ? " hollow" : "";
  root.append(line, shape("rect", { x: at.left, y, width: end - at.left, height: high, class: "column " + dut.color + kind }));
  if (b.bound) hatch(root, at.left, y, end - at.left, high, dut.color);
  if (b.low !== undefined && b.high !== undefined) whisker(root, at.x(b.low), at.x(b.high), y + high / 2);
  for (const far of b.far || []) root.append(shape("circle", { cx: at.x(+far), cy: y + high / 2, r: 4, class: "far" }));
  const target = shape("rect", { x: at.left, y: at.top, width: at.right - at.left, height: at.text + high, fill: "transparent" });
  target.addEventListener("pointermove", event => sideTip(event, dut, b));
  target.addEventListener("pointerleave", hideTip);
  root.append(target);
}

// hatch draws slanting lines within a box, cut off at its edges.
function hatch(root, left, top, width, high, color) {
  for (let from = left - high; from < left + width; from += 7) {
    const a = Math.max(from, left), b = Math.min(from + high, left + width);
    if (b > a) root.append(shape("line", { x1: a, y1: top + high - (a - from), x2: b, y2: top + high - (b - from), class: "hatch " + color }));
  }
}

function whisker(root, low, high, y) {
  root.append(shape("path", { d: `M${low},${y - 5}v10M${low},${y}H${high}M${high},${y - 5}v10`, class: "whisker" }));
}

function sideTip(event, dut, b) {
  const rows = [["median", b.text]];
  if (b.span) rows.push([b.of, b.span]);
  if (b.far) rows.push(["outliers", b.far.join(", ")]);
  rows.push(["", b.note]);
  showTip(event, dut.label, rows);
}

function side(figure) {
  const [controls, , panels] = parts(figure), metrics = data.side || [];
  choice(controls, metrics.map(m => m.name), "Which figure", () => side(figure));
  const metric = metrics[chosen(controls)];
  if (!metric) return panels.replaceChildren(el("p", "none", "not measured"));
  eachPanel(panels, (holder, name) => {
    const bars = metric.bars.filter(b => b.panel === name);
    if (!bars.length) return holder.append(el("p", "none", "not measured"));
    sidePanel(holder, name, metric, bars);
  }, metric.panels);
}
