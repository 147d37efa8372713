package pages

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/upflab/upflab/internal/report/browsertest"
	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/results/store"
)

// browser starts Chromium, of a phone's width where that is asked.
func browser(t *testing.T, width int) context.Context { return browsertest.Open(t, width) }

// ask gives what an action does.
func ask[T any](t *testing.T, ctx context.Context, a chromedp.Action[T]) T {
	t.Helper()
	return browsertest.Ask(t, ctx, a)
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	browsertest.Do(t, ctx, actions...)
}

// TestInABrowser walks through the pages as a user does: charts are drawn, links lead to
// reports, nothing is wider than a phone, and the security policy stops none of it.
func TestInABrowser(t *testing.T) {
	ctx, dir := browser(t, 375), folder(t)
	long := sample(12, 2e6) // names may be long
	long.DUTs[1].Name, long.DUTs[1].Mode = "calibrator", "rate=60kpps,delay=250us,loss=0.01,queue=1000"
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "night-12"), 0o755), store.Save(filepath.Join(dir, "night-12"), long)); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, Options{Loopback: true})
	do(t, ctx, chromedp.Navigate(s.URL+"/history"), chromedp.WaitVisible("figure .view:not([hidden]) svg.plot"))
	if drawn := ask(t, ctx, chromedp.Evaluate[int](`document.querySelectorAll("figure svg path").length`)); drawn == 0 {
		t.Error("no chart is drawn")
	}
	if own := ask(t, ctx, chromedp.Evaluate[bool](`[...document.querySelectorAll(".mark a")].every(a => getComputedStyle(a).color === getComputedStyle(a.parentNode).color)`)); !own {
		t.Error("points have the color of links")
	}
	hover(t, ctx, s.URL+"/history", "figure", "folder")
	for _, path := range []string{"/", "/history", "/history?by=version&pin=rx_pps", "/leaderboard", "/compare",
		"/compare?a=night-00&b=night-11", "/matrix",
		"/runs/night-11"} {
		do(t, ctx, chromedp.Navigate(s.URL+path))
		narrow(t, ctx, path)
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/"))
	ask(t, ctx, chromedp.Evaluate[bool](`document.querySelector('a[href="/runs/night-11"]').click(), true`))
	do(t, ctx, chromedp.WaitVisible("div.answers"))
	if title := ask(t, ctx, chromedp.Title()); !strings.Contains(title, "nightly") {
		t.Errorf("the link to a run leads to %q", title)
	}
	hover(t, ctx, s.URL+"/runs/night-11", "#summary", "median")
}

// narrow fails where a page is wider than the screen.
func narrow(t *testing.T, ctx context.Context, page string) {
	t.Helper()
	if wide := ask(t, ctx, chromedp.Evaluate[int](`document.documentElement.scrollWidth - document.documentElement.clientWidth`)); wide > 0 {
		t.Errorf("%s is %d pixels wider than the screen", page, wide)
	}
}

// hover goes to a chart by the keyboard and by a pointer: both show what is there.
func hover(t *testing.T, ctx context.Context, page, figure, want string) {
	t.Helper()
	do(t, ctx, chromedp.Navigate(page), chromedp.WaitVisible(figure+" .view:not([hidden]) svg.plot"))
	plot := `document.querySelector('` + figure + ` .view:not([hidden]) svg.plot')`
	said := func(action string) string {
		return ask(t, ctx, chromedp.Evaluate[string](`(() => { const plot = `+plot+`, tip = document.getElementById("tip"), point = plot.querySelector("[aria-label]");
			point.scrollIntoView({ block: "center" }); tip.hidden = true; `+action+`; return tip.hidden ? "" : tip.textContent; })()`))
	}
	if text := said(`plot.focus(); plot.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }))`); !strings.Contains(text, want) {
		t.Errorf("%s: the arrow key shows %q, want %q", figure, text, want)
	}
	if text := said(`const b = point.getBoundingClientRect();
		point.dispatchEvent(new PointerEvent("pointermove", { clientX: b.x + b.width / 2, clientY: b.y + b.height / 2, bubbles: true }))`); !strings.Contains(text, want) {
		t.Errorf("%s: the pointer shows %q, want %q", figure, text, want)
	}
}

// TestLiveInABrowser: curves, the trial under way and verdicts come while the run writes.
func TestLiveInABrowser(t *testing.T) {
	ctx, dir := browser(t, 1200), folder(t)
	s := serve(t, dir, Options{Loopback: true})
	file, err := os.Create(filepath.Join(dir, "night-05", live.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	say := func(lines ...string) {
		if _, err := file.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"t":0,"kind":"plan","scenario":"nightly","trials":2}`, `{"t":1,"kind":"begin","n":1,"target":"eupf:native","trial":"uplink 150k"}`)
	do(t, ctx, chromedp.Navigate(s.URL+"/live/night-05"))
	say(`{"t":2,"kind":"point","tx_pps":150000,"rx_pps":149000,"loss":0.0067,"p50_ns":2000,"p99_ns":9000,"dut_cores":0.4}`,
		`{"t":3,"kind":"point","tx_pps":150000,"rx_pps":150000,"p50_ns":2000,"p99_ns":8000,"dut_cores":0.4}`)
	do(t, ctx, chromedp.WaitVisible("#curves svg"))
	if now := ask(t, ctx, chromedp.Text("#what")); !strings.Contains(now, "eupf:native, uplink 150k") {
		t.Errorf("under way is %q", now)
	}
	if axes := ask(t, ctx, chromedp.Text("#curve-0")); !strings.Contains(axes, "time in the run (s)") ||
		!strings.Contains(axes, "rate (kpps)") ||
		!strings.Contains(axes, "uplink 150k, eupf:native") || !strings.Contains(axes, "eupf:native, received") {
		t.Errorf("the chart of rates has %q", axes)
	}
	say(`{"t":4,"kind":"end","n":1,"target":"eupf:native","trial":"uplink 150k","tx_pps":150000,"rx_pps":149500,"p50_ns":2000,"p99_ns":8000,"limited_by":"dut","valid":true}`,
		`{"t":5,"kind":"done"}`)
	do(t, ctx, chromedp.WaitVisible("#trials tr"))
	if verdict := ask(t, ctx, chromedp.Text("#trials tr")); !strings.Contains(verdict, "dut") {
		t.Errorf("verdict %q", verdict)
	}
}
