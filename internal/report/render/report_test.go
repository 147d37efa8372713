package render_test

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/render/markdown"
	"github.com/upflab/upflab/internal/report/render/text"
	"github.com/upflab/upflab/internal/report/sections"
)

func TestHTMLFetchesNothing(t *testing.T) {
	out := render(t, html.Write, sample(t))
	for _, pattern := range []string{`<link\b`, `<img\b`, `<iframe\b`, `<script[^>]*\bsrc=`, `@import`, `url\(`,
		`\bfetch\(`, `XMLHttpRequest`, `\bimport\(`} {
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
	d.Trials[0].Load, d.Trials[0].Direction = record.Load{Kind: record.LoadGoal, Of: evil}, evil
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
	out := string(render(t, html.Write, hostile(t)))
	for _, bad := range []string{"<script>alert", "<img", "javascript:alert"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q got through", bad)
		}
	}
	if from, to := strings.Count(out, "<script"), strings.Count(out, "</script>"); from != to {
		t.Errorf("%d scripts begin, %d end", from, to)
	}
}

func TestMarkdownEscapes(t *testing.T) {
	out := string(render(t, markdown.Write, hostile(t)))
	literal := regexp.MustCompile("(?s)\n```+\n.*?\n```+\n|`[^`\n]+`")
	for _, bad := range []string{"<script", "<img", "javascript:"} {
		if strings.Contains(literal.ReplaceAllString(out, ""), bad) {
			t.Errorf("%q got through", bad)
		}
	}
}

// TestFiguresAreDrawn: a page has its figures whole, and what a pointer reads along their axes.
func TestFiguresAreDrawn(t *testing.T) {
	out := string(render(t, html.Write, hostile(t)))
	for _, found := range regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`).FindAllStringSubmatch(out, -1) {
		var data struct {
			Stops  [][2]any
			Series []struct{ At []*[2]any }
		}
		if err := json.Unmarshal([]byte(found[1]), &data); err != nil || len(data.Stops) < 2 || len(data.Series[0].At) != len(data.Stops) {
			t.Fatalf("%d stops, %v", len(data.Stops), err)
		}
	}
	for _, id := range []string{"summary", "received", "latency", "latency-load", "search", "cpu", "time"} {
		_, f, _ := strings.Cut(out, `<figure class="chart" id="`+id+`">`)
		f, _, _ = strings.Cut(f, "</figure>")
		if strings.Count(f, `<svg class="plot"`) == 0 || !strings.Contains(f, `aria-label="`) ||
			strings.Count(f, `class="view"`) != strings.Count(f, " hidden>")+1 {
			t.Errorf("figure %q is %.200s", id, f)
		}
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
	for name, write := range formats() {
		out := string(render(t, write, r))
		if found := regexp.MustCompile(`\b(NaN|[+-]?Inf)\b`).FindString(out); found != "" {
			t.Errorf("%s says %s", name, found)
		}
	}
}

// TestMarkdownTablesAreWhole counts the cells: a foreign "|" would shift them.
func TestMarkdownTablesAreWhole(t *testing.T) {
	r := sample(t)
	r.DUTs[1].Version = "v0|7\n| evil |"
	r.DUTs[1].Trials[0].Reasons = []string{"a | b", "<script>alert(1)</script>"}
	out := string(render(t, markdown.Write, r))
	if strings.Contains(out, "<script>") {
		t.Error("markup got through")
	}
	want := 0
	for _, line := range strings.Split(out, "\n") {
		cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			want = 0
		case want == 0:
			want = cells
		case cells != want:
			t.Errorf("%d cells of %d: %s", cells-1, want-1, line)
		}
	}
}

// TestInvalidRatesAreNowhere looks for the digits of a rate that is not valid.
func TestInvalidRatesAreNowhere(t *testing.T) {
	r := searched(t)
	out := string(render(t, text.Write, r))
	for _, line := range strings.Split(out, "\n") {
		if regexp.MustCompile(`1650\.20|1\.65 Mpps`).MatchString(line) && !strings.Contains(line, "not valid") &&
			!strings.Contains(line, "100% NDR?") {
			t.Errorf("%q", line)
		}
	}
}

// TestPageIsSmall renders four DUTs, three repeats of minutes each, and searches
// of a thousand trials.
func TestPageIsSmall(t *testing.T) {
	r := searchedTwice(t)
	r.DUTs = append(r.DUTs, r.DUTs[0])
	r.DUTs[3].Name = "other"
	for i := range r.DUTs {
		lengthen(&r.DUTs[i])
	}
	const most = 1_400_000
	n := len(render(t, html.Write, r))
	t.Logf("%d bytes", n)
	if n > most {
		t.Errorf("%d bytes, want at most %d", n, most)
	}
}

func lengthen(d *record.DUT) {
	once := d.Trials
	d.Trials = nil
	for repeat := range 3 {
		for _, trial := range once {
			trial.Repeat, trial.Series = repeat+1, nil
			for i := range 600 {
				trial.Series = append(trial.Series,
					record.Point{T: float64(i) / 10, TxPPS: 1234567.891 + float64(i), RxPPS: 1234567.123, P50: 12345,
						P99: 123456, DUTCores: 0.98765})
			}
			d.Trials = append(d.Trials, trial)
		}
	}
	for i := range d.Searches {
		s := &d.Searches[i]
		for len(s.Trials) < 1000 {
			s.Trials = append(s.Trials, s.Trials...)
		}
	}
}

func TestBurstsAndCurves(t *testing.T) {
	r := searchedMore(t)
	for name, write := range formats() {
		out := string(render(t, write, r))
		for _, want := range []string{"156.5", "300..302", "≤ 25.0 %", "carried whole", "disturbed"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		if name != "txt" && !strings.Contains(out, "No standard") {
			t.Errorf("%s says nothing of standards", name)
		}
	}
}

func TestNoResult(t *testing.T) {
	if _, err := sections.Report(nil, sections.Options{}); err == nil {
		t.Error("a report of nothing")
	}
}
