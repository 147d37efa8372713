// Bars lie, so that names, values and notes have room at any width: each has a line of
// text above it, or two where they would meet.
function barsPanel(holder, data, figure, options, all) {
  const series = (data.series || []).filter(s => s.bar);
  if (!series.length) return nothing(holder);
  const width = Math.max(280, Math.round(holder.clientWidth)), narrow = width < 430;
  const each = narrow ? 62 : 46, text = narrow ? 34 : 18, left = 4, right = width - 10;
  const height = series.length * each + 48, bottom = series.length * each + 6;
  const root = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": figure.title + " " + (data.title || "") });
  holder.append(root);
  const most = Math.max(...all.flatMap(p => p.series.filter(s => s.bar)).map(s => Math.max(s.bar.value, s.bar.high ?? 0)));
  const marks = ticks(most * 1.02, 5), last = marks[marks.length - 1], x = linear(0, last, left, right);
  for (const t of marks) {
    root.append(shape("line", { x1: x(t), x2: x(t), y1: 4, y2: bottom, class: "grid" }));
    root.append(shape("text", { x: Math.min(x(t), right - 4), y: bottom + 16, "text-anchor": t === 0 ? "start" : t === last ? "end" : "middle", class: "tick" }, trim(t, 3)));
  }
  root.append(shape("text", { x: width / 2, y: height - 6, "text-anchor": "middle", class: "label" }, data.x.label));
  series.forEach((s, i) => drawBar(root, s, s.bar, { top: i * each + 4, text, narrow, x, left, right }));
}

function drawBar(root, s, b, at) {
  const y = at.top + at.text + 2, high = 17, end = Math.max(at.left + 2, at.x(b.value));
  const line = shape("text", { x: at.left, y: at.top + 14, class: "value" });
  line.append(shape("tspan", { class: "value name" }, s.name), shape("tspan", { dx: 9 }, b.text));
  if (at.narrow) root.append(shape("text", { x: at.left, y: at.top + 30, class: "why-note" }, b.note || ""));
  else line.append(shape("tspan", { dx: 9, class: "why-note" }, b.note || ""));
  root.append(line, shape("rect", { x: at.left, y, width: end - at.left, height: high, class: `column ${s.color}${b.hatched ? " hollow" : ""}` }));
  if (b.hatched) hatch(root, at.left, y, end - at.left, high, s.color);
  if (b.low !== undefined && b.high !== undefined) whisker(root, at.x(b.low), at.x(b.high), y + high / 2);
  for (const far of b.far || []) root.append(shape("circle", { cx: at.x(far), cy: y + high / 2, r: 4, class: "far" }));
  const target = shape("rect", { x: at.left, y: at.top, width: at.right - at.left, height: at.text + high, fill: "transparent" });
  const rows = [["median", b.text], ...(b.range ? [[b.rangeOf, b.range]] : []), ["", b.note || ""]];
  target.addEventListener("pointermove", event => showTip(event, s.name, rows));
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
