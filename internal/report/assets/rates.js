const markOf = s => !s.valid ? "cross" : s.bound ? "hollow" : "full";

function ratesPanel(holder, direction, list, logScale) {
  const p = panel(holder, direction, "Received against sent", 58);
  if (!list.length) return nothing(p);
  const most = Math.max(...list.map(s => s.tx)), mostRx = Math.max(...list.map(s => s.rx));
  const least = Math.min(...list.flatMap(s => [s.tx, s.rx]).filter(v => v > 0)) * 0.7;
  const write = v => v === 0 ? "0" : trim(v / 1e6, 3);
  const axis = (max, r0, r1, n) => {
    if (logScale) return { scale: v => logarithmic(least, max * 1.25, r0, r1)(Math.max(v, least)), ticks: decades(least, max * 1.25, Math.abs(r1 - r0), 30), write };
    const list = ticks(max * 1.03, n);
    return { scale: linear(0, list[list.length - 1], r0, r1), ticks: list, write };
  };
  const x = axis(most, p.left, p.right, 6), y = axis(mostRx, p.bottom, p.top, 6);
  axes(p, { ...x, label: "sent, Mpps" }, { ...y, label: "received, Mpps" });
  const from = logScale ? least : 0, to = Math.min(...[x, y].map(a => logScale ? Math.min(most, mostRx) * 1.25 : a.ticks[a.ticks.length - 1]));
  p.root.append(shape("line", { x1: x.scale(from), y1: y.scale(from), x2: x.scale(to), y2: y.scale(to), class: "ideal" }));
  for (const dut of used(list)) {
    const own = list.filter(s => s.dut === dut.index).sort((a, b) => a.tx - b.tx);
    p.root.append(shape("path", { d: own.map((s, i) => (i ? "L" : "M") + x.scale(s.tx) + "," + y.scale(s.rx)).join(""), class: "line thin " + dut.color }));
  }
  // The reference lies below, and what is not valid on top, where DUTs meet.
  const depth = s => data.duts[s.dut].reference ? 0 : s.valid ? 1 : 2;
  for (const s of [...list].sort((a, b) => depth(a) - depth(b))) p.root.append(mark(data.duts[s.dut], x.scale(s.tx), y.scale(s.rx), markOf(s)));
  ratesHover(p, list, x.scale, y.scale);
}

// ratesHover tells all points that lie under the pointer: at low loads the
// DUTs lie over each other.
function ratesHover(p, list, x, y) {
  p.root.addEventListener("pointermove", event => {
    const box = p.root.getBoundingClientRect();
    const px = (event.clientX - box.left) / box.width * p.width, py = (event.clientY - box.top) / box.height * p.height;
    const distance = s => Math.hypot(x(s.tx) - px, y(s.rx) - py);
    const near = list.reduce((a, b) => distance(b) < distance(a) ? b : a);
    if (distance(near) > 40) return hideTip();
    const same = list.filter(s => Math.hypot(x(s.tx) - x(near.tx), y(s.rx) - y(near.rx)) < 7);
    showTip(event, `offered ${near.load}, sent ${rate(near.tx)}`, same.flatMap(s => [
      [data.duts[s.dut], (s.bound ? "≥ " : "") + rate(s.rx)], [s.valid ? "limited by" : "not valid, limited by", s.limited], ["frame loss", s.loss]]));
  });
  p.root.addEventListener("pointerleave", hideTip);
}

function rates(figure) {
  const [controls, names, panels] = parts(figure);
  choice(controls, ["linear", "logarithmic"], "Scale", () => rates(figure));
  legend(names, used(data.rates), dut => [stroke(dut, "thin"), mark(dut, 15, 7, "full")]);
  const ideal = el("span"), sample = shape("svg", { width: 30, height: 14, "aria-hidden": "true" });
  sample.append(shape("line", { x1: 1, x2: 29, y1: 7, y2: 7, class: "ideal" }));
  ideal.append(sample, "no loss");
  names.append(ideal);
  eachPanel(panels, (holder, direction) => ratesPanel(holder, direction, data.rates.filter(s => s.direction === direction), chosen(controls) === 1));
}
