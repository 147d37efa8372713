package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/store"
)

// published writes the site of a folder.
func published(t *testing.T, dir, out string, runs int) int {
	t.Helper()
	x, err := history.OpenInMemory(dir)
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := Publish(t.Context(), x, Publication{Out: out, Title: "Nights", Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// behaved is a result of cases of two UPFs, with two findings.
func behaved(n int) *record.Result {
	r := sample(n, 1e6)
	r.Scenario = "behaviour"
	r.DUTs = nil
	for _, name := range []string{"eupf", "open5gs"} {
		r.DUTs = append(r.DUTs, record.DUT{Name: name, Status: record.StatusOK, Cases: []record.Case{
			{ID: "pdr.teid", Title: "TEIDs are told apart", Verdict: record.VerdictEnforced},
			{ID: "qer.mbr", Title: "<b>rates</b>", Verdict: record.VerdictNotEnforced, Expected: "less", Observed: "more"},
			{ID: "urr.volume", Title: "volumes", Verdict: record.VerdictNotApplicable}}})
	}
	r.DUTs[1].Cases[1].Verdict, r.DUTs[1].Cases[2].Verdict = record.VerdictEnforced, record.VerdictWrong
	return r
}

func add(t *testing.T, dir, name string, r *record.Result) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(path, 0o755), store.Save(path, r)); err != nil {
		t.Fatal(err)
	}
}

var addresses = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)

// TestPublish: all links of a site lead to its files, nothing is fetched from elsewhere, and nothing
// of the machine that published it is in it.
func TestPublish(t *testing.T) {
	dir, out := mixed(t), filepath.Join(t.TempDir(), "site")
	add(t, dir, "Odd name <script>alert(1)</script>", sample(30, 1e6))
	add(t, dir, "odd-name--script-alert-1---script-", sample(31, 1e6))
	add(t, dir, "cases", behaved(32))
	n := published(t, dir, out, 0)
	hostname, _ := os.Hostname()
	pages, links := 0, 0
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".html") {
			return err
		}
		pages++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, secret := range []string{dir, filepath.Dir(out), "<script>alert(1)", "<b>rates"} {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s has %q", path, secret)
			}
		}
		if len(hostname) > 3 && strings.Contains(string(text), hostname) {
			t.Errorf("%s names this machine, %s", path, hostname)
		}
		if !strings.Contains(string(text), "default-src 'none'") {
			t.Errorf("%s has no content security policy", path)
		}
		for _, m := range addresses.FindAllStringSubmatch(string(text), -1) {
			to, err := url.PathUnescape(strings.Split(m[1], "#")[0])
			if to == "" || strings.HasPrefix(to, "https://") && strings.Contains(m[0], "href") {
				continue // a place of the page, or a publication that a report cites
			}
			if _, statErr := os.Stat(filepath.Join(filepath.Dir(path), to)); err != nil || statErr != nil || filepath.IsAbs(to) {
				t.Errorf("%s leads to %q, which is no file of the site", path, m[1])
			}
			links++
		}
		return nil
	})
	if err != nil || pages != n || pages < 20 || links < 200 {
		t.Errorf("%d pages of %d, %d links: %v", pages, n, links, err)
	}
}

// TestPublishAgain: what is no more is removed, what others put there is left alone, and a folder of
// others is refused.
func TestPublishAgain(t *testing.T) {
	dir, root := folder(t), t.TempDir()
	out := filepath.Join(root, "site")
	published(t, dir, out, 3)
	reports := func() (list []string) {
		found, _ := filepath.Glob(filepath.Join(out, "runs", "*.html"))
		for _, f := range found {
			list = append(list, filepath.Base(f))
		}
		return list
	}
	if got := fmt.Sprint(reports()); got != "[run-night-09.html run-night-10.html run-night-11.html]" {
		t.Errorf("reports %s", got)
	}
	outside, own := filepath.Join(root, "outside.html"), filepath.Join(out, "own.html")
	list := filepath.Join(out, madeName)
	before, err := os.ReadFile(list)
	if err := errors.Join(err, os.WriteFile(outside, nil, 0o644), os.WriteFile(own, nil, 0o644),
		os.WriteFile(filepath.Join(out, "CNAME"), nil, 0o644),
		os.WriteFile(list, append(before, "../outside.html\nCNAME\n"...), 0o644), os.RemoveAll(filepath.Join(dir, "night-11"))); err != nil {
		t.Fatal(err)
	}
	x, err := history.OpenInMemory(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Publish(t.Context(), x, Publication{Out: out, Title: "Nights", Runs: 2}); err == nil {
		t.Error("a list that names a file outside of the site is taken")
	}
	if err := os.WriteFile(list, before, 0o644); err != nil {
		t.Fatal(err)
	}
	published(t, dir, out, 2)
	if got := fmt.Sprint(reports()); got != "[run-night-09.html run-night-10.html]" {
		t.Errorf("reports %s", got)
	}
	for _, path := range []string{outside, own, filepath.Join(out, "CNAME")} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("a file of somebody else was removed: %v", err)
		}
	}
	if _, _, err := Publish(t.Context(), x, Publication{Out: root}); err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("a folder with other files: %v", err)
	}
}

