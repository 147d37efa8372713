// Columns are upright, in groups by the categories of the x axis; x is the index of one.
function columnsPanel(holder, data, figure) {
  const series = data.series || [], names = data.x.categories || [];
  const used = names.map((_, i) => i).filter(i => series.some(s => s.data.some(q => q[0] === i)));
  if (!used.length) return nothing(holder);
  const p = panel(holder, figure.title + " " + (data.title || ""));
  const y = scaleOf(data.y, series.flatMap(s => s.data.map(q => q[1])), p.bottom, p.top), band = (p.right - p.left) / used.length;
  const middle = i => p.left + band * (used.indexOf(i) + 0.5);
  axes(p, { scale: middle, ticks: used, write: i => names[i], label: data.x.label, plain: true }, { ...y, label: data.y.label });
  const width = Math.min(38, band * 0.8 / series.length);
  series.forEach((s, n) => s.data.forEach(q => {
    const left = middle(q[0]) + (n - series.length / 2) * width, high = Math.max(1, p.bottom - y.scale(q[1]));
    const target = shape("rect", { x: left, y: p.top, width, height: p.bottom - p.top, fill: "transparent" });
    target.addEventListener("pointermove", event => showTip(event, names[q[0]], [[s, tell(q[1], data.y.unit)],
      ...(data.tip || []).map((field, i) => [field.name, tell(q[3 + i], field.unit)]), ...(q[2] === "pale" ? [["not valid", ""]] : [])]));
    target.addEventListener("pointerleave", hideTip);
    p.root.append(shape("rect", { x: left + 1.5, y: p.bottom - high, width: width - 3, height: high, class: `column ${s.color}${q[2] ? " " + q[2] : ""}` }), target);
  }));
}
