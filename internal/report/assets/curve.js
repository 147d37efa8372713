function curvePanel(holder, direction, list) {
  const p = panel(holder, direction, "Latency against load", 66);
  const known = list.filter(s => s.offered > 0 && s.p50 > 0 && s.p99 > 0);
  if (!known.length) return nothing(p);
  const loads = known.map(s => s.offered), times = known.flatMap(s => [s.p50, s.p99]);
  const [x0, x1] = [Math.min(...loads) * 0.85, Math.max(...loads) * 1.18], [y0, y1] = [Math.min(...times) * 0.8, Math.max(...times) * 1.25];
  const x = logarithmic(x0, x1, p.left, p.right), y = logarithmic(y0, y1, p.bottom, p.top);
  axes(p, { scale: x, ticks: decades(x0, x1, p.right - p.left, 44), write: rateTick, label: "offered load, packets/s" },
    { scale: y, ticks: decades(y0, y1, p.bottom - p.top, 24), write: time, label: "one-way latency" });
  const placed = [];
  for (const dut of used(known)) {
    const own = known.filter(s => s.dut === dut.index).sort((a, b) => a.offered - b.offered);
    for (const [key, cls] of [["p99", "thin dashes"], ["p50", ""]]) {
      p.root.append(shape("path", { d: own.map((s, i) => (i ? "L" : "M") + x(s.offered).toFixed(1) + "," + y(s[key]).toFixed(1)).join(""), class: `line ${cls} ${dut.color}` }));
      for (const s of own) {
        p.root.append(mark(dut, x(s.offered), y(s[key]), s.valid ? key === "p99" ? "hollow" : "full" : "cross"));
        placed.push({ s, x: x(s.offered), y: y(s[key]) });
      }
    }
  }
  nearHover(p, placed, (event, same) => curveTip(event, [...new Set(same.map(m => m.s))]));
}

function curveTip(event, same) {
  showTip(event, same.length > 1 ? "latency" : "latency at " + same[0].load, same.slice(0, 3).flatMap(s => [
    [data.duts[s.dut], rate(s.offered)], ["p50", time(s.p50)], ["p99", time(s.p99)], ["p99.9", s.p999 > 0 ? time(s.p999) : "n/a"],
    ["frame loss", s.loss], [s.valid ? "limited by" : "not valid, limited by", s.limited]]));
}

function curve(figure) {
  const [, names, panels] = parts(figure), list = data.curve || [];
  legend(names, used(list), dut => [stroke(dut, ""), mark(dut, 15, 7, "full")]);
  names.append(sampleOf(shape("line", { x1: 1, x2: 29, y1: 7, y2: 7, class: "line plain" }), "p50"),
    sampleOf(shape("line", { x1: 1, x2: 29, y1: 7, y2: 7, class: "line plain thin dashes" }), "p99, hollow marks"));
  eachPanel(panels, (holder, direction) => curvePanel(holder, direction, list.filter(s => s.direction === direction)));
}