// late is a context that ends when a file is there.
type late struct {
	context.Context
	file string
}

func (c late) Err() error {
	if _, err := os.Stat(c.file); err == nil {
		return context.Canceled
	}
	return c.Context.Err()
}

// TestPublishInterrupted: after a publication that was interrupted, the next one replaces what it wrote,
// and the one after that removes what is no more.
func TestPublishInterrupted(t *testing.T) {
	dir, out := folder(t), filepath.Join(t.TempDir(), "site")
	x, err := history.OpenInMemory(dir)
	if err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(out, "runs", "run-night-09.html")
	_, _, err = Publish(late{t.Context(), first}, x, Publication{Out: out, Title: "Nights", Runs: 3})
	if _, statErr := os.Stat(first); !errors.Is(err, context.Canceled) || statErr != nil {
		t.Fatalf("not interrupted after its first page: %v, %v", err, statErr)
	}
	n := published(t, dir, out, 1)
	list, err := os.ReadFile(filepath.Join(out, madeName))
	if err != nil || len(strings.Fields(string(list))) != n {
		t.Errorf("%d pages, and the list has %q: %v", n, list, err)
	}
	if _, err := os.Stat(first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a page of the interrupted publication is still there: %v", err)
	}
}

// TestPublishWithoutDeadLinks: no page leads to the report of a result that can no longer be read.
func TestPublishWithoutDeadLinks(t *testing.T) {
	dir, out := folder(t), filepath.Join(t.TempDir(), "site")
	x, err := history.OpenInMemory(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "night-05", store.FileName) // it changes behind the index
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path, bytes.Repeat([]byte{'x'}, int(info.Size())), 0o644),
		os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	_, absent, err := Publish(t.Context(), x, Publication{Out: out, Title: "Nights"})
	if err != nil || len(absent) != 1 {
		t.Fatalf("%q: %v", absent, err)
	}
	for _, name := range []string{"index.html", "runs.html", "history.html", "versions.html"} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || strings.Contains(string(text), "run-night-05.html") || name == "runs.html" && !strings.Contains(string(text), "run-night-06.html") {
			t.Errorf("%s leads to a report that is not there, or to none: %v", name, err)
		}
	}
}

// TestPublishedList: the list of a site has the runs that were asked for, however many, and promises
// no address that only a server has.
func TestPublishedList(t *testing.T) {
	dir, out := folder(t), filepath.Join(t.TempDir(), "site")
	listed := func(runs int) (string, int) {
		published(t, dir, out, runs)
		text, err := os.ReadFile(filepath.Join(out, "runs.html"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text), strings.Count(string(text), `href="runs/run-night-`)
	}
	all, ofAll := listed(0)
	three, ofThree := listed(3)
	if ofAll < 12 || !strings.Contains(three, "The newest 3 of 12.") || strings.Contains(all+three, "runs=all") || ofThree >= ofAll {
		t.Errorf("%d and %d links to reports; 3 of 12: %v", ofAll, ofThree, strings.Contains(three, "The newest 3 of 12."))
	}
}

// TestNewestCasesAlone: a result is read for the matrix only where a UPF has no newer cases.
func TestNewestCasesAlone(t *testing.T) {
	dir := t.TempDir()
	add(t, dir, "a", behaved(1))
	add(t, dir, "b", behaved(2))
	x, err := history.OpenInMemory(dir)
	if err != nil {
		t.Fatal(err)
	}
	h, err := trends.Read(t.Context(), x, history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "a", store.FileName)); err != nil {
		t.Fatal(err)
	}
	if r, err := newestCases(h, dir); err != nil || len(r.DUTs) == 0 {
		t.Errorf("cases of %d UPFs; a result that no cell needs was read: %v", len(r.DUTs), err)
	}
	if err := os.Remove(filepath.Join(dir, "b", store.FileName)); err != nil {
		t.Fatal(err)
	}
	if _, err := newestCases(h, dir); err == nil {
		t.Error("a result that is gone is not named")
	}
}

