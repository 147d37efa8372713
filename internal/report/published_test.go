package report

import (
	"io"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/published"
	"github.com/upflab/upflab/internal/record"
)

// studied is the sample as if its first UPF were Open5GS, at the studies' load.
func studied(t testing.TB) *record.Result {
	r := sample(t)
	r.DUTs[0].Name, r.DUTs[0].Mode, r.DUTs[0].Version = "open5gs", "tun", "v2.8.0"
	return r
}

func studies(t testing.TB) []published.Study {
	t.Helper()
	all, err := published.Studies()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPublishedGolden(t *testing.T) {
	b := Beside{Published: studies(t)}
	for suffix, export := range map[string]Exporter{"txt": b.Text, "md": b.Markdown, "html": b.HTML} {
		out := render(t, export, studied(t))
		if suffix == "html" {
			keep(t, "published.html", out)
			out = withoutAssets(t, out)
		}
		golden(t, "published."+suffix, out)
	}
}

// Without studies nothing of them is in a report.
func TestNothingPublished(t *testing.T) {
	for _, export := range []Exporter{Text, Markdown, HTML} {
		if got := string(render(t, export, studied(t))); strings.Contains(got, "Published figures") || strings.Contains(got, "Ishida") {
			t.Error("published figures in a report that was not asked for them")
		}
	}
}

func TestPublishedComparable(t *testing.T) {
	theirs := published.Measurement{Driver: "eupf", Mode: "native", Kind: published.KindLoad, Direction: "uplink", OfferedPPS: 1e6, SentPPS: 963e3}
	conditions := published.Conditions{PayloadBytes: 1400, Sessions: 1}
	ours := record.Trial{Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 960e3}, PayloadBytes: 1400, Sessions: 1, Valid: true, LimitedBy: "none"}
	for name, c := range map[string]struct {
		change func(m *published.Measurement, c *published.Conditions, t *record.Trial)
		why    string // "": comparable
	}{
		"the load that they reached": {func(*published.Measurement, *published.Conditions, *record.Trial) {}, ""},
		"the load that they asked":   {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.Load.PPS = 1.04e6 }, ""},
		"another load":               {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.Load.PPS = 500e3 }, "--set loads=1000k"},
		"unpaced":                    {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.Load.PPS = 0 }, "--set loads=1000k"},
		"the other direction":        {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.Direction = "downlink" }, "no trial of this run"},
		"ours is not valid":          {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.Valid = false }, "not valid"},
		"another payload":            {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.PayloadBytes = 64 }, "payload is 1400 bytes, this run's 64"},
		"a mixture":                  {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.Mixed = true }, "mixture"},
		"more sessions":              {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.Sessions = 100 }, "1 sessions, this run 100"},
		"their payload is not told":  {func(_ *published.Measurement, c *published.Conditions, _ *record.Trial) { c.PayloadBytes = 0 }, "payload is not told"},
		"goodput": {func(m *published.Measurement, _ *published.Conditions, _ *record.Trial) {
			m.Kind = published.KindGoodput
		}, "goodput"},
		"their mode is not told":      {func(m *published.Measurement, _ *published.Conditions, _ *record.Trial) { m.Mode = "" }, "mode is not told"},
		"their load is several rates": {func(m *published.Measurement, _ *published.Conditions, _ *record.Trial) { m.OfferedPPS = 0 }, "not told as one rate"},
		"latency at another load": {func(m *published.Measurement, _ *published.Conditions, _ *record.Trial) {
			m.Kind, m.OfferedPPS, m.SentPPS = published.KindLatency, 1, 1
		}, "--full"},
	} {
		t.Run(name, func(t *testing.T) {
			m, cond, trial := theirs, conditions, ours
			c.change(&m, &cond, &trial)
			d := viewDUT(&record.DUT{Name: "eupf", Mode: "native", Trials: []record.Trial{trial}}, 0)
			r, why := d.comparable(&published.Study{Conditions: cond}, &m)
			if (r != nil) != (c.why == "") || !strings.Contains(why, c.why) {
				t.Errorf("comparable %v, %q; want %q", r != nil, why, c.why)
			}
		})
	}
}

func TestBesideWithoutResult(t *testing.T) {
	b := Beside{Published: studies(t)}
	for _, export := range []Exporter{b.Text, b.Markdown, b.HTML} {
		if err := export(io.Discard, nil); err == nil {
			t.Error("no error without a result")
		}
	}
}
