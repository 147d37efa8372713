package render_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/browsertest"
	"github.com/upflab/upflab/internal/report/render/html"
)

// show opens the report of a result in Chromium.
func show(t *testing.T, width int64, r *record.Result) context.Context {
	t.Helper()
	ctx := browsertest.Open(t, int(width))
	open(t, ctx, width, r)
	return ctx
}

// open shows the report of a result in a window of a width.
func open(t *testing.T, ctx context.Context, width int64, r *record.Result) {
	t.Helper()
	openPage(t, ctx, width, render(t, html.Write, r))
}

// openPage shows a page in a window of a width.
func openPage(t *testing.T, ctx context.Context, width int64, page []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Fatal(err)
	}
	browsertest.Do(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+path), chromedp.WaitReady("footer"))
}

// TestPointerReadsTheLayoutOnce: a pointer that moves over a chart asks the browser for its layout when it
// enters, and for the size of the tip when that says something new; not at each move.
func TestPointerReadsTheLayoutOnce(t *testing.T) {
	ctx := show(t, 1280, swept(t))
	for _, chart := range []string{".plot:has(.mark)", ".plot:has(+ script)"} {
		reads := browsertest.Script[int](t, ctx, `(() => {
			document.querySelectorAll("details").forEach(d => { d.open = true; });
			const plot = document.querySelector(".view:not([hidden]) `+chart+`");
			plot.scrollIntoView({ block: "center" });
			const b = plot.getBoundingClientRect(), tip = document.getElementById("tip"), read = Element.prototype.getBoundingClientRect;
			const move = (type, i) => plot.dispatchEvent(new PointerEvent(type, { clientX: b.x + b.width / 2 + i / 100, clientY: b.y + b.height / 2, bubbles: true }));
			move("pointerenter", 0);
			move("pointermove", 0);
			let reads = 0;
			Element.prototype.getBoundingClientRect = function () { reads++; return read.call(this); };
			for (let i = 0; i < 50; i++) move("pointermove", i);
			Element.prototype.getBoundingClientRect = read;
			return reads;
		})()`)
		if reads > 2 {
			t.Errorf("%s: 50 moves of the pointer read the layout %d times", chart, reads)
		}
	}
}

// study is a stress study as people run it: two UPFs and wire, both directions, two arrival processes.
func study(t *testing.T) *record.Result {
	t.Helper()
	r := swept(t)
	var duts []record.DUT
	for _, name := range []string{"builtin", "eupf", "wire"} {
		d := r.DUTs[0]
		d.Name, d.Mode, d.Reference = name, "xdp", name == "wire"
		if d.Reference {
			d.Mode, d.Models, d.SafeLoads = "", nil, nil
		}
		once := d.Trials
		d.Trials = nil
		for _, direction := range []record.Direction{record.Uplink, record.Downlink} {
			for _, arrivals := range []*record.Arrivals{nil, {Process: "poisson", Seed: 1}} {
				for _, trial := range once {
					trial.Direction, trial.Arrivals = direction, arrivals
					d.Trials = append(d.Trials, trial)
				}
			}
		}
		duts = append(duts, d)
	}
	r.DUTs = duts
	return r
}

// TestNoPageIsWiderThanAPhone: wide tables and charts scroll or shrink within a window of 375 pixels.
func TestNoPageIsWiderThanAPhone(t *testing.T) {
	results := map[string]*record.Result{"study": study(t), "hostile": hostile(t), "flows": stored(t, "flows.json"), "sizes": sizes(t),
		"searched": searchedMore(t), "failed": failed(t)}
	ctx := browsertest.Open(t, 1280)
	for name, r := range results {
		open(t, ctx, 375, r)
		for _, state := range []string{"folded", "unfolded"} {
			if wide := browsertest.Script[int](t, ctx, `document.documentElement.scrollWidth`); wide > 375 {
				t.Errorf("%s, %s: %d pixels wide", name, state, wide)
			}
			browsertest.Script[int](t, ctx, `[...document.querySelectorAll("details")].map(d => d.open = true).length`)
		}
	}
}

// TestStudyIsShort: a stress study opens with what people ask, in less than 6000 pixels of a window of 1280.
func TestStudyIsShort(t *testing.T) {
	ctx := show(t, 1280, study(t))
	if high := browsertest.Script[int](t, ctx, `document.documentElement.scrollHeight`); high > 6000 {
		t.Errorf("the report is %d pixels high", high)
	}
}

// TestHeadingsAreInOrder: one h1, and no level is left out on the way down.
func TestHeadingsAreInOrder(t *testing.T) {
	results := variants(t)
	results["study"] = study(t)
	for name, r := range results {
		out, last := string(render(t, html.Write, r)), 0
		for _, h := range regexp.MustCompile(`<h([1-6])[ >]`).FindAllStringSubmatch(out, -1) {
			level := int(h[1][0] - '0')
			if level > last+1 || level == 1 && last > 0 {
				t.Errorf("%s: h%d after h%d", name, level, last)
			}
			last = level
		}
		if last == 0 {
			t.Errorf("%s has no heading", name)
		}
	}
}