// TestMatrix: totals and findings come first, a case with a finding before those without, and the
// address chooses.
func TestMatrix(t *testing.T) {
	dir := t.TempDir()
	add(t, dir, "old", sample(1, 1e6))
	add(t, dir, "cases", behaved(2))
	s := serve(t, dir, Options{Loopback: true})
	_, body := get(t, s.Client(), s.URL+"/matrix")
	order := []string{"<h2>Totals</h2>", "<h2>Findings</h2>", "<h2>Enforcement matrix</h2>", ">qer.mbr</th>",
		">urr.volume</th>", ">pdr.teid</th>"}
	at := 0
	for _, want := range order {
		i := strings.Index(body[at:], want)
		if i < 0 {
			t.Fatalf("%s is not there, or not in its place", want)
		}
		at += i
	}
	for query, want := range map[string]struct{ has, hasNot string }{
		"?dut=eupf":         {">qer.mbr</th>", "class=\"l\">open5gs</th>"},
		"?verdict=findings": {">urr.volume</th>", ">pdr.teid</th>"},
		"?verdict=wrong":    {">urr.volume</th>", ">qer.mbr</th>"},
		"?text=TEID":        {">pdr.teid</th>", ">urr.volume</th>"},
		"?text=nothing":     {"No case is like that", ">pdr.teid</th>"},
	} {
		if _, body := get(t, s.Client(), s.URL+"/matrix"+query); !strings.Contains(body, want.has) || strings.Contains(body, want.hasNot) {
			t.Errorf("%s: has %q: %v, has %q: %v", query, want.has, strings.Contains(body, want.has), want.hasNot,
				strings.Contains(body, want.hasNot))
		}
	}
}

// TestSiteInABrowser: a site opens from the disk, its list filters itself and keeps that in the
// address, and no page is wider than a phone.
func TestSiteInABrowser(t *testing.T) {
	ctx, dir, out := browser(t, 375), mixed(t), filepath.Join(t.TempDir(), "site")
	add(t, dir, "cases", behaved(32))
	published(t, dir, out, 0)
	at := "file://" + out + "/"
	for _, page := range []string{"index.html", "runs.html", "history.html", "versions.html", "matrix.html", "runs/run-night-11.html"} {
		do(t, ctx, chromedp.Navigate(at+page))
		narrow(t, ctx, page)
	}
	shown := `[...document.querySelectorAll("table.filtered tbody")].filter(b => !b.hidden).length`
	do(t, ctx, chromedp.Navigate(at+"runs.html#verdict=threshold+failed"), chromedp.WaitVisible("#filter"))
	if n := ask(t, ctx, chromedp.Evaluate[int](shown)); n != 1 {
		t.Errorf("%d runs failed a threshold, wanted 1", n)
	}
	do(t, ctx, chromedp.Navigate(at+"runs.html#runs"), chromedp.WaitVisible("#filter"))
	if place := ask(t, ctx, chromedp.Evaluate[string](`location.hash`)); place != "#runs" {
		t.Errorf("the filter made %q of a place of the page", place)
	}
	do(t, ctx, chromedp.Navigate(at+"runs.html"), chromedp.WaitVisible("#filter"))
	typed := `const f = document.querySelector('#filter [name="text"]'), v = document.querySelector('#filter [name="verdict"]');
		v.value = ""; f.value = "night-07"; f.dispatchEvent(new Event("input", { bubbles: true })); `
	if n := ask(t, ctx, chromedp.Evaluate[int](`(() => { `+typed+` return `+shown+`; })()`)); n != 1 {
		t.Errorf("%d runs are night-07", n)
	}
	if address := ask(t, ctx, chromedp.Evaluate[string](`location.hash`)); address != "#text=night-07" {
		t.Errorf("the address says %q", address)
	}
	ask(t, ctx, chromedp.Evaluate[bool](`document.querySelector('table.filtered tbody:not([hidden]) a').click(), true`))
	do(t, ctx, chromedp.WaitVisible("div.answers"))
	if to := ask(t, ctx, chromedp.Evaluate[string](`location.pathname`)); !strings.HasSuffix(to, "/runs/run-night-07.html") {
		t.Errorf("the link to a run leads to %s", to)
	}
}
