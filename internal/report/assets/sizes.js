const sizeMetrics = [
  { key: "pps", label: "packets/s", write: rateTick, told: rate },
  { key: "bps", label: "bit/s", write: v => v === 0 ? "0" : trim(v / 1e9, 3) + "G", told: v => trim(v / 1e9, 4) + " Gbit/s" },
];

function sizesPanel(holder, direction, list, metric) {
  const p = panel(holder, direction, "Throughput over size", 58);
  if (!list.length) return nothing(p);
  const bytes = list.map(s => s.bytes), most = Math.max(...list.map(s => s[metric.key]));
  const lo = Math.min(...bytes) * 0.85, hi = Math.max(...bytes) * 1.15, marks = ticks(most * 1.03, 6);
  const x = logarithmic(lo, hi, p.left, p.right), y = linear(0, marks[marks.length - 1], p.bottom, p.top);
  axes(p, { scale: x, ticks: decades(lo, hi, p.right - p.left, 44), write: v => trim(v, 4), label: "frame as sent, bytes" },
    { scale: y, ticks: marks, write: metric.write, label: metric.label });
  const placed = [];
  for (const dut of all.duts.filter(d => list.some(s => s.dut === d.index))) {
    const own = list.filter(s => s.dut === dut.index), line = own.filter(s => !s.mixed).sort((a, b) => a.bytes - b.bytes);
    p.root.append(shape("path", { d: line.map((s, i) => (i ? "L" : "M") + x(s.bytes).toFixed(1) + "," + y(s[metric.key]).toFixed(1)).join(""), class: "line thin " + dut.color }));
    for (const s of own) {
      const at = { s, x: x(s.bytes), y: y(s[metric.key]) };
      p.root.append(mark(dut, at.x, at.y, s.bound ? "hollow" : "full"));
      placed.push(at);
    }
  }
  for (const s of list.filter((s, i) => s.mixed && list.findIndex(o => o.size === s.size) === i)) {
    const top = Math.min(...placed.filter(m => m.s.size === s.size).map(m => m.y));
    p.root.append(shape("text", { x: x(s.bytes), y: top - 9, "text-anchor": "middle", class: "tick" }, s.size.length > 14 ? s.size.slice(0, 13) + "…" : s.size));
  }
  nearHover(p, placed, (event, same) => sizesTip(event, same.map(m => m.s), metric));
}

function sizesTip(event, same, metric) {
  showTip(event, `${same[0].size}, ${same[0].bytes} B${same[0].mixed ? " in the mean" : ""}`, same.slice(0, 4).flatMap(s => [
    [all.duts[s.dut], (s.bound ? "≥ " : "") + metric.told(s[metric.key])], ["", s.note]]));
}

// sizes draws what all sizes have in common, whichever is chosen.
function sizes(figure) {
  const [controls, names, panels] = parts(figure), list = all.sizeRates || [];
  choice(controls, sizeMetrics.map(m => m.label), "Unit", () => sizes(figure));
  const metric = sizeMetrics[chosen(controls)];
  legend(names, all.duts.filter(d => list.some(s => s.dut === d.index)), dut => [stroke(dut, "thin"), mark(dut, 15, 7, "full")]);
  eachPanel(panels, (holder, direction) => sizesPanel(holder, direction, list.filter(s => s.direction === direction), metric), all.directions);
}
