// Percentiles are drawn by how rare a slower packet is: each tenfold rarer
// takes the same height.
const rarity = share => -Math.log10(1 - share);
const percentileName = share => share === 0 ? "min" : "p" + trim(share * 100, 8);
const percentileTicks = [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999];

// timeAt is the latency of a series at a percentile, ns; null beyond its last.
function timeAt(points, share) {
  const at = points.findIndex(q => q[1] >= share);
  if (at < 0) return null;
  if (at === 0) return points[0][0];
  const [t0, s0] = points[at - 1], [t1, s1] = points[at];
  const part = s1 === s0 ? 1 : (rarity(share) - rarity(s0)) / (rarity(s1) - rarity(s0));
  return t0 * (t1 / t0) ** part;
}

function latencyPanel(holder, direction, list) {
  const p = panel(holder, direction, "Latency distribution", 86);
  if (!list.length) return nothing(p);
  const times = list.flatMap(s => s.points.map(q => q[0]));
  const lo = Math.min(...times) * 0.92, hi = Math.max(...times, lo * 2) * 1.08;
  const top = Math.max(1, ...list.map(s => rarity(s.points[s.points.length - 1][1])));
  const x = logarithmic(lo, hi, p.left, p.right), y = share => linear(0, top, p.bottom, p.top)(rarity(share));
  axes(p, { scale: x, ticks: decades(lo, hi, p.right - p.left, 48), write: time, label: "one-way latency" },
    { scale: y, ticks: percentileTicks.filter(s => rarity(s) <= top * 1.001 && (s > 0 || top < 5)), write: percentileName, label: "percentile" });
  for (const s of list) {
    const d = s.points.map((q, i) => (i ? "L" : "M") + x(q[0]).toFixed(1) + "," + y(q[1]).toFixed(1)).join("");
    p.root.append(shape("path", { d, class: "line " + data.duts[s.dut].color }));
  }
  latencyHover(p, list, x, y, top);
}

// latencyHover follows the pointer's percentile over all DUTs.
function latencyHover(p, list, x, y, top) {
  const layer = shape("g", {});
  p.root.append(layer);
  p.root.addEventListener("pointermove", event => {
    const box = p.root.getBoundingClientRect(), at = (event.clientY - box.top) / box.height * p.height;
    const share = 1 - 10 ** -Math.min(top, Math.max(0, linear(p.bottom, p.top, 0, top)(at)));
    layer.replaceChildren(shape("line", { x1: p.left, x2: p.right, y1: y(share), y2: y(share), class: "guide" }));
    const rows = list.map(s => [data.duts[s.dut], timeAt(s.points, share)]);
    for (const [dut, t] of rows) if (t !== null) layer.append(shape("circle", { cx: x(t), cy: y(share), r: 4.5, class: "dot " + dut.color }));
    const name = "p" + +(share * 100).toFixed(Math.max(0, Math.ceil(rarity(share)) - 1));
    showTip(event, name, rows.map(([dut, t]) => [dut, t === null ? "no such packet" : time(t)]));
  });
  p.root.addEventListener("pointerleave", () => { layer.replaceChildren(); hideTip(); });
}

function latency(figure) {
  const [controls, names, panels] = parts(figure);
  choice(controls, data.distributions, "Which trial", () => latency(figure));
  const list = data.latency.filter(s => s.trial === chosen(controls));
  legend(names, used(list), dut => [stroke(dut, "")]);
  eachPanel(panels, (holder, direction) => latencyPanel(holder, direction, list.filter(s => s.direction === direction)));
}
