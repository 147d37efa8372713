// Points are [x, y, style, more ...].
function xyPanel(holder, data, figure, options) {
  const rules = data.rules || [], rows = Math.max(0, ...rules.map(r => r.row || 0));
  const near = options.near && data.near, inside = q => !near || q[0] >= near[0] && q[0] <= near[1];
  const series = (data.series || []).map(s => ({ ...s, data: (s.data || []).filter(inside) })).filter(s => s.data.some(q => q[1] !== null));
  const areas = data.areas || [], cells = data.heat ? data.heat.cells : [];
  if (!series.length && !cells.length) return nothing(holder);
  const p = panel(holder, figure.title + " " + (data.title || ""), rows ? 8 + 17 * rows : 0);
  const points = series.flatMap(s => s.data).filter(q => q[1] !== null), seen = v => !near || v >= near[0] && v <= near[1];
  const ranges = series.flatMap(s => (s.band || []).concat(s.whiskers || [])).filter(r => seen(r[0]));
  const x = scaleOf(data.x, points.map(q => q[0]).concat(rules.filter(r => r.x !== undefined && seen(r.x)).map(r => r.x), cells.flatMap(c => [c[0], c[1]])), p.left, p.right, options.log);
  const y = scaleOf(data.y, points.map(q => q[1]).concat(ranges.flatMap(r => [r[1], r[2]]), rules.filter(r => r.y).map(r => r.y), cells.flatMap(c => [c[2], c[3]])), p.bottom, p.top, options.log);
  for (const a of areas) area(p, a, x);
  axes(p, { ...x, label: labelOf(data.x) }, { ...y, label: labelOf(data.y) });
  const heat = cells.map(c => heatCell(p, c, x, y));
  for (const s of series) overlays(p, s, x, y);
  for (const r of rules) rule(p, r, x, y);
  for (const s of series) if (s.line) p.root.append(shape("path", { d: linePath(s.data, x.scale, y.scale, data.y.scale === "log"), class: strokeOf(s.line) + " " + s.color }));
  const placed = [];
  for (const s of [...series].sort((a, b) => (b.color === "ref") - (a.color === "ref"))) for (const q of s.data) {
    if (q[1] === null) continue;
    if (s.mark) p.root.append(markOf(s, x.scale(q[0]), y.scale(q[1]), q[2]));
    placed.push({ s, q, x: x.scale(q[0]), y: y.scale(q[1]) });
  }
  if (figure.follow) followHover(p, series, data, x, y, figure.follow);
  else nearHover(p, placed, data, heat);
}

// linePath leaves a gap where there is no value.
function linePath(points, x, y, log) {
  let d = "", up = true;
  for (const q of points) {
    if (q[1] === null || log && !(q[1] > 0)) { up = true; continue; }
    d += (up ? "M" : "L") + x(q[0]).toFixed(1) + "," + y(q[1]).toFixed(1);
    up = false;
  }
  return d;
}

// rule draws a line across the panel; its name is above, each in a row of its own.
function rule(p, r, x, y) {
  const bad = r.bad ? " bad" : "", cls = `goal${r.dashed ? " upper" : ""}${bad}`;
  if (r.diagonal) {
    const from = Math.max(x.lo, y.lo), to = Math.min(x.hi, y.hi);
    return p.root.append(shape("line", { x1: x.scale(from), y1: y.scale(from), x2: x.scale(to), y2: y.scale(to), class: "ideal" }));
  }
  if (r.y) {
    const at = y.scale(r.y);
    p.root.append(shape("line", { x1: p.left, x2: p.right, y1: at, y2: at, class: "ideal" }));
    if (r.text) p.root.append(shape("text", { x: p.left + 6, y: at - 4, class: "why-note" }, r.text));
    return;
  }
  const at = x.scale(r.x), top = p.top - 17 * (r.row || 0) - 5;
  if (at < p.left || at > p.right) return;
  p.root.append(shape("line", { x1: at, x2: at, y1: top, y2: p.bottom, class: cls }));
  if (!r.text) return;
  const end = at - 9 > r.text.length * 6.9;
  p.root.append(shape("text", { x: at + (end ? -5 : 5), y: top + 11, "text-anchor": end ? "end" : "start", class: "goal-name" + bad }, r.text));
}

