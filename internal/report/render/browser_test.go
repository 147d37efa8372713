package render_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/text/browsertest"
)

// show opens the report of a result in Chromium.
func show(t *testing.T, width int, r *record.Result) context.Context {
	t.Helper()
	ctx := browsertest.Open(t, width)
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, render(t, html.Write, r), 0o644); err != nil {
		t.Fatal(err)
	}
	browsertest.Do(t, ctx, chromedp.Navigate("file://"+path), chromedp.WaitReady("footer"))
	return ctx
}

// TestPointerReadsTheLayoutOnce: a pointer that moves over a chart asks the browser for its layout when it
// enters, and for the size of the tip when that says something new; not at each move.
func TestPointerReadsTheLayoutOnce(t *testing.T) {
	ctx := show(t, 1280, swept(t))
	for _, chart := range []string{".plot:has(.mark)", ".plot:has(+ script)"} {
		reads := browsertest.Script[int](t, ctx, `(() => {
			const plot = [...document.querySelectorAll(".view:not([hidden]) `+chart+`")].find(p => !p.closest("details:not([open])"));
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
