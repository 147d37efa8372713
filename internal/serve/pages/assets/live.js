const box = document.getElementById("live"), id = name => document.getElementById(name);
const kept = 600, curves = [
  { title: "Rate", series: [["Tx", "tx_pps", "c0"], ["Rx", "rx_pps", "c2"]], text: v => si(v) + "pps" },
  { title: "Loss", series: [["loss", "loss", "c1"]], text: v => (100 * v).toPrecision(3) + " %" },
  { title: "Latency", series: [["p50", "p50_ns", "c0"], ["p99", "p99_ns", "c1"]], text: v => time(v) },
  { title: "CPU of the UPF", series: [["cores", "dut_cores", "c3"]], text: v => v.toFixed(2) + " cores" },
].map(c => ({ ...c, data: [] }));
const si = v => v >= 1e6 ? (v / 1e6).toPrecision(3) + " M" : v >= 1e3 ? (v / 1e3).toPrecision(3) + " k" : v.toFixed(0) + " ";
const time = ns => ns >= 1e6 ? (ns / 1e6).toPrecision(3) + " ms" : (ns / 1e3).toPrecision(3) + " µs";
const make = (name, attributes, text) => {
  const e = document.createElementNS(name === "h4" || name === "div" || name === "p" ? "http://www.w3.org/1999/xhtml" : "http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text) e.textContent = text;
  return e;
};
let total = 0, current = "", dirty = false;

function drawAll() {
  if (!dirty || document.hidden) return;
  dirty = false;
  for (const c of curves) {
    if (!c.box) { c.box = make("div", { class: "curve" }); id("curves").append(c.box); }
    const w = 400, h = 150, left = 4, last = c.data[c.data.length - 1];
    const values = c.data.flatMap(p => c.series.map(s => p[s[1]] || 0)), top = Math.max(...values, 1e-9);
    const from = c.data[0].t, span = Math.max(10, last.t - from);
    const svg = make("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": `${c.title}, now ` + c.series.map(s => s[0] + " " + c.text(last[s[1]] || 0)).join(", ") });
    svg.append(make("line", { x1: left, x2: w, y1: h - 12, y2: h - 12, class: "axis" }), make("text", { x: left, y: 11, class: "tick" }, c.text(top)));
    for (const [, key, color] of c.series) {
      let d = "", gap = true;
      for (const p of c.data) {
        if (p.gap) { gap = true; continue; }
        d += `${gap ? "M" : "L"}${(left + (p.t - from) / span * (w - left)).toFixed(1)},${(h - 12 - (p[key] || 0) / top * (h - 30)).toFixed(1)}`;
        gap = false;
      }
      svg.append(make("path", { d, class: "line " + color }));
    }
    const legend = make("p", { class: "legend" });
    for (const [name, key, color] of c.series) {
      const one = make("div", { class: "dut " + color });
      const dot = document.createElement("i");
      one.append(dot, `${name} ${c.text(last[key] || 0)}`);
      legend.append(one);
    }
    c.box.replaceChildren(make("h4", {}, c.title), svg, legend);
  }
}

function log(text) {
  const e = id("log");
  e.textContent += text + "\n";
  if (e.textContent.length > 40000) e.textContent = e.textContent.slice(-30000);
}

function row(e) {
  const tr = document.createElement("tr");
  if (!e.valid) tr.className = "bad";
  const cells = [e.target, e.trial, e.tx_pps ? si(e.tx_pps) + "pps" : "–", e.rx_pps ? si(e.rx_pps) + "pps" : "–", e.limited_by ? (100 * (e.loss || 0)).toPrecision(3) + " %" : "–",
    e.p50_ns ? time(e.p50_ns) : "–", e.p99_ns ? time(e.p99_ns) : "–", e.limited_by ? (e.dut_cores || 0).toFixed(2) : "–",
    e.limited_by ? e.limited_by + (e.valid ? "" : ", not valid: " + (e.text || "")) : e.text || ""]; // without: a case, whose text is its outcome
  cells.forEach((text, i) => {
    const td = document.createElement("td");
    if (i < 2 || i === 8) td.className = i === 8 ? "l why" : "l";
    td.textContent = text;
    tr.append(td);
  });
  id("trials").prepend(tr);
}

const handle = {
  plan: e => { total = e.trials || 0; log(`scenario ${e.scenario}, ${total} trials`); },
  stage: e => { id("what").textContent = `${e.target}: ${e.text}`; },
  begin: e => {
    current = `${e.target}, ${e.trial}`;
    id("what").textContent = current;
    id("count").textContent = `trial ${e.n} of ${total}`;
    id("progress").value = total ? (e.n - 1) / total : 0;
    for (const c of curves) c.data.push({ t: e.t, gap: true });
  },
  point: e => {
    for (const c of curves) { c.data.push(e); if (c.data.length > kept) c.data.shift(); }
    dirty = true;
  },
  end: e => { row(e); id("progress").value = total ? e.n / total : 0; },
  log: e => log((e.target ? e.target + ": " : "") + e.text),
  beat: () => {},
  done: e => { id("state").textContent = "ended"; id("what").textContent = e.text || "well"; id("progress").value = 1; },
};

const source = new EventSource(box.dataset.events);
source.onopen = () => { if (id("state").textContent !== "ended") id("state").textContent = "running"; };
source.onerror = () => { if (id("state").textContent === "running") id("state").textContent = "connection lost, trying again"; };
source.onmessage = m => { const e = JSON.parse(m.data); if (handle[e.kind]) handle[e.kind](e); };
source.addEventListener("over", m => {
  source.close();
  if (m.data !== "true") { id("state").textContent = "ended"; id("what").textContent = "without saying so: it was killed, or its disk was full"; }
  dirty = dirty || curves[0].data.some(p => !p.gap);
  drawAll();
});
setInterval(drawAll, 1000);
