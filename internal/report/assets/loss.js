function lossPanel(holder, direction, list) {
  const p = panel(holder, direction, "Frame loss over load", 58);
  if (!list.length) return nothing(p);
  const xs = ticks(Math.max(...list.map(s => s.offered)) / 1e6 * 1.03, 6), ys = ticks(Math.max(0.01, ...list.map(s => 100 * s.loss)) * 1.03, 6);
  const x = linear(0, xs[xs.length - 1] * 1e6, p.left, p.right), y = linear(0, ys[ys.length - 1] / 100, p.bottom, p.top);
  const plain = v => trim(v, 3);
  axes(p, { scale: v => x(v * 1e6), ticks: xs, write: plain, label: "offered load, Mpps" }, { scale: v => y(v / 100), ticks: ys, write: plain, label: "frame loss, %" });
  const placed = [];
  for (const dut of used(list)) {
    const own = list.filter(s => s.dut === dut.index).sort((a, b) => a.offered - b.offered);
    p.root.append(shape("path", { d: own.map((s, i) => (i ? "L" : "M") + x(s.offered).toFixed(1) + "," + y(s.loss).toFixed(1)).join(""), class: "line thin " + dut.color }));
    for (const s of own) {
      p.root.append(mark(dut, x(s.offered), y(s.loss), s.bench ? "hollow" : "full"));
      placed.push({ s, x: x(s.offered), y: y(s.loss) });
    }
  }
  nearHover(p, placed, (event, same) => showTip(event, "frame loss", same.slice(0, 4).flatMap(({ s }) => [
    [data.duts[s.dut], rate(s.offered)], [s.bench ? "lost, at most" : "lost", trim(100 * s.loss, 3) + " %"], ["limited by", s.limited]])));
}

function loss(figure) {
  const [, names, panels] = parts(figure), list = data.loss || [];
  legend(names, used(list), dut => [stroke(dut, "thin"), mark(dut, 15, 7, "full")]);
  eachPanel(panels, (holder, direction) => lossPanel(holder, direction, list.filter(s => s.direction === direction)));
}