// pointer gives where an event is in the coordinates of a panel.
function pointer(p, event) {
  const box = p.root.getBoundingClientRect();
  return [(event.clientX - box.left) / box.width * p.width, (event.clientY - box.top) / box.height * p.height];
}

// nearHover shows all points that lie under the pointer.
function nearHover(p, placed, data, heat) {
  p.root.addEventListener("pointermove", event => {
    const [px, py] = pointer(p, event), far = m => Math.hypot(m.x - px, m.y - py);
    const near = placed.reduce((a, b) => far(b) < far(a) ? b : a, placed[0] || { x: 1e9, y: 1e9 });
    const hot = heat.find(h => px >= h.x0 && px < h.x1 && py >= h.y1 && py < h.y0);
    if (hot && far(near) > 7) return showHeat(event, hot.cell, data);
    if (far(near) > 40) return hideTip();
    const same = placed.filter(m => Math.hypot(m.x - near.x, m.y - near.y) < 7), rows = [];
    for (const m of same.slice(0, 3)) {
      rows.push([m.s, tell(m.q[1], data.y.unit)]);
      (data.tip || []).forEach((field, i) => rows.push([field.name, tell(m.q[3 + i], field.unit)]));
    }
    if (same.length > 3) rows.push([`and ${same.length - 3} more`, ""]);
    showTip(event, `${data.x.label} ${tell(near.q[0], data.x.unit)}`, rows);
  });
  p.root.addEventListener("pointerleave", hideTip);
}

// valueAt is where a series is at a value of the axis that the pointer follows: the
// nearest point along x; along y, between its neighbours.
function valueAt(points, axis, at) {
  if (axis === "x") return points.reduce((a, b) => Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a);
  const i = points.findIndex(q => q[1] >= at);
  if (i <= 0) return i < 0 ? null : [points[0][0], at];
  const [x0, y0] = points[i - 1], [x1, y1] = points[i];
  const part = y1 === y0 ? 1 : (rarity(at) - rarity(y0)) / (rarity(y1) - rarity(y0));
  return [x0 * (x1 / x0) ** part, at];
}

// followHover reads all series at once.
function followHover(p, series, data, x, y, axis) {
  const layer = shape("g", {}), along = axis === "x" ? x : y, other = axis === "x" ? data.y : data.x;
  p.root.append(layer);
  p.root.addEventListener("pointermove", event => {
    const [px, py] = pointer(p, event), at = Math.max(0, along.back(axis === "x" ? px : py));
    layer.replaceChildren(axis === "x" ? shape("line", { x1: x.scale(at), x2: x.scale(at), y1: p.top, y2: p.bottom, class: "guide" })
      : shape("line", { x1: p.left, x2: p.right, y1: y.scale(at), y2: y.scale(at), class: "guide" }));
    const rows = [];
    for (const s of series) {
      const q = valueAt(s.data, axis, at), v = q && q[axis === "x" ? 1 : 0];
      if (q && v !== null) layer.append(shape("circle", { cx: x.scale(q[0]), cy: y.scale(q[1]), r: 4.5, class: "dot " + s.color }));
      rows.push([{ ...s, name: s.name + ((s.line || "").includes("dashed") ? ", dashed" : "") }, v === null ? "nothing" : tell(v, other.unit)]);
      if (q) (data.tip || []).forEach((field, i) => rows.push([field.name, tell(q[3 + i], field.unit)]));
    }
    showTip(event, axis === "x" ? `at ${tell(at, data.x.unit)}` : "p" + +(at * 100).toFixed(Math.max(0, Math.ceil(rarity(at)) - 1)), rows);
  });
  p.root.addEventListener("pointerleave", () => { layer.replaceChildren(); hideTip(); });
}
