const parts = figure => [".controls", ".legend", ".panels"].map(name => figure.querySelector(name));
const charts = { side, latency, rates, cpu, searches, curve, loss, series, sizes };
const drawAll = () => document.querySelectorAll(".chart").forEach(figure => charts[figure.dataset.chart](figure));

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

// sizeChoice lets the reader choose the size that the charts show.
function sizeChoice() {
  const box = document.getElementById("size");
  if (!box) return;
  choice(box, all.sizes, "Size of packets", () => {
    data = all.bySize[chosen(box)];
    document.querySelectorAll(".chart:not([data-chart=sizes]) .controls").forEach(c => c.replaceChildren());
    drawAll();
  });
}

theme();
sizeChoice();
drawAll();
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  drawAll();
});
addEventListener("scroll", hideTip, { passive: true });
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));
