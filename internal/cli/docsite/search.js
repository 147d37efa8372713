"use strict";
(() => {
  const query = document.getElementById("query"), found = document.getElementById("found"), root = document.body.dataset.root;
  const lower = searchIndex.map((e) => [e.t.toLowerCase(), e.x.toLowerCase()]);

  // score is 0 when a word is missing; words in titles count more.
  function score(words, [title, text]) {
    let sum = 0;
    for (const w of words) {
      const points = (title.includes(w) ? 10 : 0) + Math.min(5, text.split(w).length - 1);
      if (points === 0) return 0;
      sum += points;
    }
    return sum;
  }

  function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
    return (at > 0 ? "… " : "") + text.slice(at, at + 180) + (text.length > at + 180 ? " …" : "");
  }

  function show() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = words.length === 0;
    found.replaceChildren();
    if (words.length === 0) return;
    const hits = lower.map((e, i) => [score(words, e), searchIndex[i]]).filter(([s]) => s > 0).sort((a, b) => b[0] - a[0]).slice(0, 12);
    for (const [, e] of hits) {
      const item = document.createElement("li"), a = document.createElement("a"), p = document.createElement("p");
      a.href = root + e.u;
      a.textContent = e.t;
      p.textContent = excerpt(e.x, words[0]);
      item.append(a, p);
      found.append(item);
    }
    if (hits.length === 0) found.append(Object.assign(document.createElement("li"), { textContent: "Nothing has all of these words." }));
  }

  query.addEventListener("input", show);
  query.form.addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== query) {
      event.preventDefault();
      query.focus();
    }
    if (event.key === "Escape") {
      query.value = "";
      show();
    }
  });
})();