// TestTablesAreNamed: each table has a caption, each head a scope, and what names a row is a head, too.
func TestTablesAreNamed(t *testing.T) {
	for name, r := range variants(t) {
		out := string(render(t, html.Write, r))
		tables := strings.Count(out, "<table>")
		if captions := len(regexp.MustCompile(`<caption[^>]*>[^<]`).FindAllString(out, -1)); captions != tables {
			t.Errorf("%s: %d tables, %d captions", name, tables, captions)
		}
		if bare := regexp.MustCompile(`<th(?: [^>]*)?>`).FindAllString(out, -1); slices.ContainsFunc(bare, func(th string) bool { return !strings.Contains(th, ` scope="`) }) {
			t.Errorf("%s: a head without a scope", name)
		}
		if name == "sample" && !strings.Contains(out, `<th scope="row`) {
			t.Error("no row has a head")
		}
	}
}

// TestContents: they lead to each section once, stay at the side of a wide window, are folded above a
// narrow one, and open what they lead to.
func TestContents(t *testing.T) {
	ctx := show(t, 1280, study(t))
	var state struct {
		Links, Missing, Twice int
		Open                  bool
		Left, Top             float64
	}
	look := func() {
		state = browsertest.Script[struct {
			Links, Missing, Twice int
			Open                  bool
			Left, Top             float64
		}](t, ctx, `(() => {
			const list = document.querySelector(".contents"), links = [...list.querySelectorAll("a")], ids = [...document.querySelectorAll("[id]")].map(e => e.id);
			return { Links: links.length, Missing: links.filter(l => !document.getElementById(l.hash.slice(1))).length, Twice: ids.length - new Set(ids).size,
				Open: list.querySelector("details").open, Left: document.querySelector("main").getBoundingClientRect().left - list.getBoundingClientRect().right,
				Top: list.getBoundingClientRect().top };
		})()`)
	}
	look()
	if state.Links < 10 || state.Missing+state.Twice > 0 || !state.Open || state.Left < -1 {
		t.Errorf("wide: %+v", state)
	}
	browsertest.Script[bool](t, ctx, `(scrollTo(0, 2500), true)`)
	if look(); state.Top < -1 || state.Top > 200 {
		t.Errorf("the contents scroll away: %+v", state)
	}
	opened := `(() => { const d = document.getElementById("more-charts") || document.querySelector("details.part"); return d.open; })()`
	if browsertest.Script[bool](t, ctx, opened) {
		t.Error("details are open")
	}
	browsertest.Script[bool](t, ctx, `(document.querySelector('.contents a[href="#verdicts"]').click(), true)`)
	browsertest.Do(t, ctx, chromedp.WaitVisible("details#verdicts[open] table"))
	open(t, ctx, 375, study(t))
	if look(); state.Open {
		t.Errorf("narrow: %+v", state)
	}
}

// TestContentsOfAnyTitle: a part whose name has letters beyond ASCII is found, and does not end the page's script.
func TestContentsOfAnyTitle(t *testing.T) {
	ctx := browsertest.Open(t, 1280)
	openPage(t, ctx, 1280, bytes.ReplaceAll(render(t, html.Write, study(t)), []byte("verdicts\""), []byte("verd\u00edcts\"")))
	browsertest.Script[bool](t, ctx, `(document.querySelector('.contents a[href$="cts"]').click(), true)`)
	browsertest.Do(t, ctx, chromedp.WaitVisible("details#verd\u00edcts[open] table"))
}

// TestKeyboardReadsCharts: a chart takes the focus, arrow keys go from point to point, each of which has the
// focus and says its values.
func TestKeyboardReadsCharts(t *testing.T) {
	ctx := show(t, 1280, study(t))
	browsertest.Do(t, ctx, chromedp.EmulateViewport(1280, 6000)) // nothing scrolls
	for _, key := range []string{kb.ArrowRight, kb.End, kb.Home} {
		browsertest.Script[bool](t, ctx, `(document.querySelector(".view:not([hidden]) .plot:has(.mark)").focus(), true)`)
		browsertest.Do(t, ctx, chromedp.KeyEvent(key))
		got := browsertest.Script[struct{ Label, Tip string }](t, ctx,
			`(() => ({ Label: document.activeElement.getAttribute("aria-label"), Tip: document.getElementById("tip").hidden ? "" : document.getElementById("tip").textContent }))()`)
		if !strings.Contains(got.Label, "\n") || !strings.Contains(got.Tip, strings.SplitN(got.Label, "\n", 2)[0]) {
			t.Errorf("%q: the focus is on %q, the tip says %q", key, got.Label, got.Tip)
		}
	}
	browsertest.Do(t, ctx, chromedp.KeyEvent(kb.Escape))
	if !browsertest.Script[bool](t, ctx, `document.getElementById("tip").hidden`) {
		t.Error("Escape leaves the tip")
	}
}
