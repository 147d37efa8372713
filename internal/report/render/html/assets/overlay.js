// area shades a range of x from top to bottom, with its name at the top.
function area(p, a, x) {
  const from = Math.max(p.left, x.scale(Math.max(a.from, x.lo || 0))), to = Math.min(p.right, x.scale(a.to));
  if (!(to > from)) return;
  p.root.append(shape("rect", { x: from, y: p.top, width: to - from, height: p.bottom - p.top, class: "area" + (a.pale ? " pale" : "") }));
  if (a.text && to - from > a.text.length * 6.5) p.root.append(shape("text", { x: from + 5, y: p.top + 14, class: "area-name" }, a.text));
}

// overlays are the intervals of a series: a band along its line, whiskers through its points.
function overlays(p, s, x, y) {
  const band = (s.band || []).filter(r => r[1] !== null && r[2] !== null);
  if (band.length > 1) {
    const up = band.map(r => x.scale(r[0]).toFixed(1) + "," + y.scale(r[2]).toFixed(1)), down = band.map(r => x.scale(r[0]).toFixed(1) + "," + y.scale(r[1]).toFixed(1)).reverse();
    p.root.append(shape("path", { d: "M" + up.concat(down).join("L") + "z", class: "band " + s.color }));
  }
  for (const r of s.whiskers || []) {
    const at = x.scale(r[0]), low = y.scale(r[1]), high = y.scale(r[2]);
    p.root.append(shape("path", { d: `M${at},${low}V${high}M${at - 3.5},${low}h7M${at - 3.5},${high}h7`, class: "whisk " + s.color }));
  }
}

// warmth is how strong a color stands for a share: each tenfold is one step of six.
const warmth = share => Math.max(0.07, Math.min(1, 1 + Math.log10(share) / 5.2));

function heatCell(p, c, x, y) {
  const x0 = x.scale(c[0]), x1 = x.scale(c[1]), y0 = y.scale(c[2]), y1 = y.scale(c[3]);
  p.root.append(shape("rect", { x: x0.toFixed(1), y: y1.toFixed(1), width: Math.max(0.5, x1 - x0 - 0.6).toFixed(1), height: Math.max(0.5, y0 - y1).toFixed(1), class: "heat", "fill-opacity": warmth(c[4]).toFixed(3) }));
  return { x0, x1, y0, y1, cell: c };
}

function showHeat(event, c, data) {
  const [x0, x1, y0, y1, share] = c;
  showTip(event, `${tell(y0, data.y.unit)} to ${tell(y1, data.y.unit)}`, [[data.heat.of, tell(share, "ratio")], [data.x.label, tell(c[5] || (x0 + x1) / 2, data.x.unit)]]);
}

// heatLegend shows what the colors are.
function heatLegend() {
  return [1e-5, 1e-3, 0.1].map(share => {
    const entry = el("span"), drawn = shape("svg", { width: 16, height: 14, "aria-hidden": "true" });
    drawn.append(shape("rect", { x: 1, y: 1, width: 13, height: 12, class: "heat", "fill-opacity": warmth(share) }));
    entry.append(drawn, percent(share));
    return entry;
  });
}
