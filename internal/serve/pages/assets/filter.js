// Without a server, the page itself shows the rows that its form chooses; the part of the address
// behind # keeps that, unless it is a place of the page.
const form = document.getElementById("filter");
const groups = [...document.querySelectorAll("table.filtered")].flatMap(t => t.tBodies.length > 1 || t.querySelector("[rowspan]") ? [...t.tBodies] : [...t.tBodies[0].rows]);
const words = cell => (cell.querySelector(".pill, .dut, a") || cell.firstChild || cell).textContent.trim();

const ours = () => location.hash.length < 2 || location.hash.includes("=");

function apply() {
  const chosen = Object.fromEntries([...new FormData(form)].filter(([, value]) => value)), text = (chosen.text || "").toLowerCase().split(/\s+/);
  delete chosen.text;
  for (const group of groups) {
    const cells = [...group.querySelectorAll("td, th")].map(words), all = group.textContent.toLowerCase();
    group.hidden = !(Object.values(chosen).every(value => cells.includes(value)) && text.every(word => all.includes(word)));
  }
  const address = new URLSearchParams([...new FormData(form)].filter(([, value]) => value)).toString();
  if (ours() && location.hash.slice(1) !== address) history.replaceState(null, "", "#" + address);
}

function read() {
  const kept = new URLSearchParams(location.hash.slice(1));
  if (ours()) for (const field of form.elements) if (field.name) field.value = kept.get(field.name) || "";
  apply();
}

if (form) {
  form.hidden = false;
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("input", apply);
  addEventListener("hashchange", read);
  read();
}
