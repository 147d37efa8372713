function cpuPanel(holder, direction, list) {
  const p = panel(holder, direction, "CPU by load", 58);
  const known = list.filter(s => s.cores !== null);
  if (!known.length) return nothing(p);
  const loads = data.loads.filter(load => known.some(s => s.load === load)), duts = used(known);
  const marks = ticks(Math.max(1, ...known.map(s => s.cores)), 5);
  const y = linear(0, marks[marks.length - 1], p.bottom, p.top), band = (p.right - p.left) / loads.length;
  const middle = load => p.left + band * (loads.indexOf(load) + 0.5);
  axes(p, { scale: middle, ticks: loads, write: String, label: "offered load, packets/s", plain: true },
    { scale: y, ticks: marks, write: v => trim(v, 3), label: "cores" });
  const width = Math.min(38, band * 0.8 / duts.length);
  for (const s of known) {
    const left = middle(s.load) + (duts.findIndex(d => d.index === s.dut) - duts.length / 2) * width;
    const high = Math.max(1, p.bottom - y(s.cores));
    const column = shape("rect", { x: left + 1.5, y: p.bottom - high, width: width - 3, height: high, class: `column ${data.duts[s.dut].color}${s.valid ? "" : " pale"}` });
    const target = shape("rect", { x: left, y: p.top, width, height: p.bottom - p.top, fill: "transparent" });
    target.addEventListener("pointermove", event => cpuTip(event, s));
    target.addEventListener("pointerleave", hideTip);
    p.root.append(column, target);
  }
}

function cpuTip(event, s) {
  const rows = [[data.duts[s.dut], trim(s.cores, 3) + " cores"]];
  for (const part of s.parts || []) rows.push([part.name, trim(part.cores, 3)]);
  if (s.perPacket) rows.push(["a packet", trim(s.perPacket, 3) + " ns"]);
  rows.push(["generator's core", trim(s.generator * 100, 3) + " %"]);
  if (!s.valid) rows.push(["not valid", ""]);
  showTip(event, "offered " + s.load, rows);
}

function cpu(figure) {
  const [, names, panels] = parts(figure);
  const list = data.cpu.filter(s => s.cores !== null);
  legend(names, used(list), dut => [shape("rect", { x: 9, y: 1, width: 12, height: 12, class: "column " + dut.color })]);
  eachPanel(panels, (holder, direction) => cpuPanel(holder, direction, data.cpu.filter(s => s.direction === direction)));
}
