package studies

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/sections/view"
)

func TestPublishedComparable(t *testing.T) {
	theirs := published.Measurement{Driver: "eupf", Mode: "native", Kind: published.KindLoad, Direction: "uplink",
		OfferedPPS: 1e6, SentPPS: 963e3}
	conditions := published.Conditions{PayloadBytes: 1400, Sessions: 1}
	ours := record.Trial{
		Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 960e3},
		PacketSize: record.PacketSize{PayloadBytes: 1400}, Sessions: 1,
		Judgement: record.Judgement{Valid: true, LimitedBy: "none"},
	}
	for name, c := range map[string]struct {
		change func(m *published.Measurement, c *published.Conditions, t *record.Trial)
		why    string // "": comparable
	}{
		"the load that they reached": {func(*published.Measurement, *published.Conditions, *record.Trial) {}, ""},
		"the load that they asked":   {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.Load.PPS = 1.04e6 }, ""},
		"another load": {func(_ *published.Measurement, _ *published.Conditions,
			t *record.Trial) {
			t.Load.PPS = 500e3
		}, "--set loads=1000k"},
		"unpaced": {func(_ *published.Measurement, _ *published.Conditions,
			t *record.Trial) {
			t.Load.PPS = 0
		}, "--set loads=1000k"},
		"the other direction": {func(_ *published.Measurement, _ *published.Conditions,
			t *record.Trial) {
			t.Direction = "downlink"
		}, "no trial of this run"},
		"ours is not valid": {func(_ *published.Measurement, _ *published.Conditions,
			t *record.Trial) {
			t.Valid = false
		}, "not valid"},
		"another payload": {func(_ *published.Measurement, _ *published.Conditions,
			t *record.Trial) {
			t.PayloadBytes = 64
		}, "payload is 1400 bytes, this run's 64"},
		"a mixture": {func(_ *published.Measurement, _ *published.Conditions, t *record.Trial) { t.Mixed = true }, "mixture"},
		"more sessions": {func(_ *published.Measurement, _ *published.Conditions,
			t *record.Trial) {
			t.Sessions = 100
		}, "1 session, this run 100"},
		"their payload is not reported": {func(_ *published.Measurement, c *published.Conditions,
			_ *record.Trial) {
			c.PayloadBytes = 0
		}, "payload or its number"},
		"goodput": {func(m *published.Measurement, _ *published.Conditions, _ *record.Trial) {
			m.Kind = published.KindGoodput
		}, "goodput"},
		"their mode is not reported": {func(m *published.Measurement, _ *published.Conditions,
			_ *record.Trial) {
			m.Mode = ""
		}, "mode is not reported"},
		"their load is several rates": {func(m *published.Measurement, _ *published.Conditions,
			_ *record.Trial) {
			m.OfferedPPS = 0
		}, "not reported as one rate"},
		"latency at another load": {func(m *published.Measurement, _ *published.Conditions, _ *record.Trial) {
			m.Kind, m.OfferedPPS, m.SentPPS = published.KindLatency, 1, 1
		}, "--full"},
	} {
		t.Run(name, func(t *testing.T) {
			m, cond, trial := theirs, conditions, ours
			c.change(&m, &cond, &trial)
			d := view.New(&record.Result{DUTs: []record.DUT{{Name: "eupf", Mode: "native", Trials: []record.Trial{trial}}}}).UPFs[0]
			r, why := comparable(d, &published.Study{Conditions: cond}, &m)
			if (r != nil) != (c.why == "") || !strings.Contains(why, c.why) {
				t.Errorf("comparable %v, %q; want %q", r != nil, why, c.why)
			}
		})
	}
}
