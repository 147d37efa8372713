package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestHTMLGolden(t *testing.T) {
	for name, r := range variants(t) {
		t.Run(name, func(t *testing.T) {
			out := render(t, HTML, r)
			keep(t, name+".html", out)
			golden(t, name+".html", withoutAssets(t, out))
		})
	}
}

// withoutAssets leaves the style sheet and the script out, which are no part
// of what a result becomes.
func withoutAssets(t *testing.T, out []byte) []byte {
	css, err := style()
	if err != nil {
		t.Fatal(err)
	}
	js, err := script()
	if err != nil {
		t.Fatal(err)
	}
	out = bytes.Replace(out, []byte(css), []byte("(style.css)"), 1)
	return bytes.Replace(out, []byte(js), []byte("(script)"), 1)
}

// keep writes a whole page for a browser when -pages names a folder.
func keep(t *testing.T, name string, out []byte) {
	if *pages == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*pages, name), out, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestHTMLFetchesNothing(t *testing.T) {
	out := render(t, HTML, sample(t))
	for _, pattern := range []string{`<link\b`, `<img\b`, `<iframe\b`, `<script[^>]*\bsrc=`, `@import`, `url\(`, `\bfetch\(`, `XMLHttpRequest`, `\bimport\(`} {
		if found := regexp.MustCompile(pattern).Find(out); found != nil {
			t.Errorf("the page holds %q", found)
		}
	}
}

// hostile puts markup wherever a result holds foreign text.
func hostile(t *testing.T) *record.Result {
	const evil = `</script><script>alert("x")</script><img src=x onerror=alert(1)>`
	r := searched(t)
	r.Title, r.Scenario, r.Run, r.Settings, r.Notes = evil, evil, evil, evil, []string{evil}
	r.Study = &record.Study{Authors: evil, Title: evil, URL: "javascript:alert(1)"}
	r.Command = []string{evil}
	r.Host.CPU, r.Host.Cmdline, r.Host.Mitigations = evil, evil, map[string]string{evil: evil}
	d := &r.DUTs[1]
	d.Name, d.Version, d.Error, d.LogTail, d.Files, d.Remarks = evil, evil, evil, evil, []string{evil}, []string{evil}
	d.Trials[0].Reasons, d.Trials[0].LimitedBy = []string{evil}, evil
	d.Trials[0].Load, d.Trials[0].Direction = record.Load{Of: evil}, evil
	d.Trials[0].Drops = []record.Count{{Place: evil, Packets: 3}}
	d.Trials[0].CPU.DUTParts = []record.Share{{Name: evil, Cores: 1}}
	s := &d.Searches[0]
	s.Method, s.Preset, s.Direction, s.LimitedBy, s.Standard = evil, evil, evil, evil, evil
	s.Missing, s.Reasons = []string{evil}, []string{evil}
	s.Goals[0].Name, s.Goals[0].LimitedBy, s.Goals[0].Reasons = evil, evil, []string{evil}
	s.Trials[0].Phase, s.Trials[0].LimitedBy = evil, evil
	return r
}

func TestHTMLEscapes(t *testing.T) {
	out := string(render(t, HTML, hostile(t)))
	for _, bad := range []string{"<script>alert", "<img", "javascript:alert"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q got through", bad)
		}
	}
	if n := strings.Count(out, "</script>"); n != 2 {
		t.Errorf("%d scripts end, want 2", n)
	}
}

func TestMarkdownEscapes(t *testing.T) {
	out := string(render(t, Markdown, hostile(t)))
	literal := regexp.MustCompile("(?s)\n```+\n.*?\n```+\n|`[^`\n]+`")
	for _, bad := range []string{"<script", "<img", "javascript:"} {
		if strings.Contains(literal.ReplaceAllString(out, ""), bad) {
			t.Errorf("%q got through", bad)
		}
	}
}

func TestChartDataIsJSON(t *testing.T) {
	out := render(t, HTML, hostile(t))
	_, after, _ := bytes.Cut(out, []byte(`id="data">`))
	raw, _, _ := bytes.Cut(after, []byte("</script>"))
	var c chartData
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatalf("embedded data: %v", err)
	}
	if len(c.DUTs) != 3 || len(c.Latency) == 0 || len(c.Rates) == 0 || len(c.CPU) == 0 {
		t.Errorf("data is not whole: %d DUTs, %d curves, %d rates, %d CPU", len(c.DUTs), len(c.Latency), len(c.Rates), len(c.CPU))
	}
}

// TestNothingSaysNaN feeds what a broken measurement could hold.
func TestNothingSaysNaN(t *testing.T) {
	r := searched(t)
	for i := range r.DUTs[0].Searches {
		s := &r.DUTs[0].Searches[i]
		s.DurationS, s.MinPPS, s.MaxPPS, s.Trials[0].PPS = math.NaN(), math.NaN(), math.Inf(1), math.NaN()
		s.Goals[0].LowerPPS, s.Goals[0].UpperPPS, s.Goals[0].ConditionalPPS = math.NaN(), math.Inf(1), math.NaN()
		s.Goals[1].LossRatio = math.NaN()
	}
	for i := range r.DUTs[0].Trials {
		trial := &r.DUTs[0].Trials[i]
		trial.RxPPS, trial.TxPPS, trial.RxL2bps = math.NaN(), math.Inf(1), math.NaN()
		trial.FrameLossRatio, trial.Latency = math.NaN(), nil
		trial.Load.PPS, trial.Series = math.NaN(), []record.Point{{T: math.NaN(), TxPPS: math.Inf(1)}, {RxPPS: math.NaN()}}
		trial.CPU = record.CPU{DUTCores: math.NaN(), GeneratorCores: math.Inf(-1), DUTParts: []record.Share{{Cores: math.NaN()}}}
	}
	for name, export := range map[string]Exporter{"text": Text, "Markdown": Markdown, "HTML": HTML} {
		out := string(render(t, export, r))
		if found := regexp.MustCompile(`\b(NaN|[+-]?Inf)\b`).FindString(out); found != "" {
			t.Errorf("%s says %s", name, found)
		}
	}
}

func TestCurveEndsBelowOne(t *testing.T) {
	trial := &record.Trial{Valid: true, Latency: &record.Latency{Min: 5, Count: 4, Buckets: []record.Bucket{{UpTo: 6, Count: 3}, {UpTo: 9, Count: 1}}}}
	got := curve(group{Used: []*record.Trial{trial, trial}})
	want := [][2]float64{{5, 0}, {6, 0.75}, {9, 0.9375}}
	if len(got) != len(want) {
		t.Fatalf("curve %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("point %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestThinKeepsTheEnds(t *testing.T) {
	points := make([][2]float64, 1000)
	for i := range points {
		points[i] = [2]float64{float64(i + 1), float64(i) / 1000}
	}
	got := thin(points, pointsMax)
	if len(got) > pointsMax+1 || got[0] != points[0] || got[len(got)-1] != points[999] {
		t.Errorf("%d points from %v to %v", len(got), got[0], got[len(got)-1])
	}
}

func TestNoResult(t *testing.T) {
	for name, export := range map[string]Exporter{"text": Text, "Markdown": Markdown, "HTML": HTML} {
		if err := export(&bytes.Buffer{}, nil); err == nil {
			t.Errorf("%s wrote a report of nothing", name)
		}
	}
}
