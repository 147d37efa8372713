// Charts are drawn already: this shows the chosen ones, and says what is under a pointer or at
// what the arrow keys reach.
const SVG = "http://www.w3.org/2000/svg", tip = document.getElementById("tip");
const hideTip = () => { tip.hidden = true; };

// What a browser lays out is read once, until something may have moved: a pointer moves often, and reading
// after a change of the page makes the browser lay all of it out again.
let layout = 0;
const moved = () => { layout++; };
const once = read => { let at = -1, value; return () => at === layout ? value : (at = layout, value = read()); };
addEventListener("scroll", moved, { passive: true, capture: true });
addEventListener("resize", moved);

let shown = "", size = null; // what the tip shows, and its box

// showTip shows a title and rows of [name, value, color] near a place of the window.
function showTip(x, y, title, rows) {
  const text = [title, ...rows].join("\n");
  tip.hidden = false;
  if (text !== shown) {
    tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: title }));
    for (const [name, value, color] of rows) {
      const line = document.createElement("div"), left = document.createElement("span"), right = document.createElement("span");
      if (color) { left.className = "dut " + color; left.append(document.createElement("i")); }
      left.append(name);
      right.textContent = value;
      line.append(left, right);
      tip.append(line);
    }
    shown = text;
    size = tip.getBoundingClientRect();
  }
  const gap = 14;
  const left = x + gap + size.width > innerWidth - 8 ? Math.max(8, x - size.width - gap) : x + gap;
  const top = y + gap + size.height > innerHeight - 8 ? Math.max(8, y - size.height - gap) : y + gap;
  tip.style.left = left + "px";
  tip.style.top = top + "px";
}

// said splits the label of a point: a title, then lines of a name and a value.
function said(node) {
  const [title, ...lines] = node.getAttribute("aria-label").split("\n");
  const color = (node.closest("[class]").getAttribute("class").match(/\b(c\d|ref)\b/) || [])[0];
  return [title, lines.map((line, i) => {
    const at = line.indexOf(": ");
    return at < 0 ? [line, "", i ? "" : color] : [line.slice(0, at), line.slice(at + 2), i ? "" : color];
  })];
}
const middle = node => { const b = node.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; };

// points makes a chart say what is at its points; those that lie under each other are said together.
function points(plot) {
  const all = [...plot.querySelectorAll("[aria-label]")], marks = all.filter(node => node.matches(".mark *"));
  const places = once(() => marks.map(middle));
  const show = (node, x, y) => {
    const [title, rows] = said(node), at = marks.indexOf(node);
    if (at >= 0) {
      const [mx, my] = places()[at];
      const same = marks.filter((_, i) => i !== at && Math.hypot(places()[i][0] - mx, places()[i][1] - my) < 7);
      for (const m of same.slice(0, 2)) rows.push(...said(m)[1]);
      if (same.length > 2) rows.push([`and ${same.length - 2} more`, ""]);
    }
    showTip(x, y, title, rows);
  };
  plot.addEventListener("pointermove", event => {
    const [near, far] = places().reduce((best, [x, y], i) => {
      const d = Math.hypot(x - event.clientX, y - event.clientY);
      return d < best[1] ? [marks[i], d] : best;
    }, [null, Infinity]);
    const hit = event.target.closest("[aria-label]"), node = hit && hit !== plot && far >= 7 ? hit : far <= 40 ? near : null;
    if (node) show(node, event.clientX, event.clientY); else hideTip();
  });
  all.forEach(node => { node.setAttribute("tabindex", "-1"); node.setAttribute("role", "img"); });
  return { count: all.length, go: i => { all[i].focus({ preventScroll: true }); show(all[i], ...middle(all[i])); } };
}

