// searchOptions are the searches of all directions by name, each whole and near
// its rates.
const searchNames = () => [...new Set((data.searches || []).map(s => s.name))];
const searchOptions = () => searchNames().flatMap(name => [name + ", all loads", name + ", near the rates"]);

// outcome is how a trial is drawn: by what it lost.
function outcome(trial, goals) {
  const loss = trial.sent ? trial.lost / trial.sent : 1;
  if (!trial.used) return "aside";
  if (trial.lost === 0 && trial.sent) return "all";
  return loss <= Math.max(...goals.map(g => g.loss), 0) ? "some" : "many";
}
const outcomeForms = { all: "circle", some: "triangle", many: "square", aside: "cross" };
const outcomeNames = { all: "nothing lost", some: "within the partial drop rate's goal", many: "too much lost", aside: "set aside" };
const trialMark = (kind, x, y, again) => shape("path", { d: forms[outcomeForms[kind]](x, y, 4.4), class: `mark trial ${kind}${again ? " hollow" : ""}` });

// lossScale has a place of its own for no loss, below the least that was lost.
function lossScale(p, trials) {
  const losses = trials.filter(t => t.lost).map(t => t.lost / Math.max(1, t.sent));
  const least = Math.min(0.001, ...losses) * 0.6, floor = p.bottom - 26;
  const log = logarithmic(least, 1, floor, p.top);
  const list = [1, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7].filter(v => v >= least);
  return { scale: v => v ? log(Math.min(1, v)) : p.bottom - 9, ticks: [0, ...list], write: v => v === 0 ? "none" : trim(v * 100, 3) + " %", label: "frame loss" };
}

function searchPanel(holder, direction, search, zoom) {
  const p = panel(holder, direction, "Trials of the search", 76);
  if (!search || !search.trials || !search.trials.length) return nothing(p);
  p.top += 40;
  const goals = search.goals || [], near = goals.flatMap(g => [g.lower, g.upper]).filter(v => v > 0);
  const inside = zoom && near.length ? [Math.min(...near) * 0.93, Math.max(...near) * 1.07] : null;
  const trials = search.trials.filter(t => t.pps > 0 && (!inside || t.pps >= inside[0] && t.pps <= inside[1]));
  if (!trials.length) return nothing(p);
  const loads = trials.map(t => t.pps).concat(near);
  const lo = Math.min(...loads) * (inside ? 0.995 : 0.9), hi = Math.max(...loads) * (inside ? 1.005 : 1.1);
  const x = logarithmic(lo, hi, p.left, p.right), y = lossScale(p, trials);
  axes(p, { scale: x, ticks: decades(lo, hi, p.right - p.left, 56), write: rateTick, label: "offered load, packets/s" }, y);
  goals.forEach((g, i) => goalLines(p, g, i + 1, x, y.scale));
  const depth = { many: 0, some: 1, all: 2, aside: 3 };
  const placed = trials.map(t => ({ t, kind: outcome(t, goals), x: x(t.pps), y: y.scale(t.sent ? t.lost / t.sent : 1) }));
  for (const m of [...placed].sort((a, b) => depth[a.kind] - depth[b.kind])) p.root.append(trialMark(m.kind, m.x, m.y, m.t.phase === "verify"));
  nearHover(p, placed, (event, same) => searchTip(event, same));
}

const rateTick = pps => pps >= 1e6 ? trim(pps / 1e6, 4) + "M" : pps >= 1e3 ? trim(pps / 1e3, 4) + "k" : trim(pps, 3);

// goalLines marks the bounds of a goal and names its rate above, each goal in a
// row of its own: higher rates, whose lines are further right, above lower ones,
// so that no line crosses a name on its left.
function goalLines(p, goal, row, x, y) {
  const top = p.top - 17 * row - 5;
  const bad = goal.standing === "invalid" ? " bad" : "";
  for (const [at, cls] of [[goal.lower, "lower"], [goal.upper, "upper"]])
    if (at > 0 && x(at) >= p.left && x(at) <= p.right) p.root.append(shape("line", { x1: x(at), x2: x(at), y1: top, y2: p.bottom, class: `goal ${cls}${bad}` }));
  if (goal.loss > 0) p.root.append(shape("line", { x1: p.left, x2: p.right, y1: y(goal.loss), y2: y(goal.loss), class: "ideal" }));
  const at = Math.min(p.right, Math.max(p.left, goal.lower > 0 ? x(goal.lower) : p.left));
  const words = goal.standing === "invalid" ? "not valid" : goal.rate;
  const name = `${goal.title}: ${words}`, end = at - 9 > name.length * 6.9;
  p.root.append(shape("text", { x: at + (end ? -5 : 5), y: top + 11, "text-anchor": end ? "end" : "start", class: "goal-name" + bad }, name));
}

// nearHover finds the marks under the pointer.
function nearHover(p, placed, tell) {
  p.root.addEventListener("pointermove", event => {
    const box = p.root.getBoundingClientRect();
    const px = (event.clientX - box.left) / box.width * p.width, py = (event.clientY - box.top) / box.height * p.height;
    const near = placed.reduce((a, b) => Math.hypot(b.x - px, b.y - py) < Math.hypot(a.x - px, a.y - py) ? b : a);
    if (Math.hypot(near.x - px, near.y - py) > 40) return hideTip();
    tell(event, placed.filter(m => Math.hypot(m.x - near.x, m.y - near.y) < 6));
  });
  p.root.addEventListener("pointerleave", hideTip);
}

function searchTip(event, same) {
  const rows = same.slice(0, 3).flatMap(({ t, kind }) => [
    [`offered ${rate(t.pps)}, ${trim(t.s, 3)} s, ${t.phase}`, outcomeNames[kind]],
    [`lost ${t.lost.toLocaleString("en")} of ${t.sent.toLocaleString("en")}`, t.sent ? trim(t.lost / t.sent * 100, 3) + " %" : ""],
    ["limited by", t.limited]]);
  if (same.length > 3) rows.push([`and ${same.length - 3} more`, ""]);
  showTip(event, "a trial of the search", rows);
}

function searches(figure) {
  const [controls, names, panels] = parts(figure);
  choice(controls, searchOptions(), "Which search", () => searches(figure));
  const at = chosen(controls), name = searchNames()[at >> 1];
  const some = data.searches.find(s => s.name === name && (s.trials || []).length < s.taken);
  names.replaceChildren(...Object.keys(outcomeNames).map(kind => sampleOf(trialMark(kind, 15, 7), outcomeNames[kind])), sampleOf(trialMark("all", 15, 7, true), "looked at again at the end"));
  if (some) names.append(el("span", "only", `${some.trials.length} of ${some.taken} trials are drawn`));
  eachPanel(panels, (holder, direction) => searchPanel(holder, direction, data.searches.find(s => s.name === name && s.direction === direction), at & 1));
}

function sampleOf(drawn, text) {
  const entry = el("span"), sample = shape("svg", { width: 30, height: 14, "aria-hidden": "true" });
  sample.append(drawn);
  entry.append(sample, text);
  return entry;
}
