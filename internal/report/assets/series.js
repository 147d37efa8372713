// What is drawn over time: titles, and of a point the places of its lines.
const seriesKinds = [
  { title: "Sent (dashed) and received", label: "packets/s", lines: [[1, " thin dashes"], [2, ""]], write: rateTick, told: rate },
  { title: "Latency p99", label: "one-way latency", lines: [[4, ""]], write: time, told: time, log: true },
  { title: "CPU of the UPF", label: "cores", lines: [[5, ""]], write: v => trim(v, 3), told: v => trim(v, 3) + " cores", least: 1 },
];

function seriesScale(p, kind, lines) {
  const values = lines.flatMap(l => l.points.flatMap(q => kind.lines.map(([at]) => q[at])));
  if (kind.log) {
    const known = values.filter(v => v > 0), lo = Math.min(...known) * 0.8, hi = Math.max(...known, lo * 2) * 1.25;
    return known.length ? { scale: logarithmic(lo, hi, p.bottom, p.top), ticks: decades(lo, hi, p.bottom - p.top, 24) } : null;
  }
  const marks = ticks(Math.max(kind.least || 0, ...values), 5);
  return { scale: linear(0, marks[marks.length - 1], p.bottom, p.top), ticks: marks };
}

// linePath leaves a gap where nothing arrived.
function linePath(points, at, x, y, log) {
  let d = "", up = true;
  for (const q of points) {
    if (log && !(q[at] > 0)) { up = true; continue; }
    d += (up ? "M" : "L") + x(q[0]).toFixed(1) + "," + y(q[at]).toFixed(1);
    up = false;
  }
  return d;
}

function seriesPanel(holder, name, lines) {
  const kind = seriesKinds.find(k => k.title === name), p = panel(holder, name, "Over time", 74);
  const y = lines.length ? seriesScale(p, kind, lines) : null;
  if (!y) return nothing(p);
  const last = Math.max(...lines.map(l => l.points[l.points.length - 1][0])), marks = ticks(last, 5);
  const x = linear(0, Math.max(last, 0.1), p.left, p.right);
  axes(p, { scale: x, ticks: marks.filter(t => t <= last * 1.001), write: v => trim(v, 3), label: "time from the first packet, s" }, { ...y, write: kind.write, label: kind.label });
  for (const l of lines) for (const [at, cls] of kind.lines)
    p.root.append(shape("path", { d: linePath(l.points, at, x, y.scale, kind.log), class: `line${cls} ${data.duts[l.dut].color}` }));
  seriesHover(p, lines, kind, x, y.scale, last);
}

// seriesHover follows the pointer's time over all DUTs.
function seriesHover(p, lines, kind, x, y, last) {
  const layer = shape("g", {});
  p.root.append(layer);
  p.root.addEventListener("pointermove", event => {
    const box = p.root.getBoundingClientRect(), px = (event.clientX - box.left) / box.width * p.width;
    const at = Math.min(last, Math.max(0, linear(p.left, p.right, 0, last)(px)));
    layer.replaceChildren(shape("line", { x1: x(at), x2: x(at), y1: p.top, y2: p.bottom, class: "guide" }));
    const rows = [];
    for (const l of lines) {
      const q = l.points.reduce((a, b) => Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a), v = q[kind.lines[kind.lines.length - 1][0]];
      if (!kind.log || v > 0) layer.append(shape("circle", { cx: x(q[0]), cy: y(v), r: 4, class: "dot " + data.duts[l.dut].color }));
      if (kind.lines.length === 1) rows.push([data.duts[l.dut], kind.log && !(v > 0) ? "nothing arrived" : kind.told(v)]);
      else rows.push([data.duts[l.dut], ""], ["sent", kind.told(q[1])], ["received", kind.told(q[2])]);
      if (kind.log && q[3] > 0) rows.push(["p50", time(q[3])]);
    }
    showTip(event, "at " + trim(at, 3) + " s", rows);
  });
  p.root.addEventListener("pointerleave", () => { layer.replaceChildren(); hideTip(); });
}

function series(figure) {
  const [controls, names, panels] = parts(figure), all = data.series.lines || [];
  choice(controls, data.series.names, "Which trial", () => series(figure), data.series.start);
  const lines = all.filter(l => l.trial === chosen(controls));
  legend(names, used(lines), dut => [stroke(dut, "")]);
  for (const l of lines) if (!l.valid) names.append(el("span", "bad-note", data.duts[l.dut].label + ": not valid"));
  eachPanel(panels, (holder, name) => seriesPanel(holder, name, lines), seriesKinds.map(k => k.title));
}
