package pages

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/report/block"
)

func heard(lines ...string) *curves {
	var c curves
	for _, line := range lines {
		c.hear([]byte(line))
	}
	return &c
}

// TestCurves: each UPF has its lines, with a gap between two trials of it, and each trial its band.
func TestCurves(t *testing.T) {
	c := heard(`{"t":1,"kind":"begin","target":"eupf:native","trial":"uplink 150k"}`,
		`{"t":2,"kind":"point","tx_pps":150000,"rx_pps":149000,"loss":0.0067,"p50_ns":2000,"p99_ns":9000}`,
		`{"t":3,"kind":"point","tx_pps":150000,"rx_pps":150000}`, `{"t":3.5,"kind":"end","target":"eupf:native"}`,
		`{"t":5,"kind":"begin","target":"wire","trial":"uplink 150k"}`, `{"t":6,"kind":"point","tx_pps":150000,"rx_pps":150000}`,
		`{"t":8,"kind":"begin","target":"eupf:native","trial":"downlink <b>"}`, `{"t":9,"kind":"point","tx_pps":1500000,"rx_pps":150000}`)
	figures := c.figures()
	if len(figures) != 4 {
		t.Fatalf("%d charts", len(figures))
	}
	p := figures[0].(block.Figure).Views[0].Panels[0]
	if len(p.Areas) != 3 || p.Areas[0].Name != "uplink 150k, eupf:native" || p.Areas[0].To != 3.5 || p.Areas[1].To != 8 || p.Areas[2].To != 9 {
		t.Errorf("bands %+v", p.Areas)
	}
	if len(p.Series) != 4 || p.Series[0].Color != "c0" || p.Series[2].Color != "ref" || p.Series[1].Name != "eupf:native, received" {
		t.Fatalf("lines %+v", p.Series)
	}
	gaps := 0
	for _, q := range p.Series[1].Data {
		if math.IsNaN(q.Y) {
			gaps++
		}
	}
	if first := p.Series[1].Data[0]; gaps != 1 || first.X != 1 || first.Y != 149000 {
		t.Errorf("%d gaps, first point %+v", gaps, first)
	}
	text, err := c.draw()
	if err != nil {
		t.Fatal(err)
	}
	var page string
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"time in the run (s)", "rate (Mpps)", "frame loss (%)", "latency (µs)", "CPU (cores)",
		"uplink 150k, eupf:native", "wire, sent (reference)", "<figcaption><h3>"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the charts", want)
		}
	}
	if strings.Contains(page, "<b>") && strings.Contains(page, "downlink <b>") {
		t.Error("the name of a trial became markup")
	}
	if strings.ContainsAny(string(text), "\r\n") {
		t.Error("the event has more than one line")
	}
}

// TestMergedLatency: a second without a latency does not lower that of the others.
func TestMergedLatency(t *testing.T) {
	c := heard(`{"t":1,"kind":"begin","target":"eupf","trial":"uplink"}`,
		`{"t":2,"kind":"point"}`, `{"t":3,"kind":"point","p50_ns":2000,"p99_ns":9000}`, `{"t":4,"kind":"point"}`,
		`{"t":5,"kind":"point","p50_ns":4000,"p99_ns":8000}`)
	list := merged(merged(c.points[:3], 100), 100)
	if list = merged(append(list, c.points[3]), 100); len(list) != 1 || list[0].P50 != 3000 || list[0].P99 != 9000 || list[0].n != 4 {
		t.Errorf("%+v", list)
	}
}

// TestCurvesAreBounded: a run of a day, and a file that somebody made, take no more memory and no
// larger charts than others.
func TestCurvesAreBounded(t *testing.T) {
	var c curves
	c.hear([]byte(`{"t":1e300,"kind":"begin","target":"far"}`))
	c.hear([]byte(`{"t":-5,"kind":"point"}`))
	c.hear([]byte("no JSON"))
	for i := range 20000 {
		if i%4 == 0 {
			c.hear(fmt.Appendf(nil, `{"t":%d,"kind":"begin","target":"upf-%d","trial":"uplink"}`, i, i/4%40))
		}
		c.hear(fmt.Appendf(nil, `{"t":%d,"kind":"point","tx_pps":%d,"rx_pps":1e5}`, i, 100000+i%7))
	}
	if len(c.points) > pointsMost || len(c.trials) > trialsMost || len(c.upfs) > upfsMost {
		t.Errorf("%d points, %d trials, %d UPFs are kept", len(c.points), len(c.trials), len(c.upfs))
	}
	if c.points[len(c.points)-1].T != 19999 {
		t.Errorf("the newest point is of %g s", c.points[len(c.points)-1].T)
	}
	one := heard(`{"t":0,"kind":"begin","target":"eupf","trial":"soak"}`)
	for i := range 86400 {
		one.hear(fmt.Appendf(nil, `{"t":%d,"kind":"point","tx_pps":1e5,"rx_pps":1e5,"p99_ns":%d}`, i, 1000+i))
	}
	if n := len(merged(one.points, one.now/columns)); n > columns+1 {
		t.Errorf("a line of %d points is drawn", n)
	}
	if first := one.points[0].T; first > 60 {
		t.Errorf("the line of a day begins at %g s", first)
	}
	text, err := one.draw()
	if err != nil || len(text) > 200<<10 {
		t.Errorf("the charts of a day take %d octets: %v", len(text), err)
	}
	if one.due() {
		t.Error("charts are drawn again at once")
	}
}
