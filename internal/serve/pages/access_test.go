package pages

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/upflab/upflab/internal/text/wait"
)

// faint lists the texts of a page whose contrast with what is behind them is below 4.5 to 1, as WCAG
// 2.2 asks for (1.4.3).
const faint = `(() => {
	const rgb = text => { const m = text.match(/[\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null : m; };
	const light = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c) return c; } return [255, 255, 255]; };
	const bad = new Set();
	for (const e of document.querySelectorAll("body *")) {
		const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
		if (!own || !e.checkVisibility() || e.matches("script, style, option, .skip")) continue;
		const style = getComputedStyle(e), svg = e.closest("svg"), of = rgb(svg ? style.fill : style.color);
		if (!of) continue;
		const [a, b] = [light(of), light(behind(svg ? svg.parentElement : e))].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5) bad.add(e.tagName + "." + e.getAttribute("class") + " " + e.textContent.trim().slice(0, 30));
	}
	return [...bad].slice(0, 10).join("; ");
})()`

// TestLightAndDark: texts can be read in both, and the two differ.
func TestLightAndDark(t *testing.T) {
	ctx, dir := browser(t, 1280), mixed(t)
	add(t, dir, "cases", behaved(32))
	s := serve(t, dir, Options{Loopback: true, Runs: starter(t, dir)})
	grounds := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		do(t, ctx, chromedp.Navigate(s.URL+"/"))
		for range 2 { // the button goes from one to the other
			if ask(t, ctx, chromedp.Evaluate[string](`document.documentElement.dataset.theme || "none"`)) != scheme {
				ask(t, ctx, chromedp.Evaluate[bool](`document.getElementById("theme").click(), true`))
			}
		}
		for _, path := range []string{"/", "/history", "/leaderboard", "/matrix", "/start", "/compare?a=night-00&b=night-11", "/runs/night-11"} {
			do(t, ctx, chromedp.Navigate(s.URL+path))
			if bad := ask(t, ctx, chromedp.Evaluate[string](faint)); bad != "" {
				t.Errorf("%s, %s: hard to read: %s", path, scheme, bad)
			}
		}
		grounds[ask(t, ctx, chromedp.Evaluate[string](`getComputedStyle(document.body).backgroundColor`))] = true
	}
	if len(grounds) != 2 {
		t.Errorf("light and dark have the same ground: %v", grounds)
	}
}

// TestByKeyboard: without a pointer one skips the links, filters the list, reads a chart, goes to a
// run from its point, and starts a run.
func TestByKeyboard(t *testing.T) {
	ctx, dir := browser(t, 1280), mixed(t)
	s := serve(t, dir, Options{Loopback: true, Runs: starter(t, dir)})
	focused := func() string {
		return ask(t, ctx, chromedp.Evaluate[string](`(() => { const e = document.activeElement; return (e.name || e.className.baseVal || e.className || e.textContent || e.tagName).trim(); })()`))
	}
	// until presses Tab until something has the focus, which must be seen.
	until := func(want string) {
		t.Helper()
		for range 60 {
			do(t, ctx, chromedp.KeyEvent(kb.Tab))
			if focused() != want {
				continue
			}
			if style := ask(t, ctx, chromedp.Evaluate[string](`getComputedStyle(document.activeElement).outlineStyle`)); style == "none" {
				t.Errorf("%s has the focus, and nobody sees it", want)
			}
			return
		}
		t.Fatalf("Tab does not reach %q; the last was %q", want, focused())
	}
	leads := func(want string) {
		t.Helper()
		at := ""
		arrived := func() bool {
			at = ask(t, ctx, chromedp.Evaluate[string](`location.href`))
			return strings.Contains(at, want)
		}
		if !wait.Until(30*time.Second, 50*time.Millisecond, arrived) {
			t.Fatalf("the keys led to %s, wanted %s", at, want)
		}
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/"), chromedp.KeyEvent(kb.Tab))
	if first := focused(); first != "skip" {
		t.Errorf("the first stop is %q", first)
	}
	until("text")
	do(t, ctx, chromedp.KeyEvent("night-07"+kb.Enter))
	leads("text=night-07")
	do(t, ctx, chromedp.Navigate(s.URL+"/history"), chromedp.WaitVisible("figure .view:not([hidden]) svg.plot"))
	until("plot")
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	tip := ask(t, ctx, chromedp.Evaluate[string](
		`(tip => (tip.hidden ? "hidden " : "") + tip.textContent)(document.getElementById("tip"))`))
	if strings.HasPrefix(tip, "hidden") || !strings.Contains(tip, "night-01") {
		t.Errorf("the arrow keys show %q", tip)
	}
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	leads("/runs/night-01")
	do(t, ctx, chromedp.Navigate(s.URL+"/start"))
	until("loads")
	do(t, ctx, chromedp.KeyEvent("50q"+kb.Enter), chromedp.WaitVisible("#why"))
	if kept := ask(t, ctx, chromedp.Evaluate[string](`document.querySelector('[name="loads"]').value`)); kept != "50q" {
		t.Errorf("the form kept %q", kept)
	}
}
