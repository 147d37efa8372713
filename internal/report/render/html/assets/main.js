const panels = { xy: xyPanel, columns: columnsPanel, bars: barsPanel };

// legend names the series in use, each once, then what else the figure says.
function legend(box, figure, view) {
  const seen = new Map();
  for (const s of view.panels.flatMap(p => p.series || [])) if (!seen.has(s.name) || s.line === "solid") seen.set(s.name, s);
  const column = figure.shape === "columns";
  box.replaceChildren(...[...seen.values()].map(s => sample(s.name + (s.color === "ref" && !s.bar ? " (reference)" : ""), column ? { ...s, column } : s)),
    ...(figure.legend || []).map(s => sample(s.text, s)));
  if (view.panels.some(p => p.heat)) box.append(...heatLegend());
  for (const s of seen.values()) if (s.bad) box.append(el("span", "bad-note", s.name + ": not valid"));
  if (view.note) box.append(el("span", "only", view.note));
}

function sample(text, s) {
  const entry = el("span"), drawn = shape("svg", { width: 30, height: 14, "aria-hidden": "true" });
  if (s.column) drawn.append(shape("rect", { x: 9, y: 1, width: 12, height: 12, class: "column " + s.color }));
  if (s.line === "ideal") drawn.append(shape("line", { x1: 1, x2: 29, y1: 7, y2: 7, class: "ideal" }));
  else if (s.line) drawn.append(shape("line", { x1: 1, x2: 29, y1: 7, y2: 7, class: `${strokeOf(s.line)} ${s.color || ""}` }));
  if (s.mark && !s.column) drawn.append(markOf(s, 15, 7, s.style));
  entry.append(drawn, text);
  return entry;
}

// start reads a figure's data and makes its controls; it returns what draws it.
function start(node) {
  const figure = JSON.parse(node.querySelector("script").textContent);
  const [controls, names, box] = [".controls", ".legend", ".panels"].map(name => node.querySelector(name));
  const says = el("p", "says");
  box.after(says);
  const draw = () => {
    const view = figure.views[chosen()] || figure.views[0], options = { near: near() === 1, log: scale() === 1 };
    if (figure.shape === "bars") names.remove(); else legend(names, figure, view);
    box.classList.toggle("by3", view.panels.length === 3);
    // Room for all panels first, since each is as wide as the others leave it.
    box.replaceChildren(...view.panels.map(p => {
      const holder = el("div");
      if (p.title) holder.append(el("h4", "", p.title));
      return holder;
    }));
    says.textContent = view.says || "";
    view.panels.forEach((p, i) => panels[figure.shape](box.children[i], p, figure, options, view.panels));
  };
  const chosen = choice(controls, figure.views.map(v => v.name || ""), figure.viewOf || "View", draw, figure.start);
  const some = figure.views.some(v => v.panels.some(p => p.near));
  const near = some ? choice(controls, ["all loads", "near the rates"], "Range", draw) : () => 0;
  const scale = figure.logChoice ? choice(controls, ["linear", "logarithmic"], "Scale", draw) : () => 0;
  return draw;
}

function theme() {
  const root = document.documentElement, key = "upflab-theme";
  const store = value => { try { return value ? localStorage.setItem(key, value) : localStorage.getItem(key); } catch { return null; } };
  const kept = store();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  document.getElementById("theme").addEventListener("click", () => {
    const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    store(root.dataset.theme = now === "dark" ? "light" : "dark");
  });
}

theme();
// What is folded has no width yet: it is drawn when it is opened.
const charts = [...document.querySelectorAll(".chart")].map(node => ({ node, draw: start(node) }));
const drawIn = root => charts.forEach(c => { if (root.contains(c.node) && c.node.clientWidth) c.draw(); });
drawIn(document);
document.querySelectorAll("details").forEach(d => d.addEventListener("toggle", () => { if (d.open) drawIn(d); }));
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  drawIn(document);
});
addEventListener("scroll", hideTip, { passive: true });
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));
