const box = document.getElementById("live"), id = name => document.getElementById(name);
const si = v => v >= 1e6 ? (v / 1e6).toPrecision(3) + " M" : v >= 1e3 ? (v / 1e3).toPrecision(3) + " k" : v.toFixed(0) + " ";
const time = ns => ns >= 1e9 ? (ns / 1e9).toPrecision(3) + " s" : ns >= 1e6 ? (ns / 1e6).toPrecision(3) + " ms" : (ns / 1e3).toPrecision(3) + " µs";
const percent = v => (100 * (v || 0)).toPrecision(3) + " %";
let total = 0, charts = "";

// show puts the charts into the page, as the server drew them. While somebody reads one by the
// keyboard or a pointer, it stays.
function show() {
  if (!charts || document.hidden || id("curves").contains(document.activeElement) || !document.getElementById("tip").hidden) return;
  const lists = () => [...id("curves").querySelectorAll("select")], of = s => s.closest("figure").id + s.ariaLabel;
  const chosen = new Map(lists().map(s => [of(s), s.value]));
  id("curves").innerHTML = charts;
  charts = "";
  for (const s of lists()) if (chosen.has(of(s))) s.value = chosen.get(of(s));
  id("curves").dispatchEvent(new Event("drawn", { bubbles: true }));
}

function log(text) {
  const e = id("log");
  e.textContent += text + "\n";
  if (e.textContent.length > 40000) e.textContent = e.textContent.slice(-30000);
}

function row(e) {
  const tr = document.createElement("tr");
  if (!e.valid) tr.className = "bad";
  const cells = [e.target, e.trial, e.tx_pps ? si(e.tx_pps) + "pps" : "–", e.rx_pps ? si(e.rx_pps) + "pps" : "–", e.limited_by ? percent(e.loss) : "–",
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
  plan: e => { total = e.trials || 0; log(`scenario ${e.scenario}, ${total ? total + " trials" : "until known"}`); },
  stage: e => { id("what").textContent = `${e.target}: ${e.text}`; },
  begin: e => {
    id("what").textContent = `${e.target}, ${e.trial}`;
    id("count").textContent = total ? `trial ${e.n} of ${total}` : `trial ${e.n}`;
    id("progress").value = total ? (e.n - 1) / total : 0;
  },
  point: e => {
    id("values").textContent = [`sent ${si(e.tx_pps || 0)}pps`, `received ${si(e.rx_pps || 0)}pps`, `loss ${percent(e.loss)}`,
      e.p50_ns ? `latency p50 ${time(e.p50_ns)}, p99 ${time(e.p99_ns || 0)}` : "", `CPU of the UPF ${(e.dut_cores || 0).toFixed(2)} cores`].filter(Boolean).join(" · ");
  },
  end: e => { row(e); id("progress").value = total ? e.n / total : 0; },
  log: e => log((e.target ? e.target + ": " : "") + e.text),
  beat: () => {},
  done: e => { id("state").textContent = "ended"; id("what").textContent = e.text || "well"; id("values").textContent = ""; id("progress").value = 1; },
};

const source = new EventSource(box.dataset.events);
source.onopen = () => { if (id("state").textContent !== "ended") id("state").textContent = "running"; };
source.onerror = () => { if (id("state").textContent === "running") id("state").textContent = "connection lost, trying again"; };
source.onmessage = m => { const e = JSON.parse(m.data); if (handle[e.kind]) handle[e.kind](e); };
source.addEventListener("curves", m => { charts = JSON.parse(m.data); show(); });
source.addEventListener("over", m => {
  source.close();
  if (m.data !== "true") { id("state").textContent = "ended"; id("what").textContent = "without saying so: it was killed, or its disk was full"; }
});
setInterval(show, 1000);