// stops makes a chart say what all series are at a place along an axis.
function stops(plot, data) {
  const layer = plot.appendChild(document.createElementNS(SVG, "g")), alongX = data.axis === "x";
  const box = once(() => plot.getBoundingClientRect());
  let drawn = -1;
  const add = (name, attributes) => {
    const node = layer.appendChild(document.createElementNS(SVG, name));
    for (const key in attributes) node.setAttribute(key, attributes[key]);
  };
  const clear = () => { layer.replaceChildren(); drawn = -1; };
  const draw = (i, at) => {
    clear();
    add("line", alongX ? { x1: at + "%", x2: at + "%", y2: "100%", class: "guide" } : { x2: "100%", y1: at, y2: at, class: "guide" });
    for (const s of data.series) {
      const r = s.at[i];
      if (r) add("circle", alongX ? { cx: at + "%", cy: r[0], r: 4.5, class: "dot " + s.color } : { cx: r[0] + "%", cy: at, r: 4.5, class: "dot " + s.color });
    }
    drawn = i;
  };
  const show = (i, x, y) => {
    const [at, title] = data.stops[i];
    if (i !== drawn) draw(i, at);
    showTip(x, y, title, data.series.map(s => [s.name + (s.dash ? ", dashed" : ""), s.at[i] ? s.at[i][1] : "nothing", s.color]));
  };
  plot.addEventListener("pointermove", event => {
    const b = box(), at = alongX ? (event.clientX - b.x) / b.width * 100 : event.clientY - b.y;
    show(data.stops.reduce((best, s, i) => Math.abs(s[0] - at) < Math.abs(data.stops[best][0] - at) ? i : best, 0), event.clientX, event.clientY);
  });
  plot.addEventListener("pointerleave", clear);
  plot.addEventListener("blur", clear);
  return { count: data.stops.length, go: i => { const b = box(); show(i, alongX ? b.x + data.stops[i][0] / 100 * b.width : b.x + b.width / 2, alongX ? b.y + b.height / 2 : b.y + data.stops[i][0]); } };
}

function hover(plot) {
  const next = plot.nextElementSibling, read = next && next.matches("script") ? stops(plot, JSON.parse(next.textContent)) : points(plot);
  let at = -1;
  plot.addEventListener("pointerenter", moved);
  plot.addEventListener("pointerleave", hideTip);
  plot.addEventListener("focusout", hideTip);
  plot.addEventListener("keydown", event => {
    const link = event.key === "Enter" && document.activeElement.closest("a");
    if (link) location.href = link.getAttribute("href");
    if (event.key === "Escape") hideTip();
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!step || !read.count) return;
    event.preventDefault();
    at = Math.max(0, Math.min(read.count - 1, at + step));
    moved();
    read.go(at);
  });
}

// choose shows the view of a figure that its selects name.
function choose(figure) {
  const selects = [...figure.querySelectorAll("select")], views = figure.querySelectorAll(".view");
  const draw = () => views.forEach(v => { v.hidden = v.dataset.of !== selects.map(s => s.value).join("-"); });
  selects.forEach(s => s.addEventListener("change", draw));
  draw();
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

// contents are open at the side of a wide window and folded above a narrow one; what they lead to is opened.
function contents() {
  const list = document.querySelector(".contents details"), wide = matchMedia("(min-width: 1000px)");
  if (!list) return;
  const fold = () => { list.open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();
  const named = hash => {
    try { return document.getElementById(decodeURIComponent(hash.slice(1))); } catch { return null; } // not an address of a part
  };
  const links = [...list.querySelectorAll("a")], of = link => named(link.hash);
  const reveal = () => { for (let part = named(location.hash); part; part = part.parentElement) if (part.matches("details")) part.open = true; };
  addEventListener("hashchange", reveal);
  list.addEventListener("click", event => { if (event.target.hash === location.hash) reveal(); if (event.target.hash && !wide.matches) list.open = false; });
  reveal();
  const near = new Set();
  const watch = new IntersectionObserver(seen => {
    for (const s of seen) if (s.isIntersecting) near.add(s.target); else near.delete(s.target);
    const now = links.filter(l => near.has(of(l))).pop();
    for (const l of links) if (l === now) l.setAttribute("aria-current", "true"); else l.removeAttribute("aria-current");
  }, { rootMargin: "0px 0px -70% 0px" });
  links.map(of).filter(Boolean).forEach(part => watch.observe(part));
}

theme();
contents();
const adopt = root => { root.querySelectorAll(".chart").forEach(choose); root.querySelectorAll(".plot").forEach(hover); };
adopt(document);
document.addEventListener("drawn", event => adopt(event.target)); // charts that came later
addEventListener("scroll", hideTip, { passive: true });
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));
