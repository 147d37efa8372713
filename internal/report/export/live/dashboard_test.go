package live

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/export"
)

// dashboard is what the test reads of Grafana's JSON.
type dashboard struct {
	Templating struct {
		List []struct{ Name, Type, Definition string }
	}
	Panels []struct {
		ID          int
		Type, Title string
		Description string
		GridPos     struct{ X, Y, W, H int }
		Targets     []struct{ Expr, LegendFormat string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile("../../../../grafana/upflab.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Panels) < 10 {
		t.Fatalf("%d panels only", len(d.Panels))
	}
	return d
}

// everything is a result with figures of trials, searches, flows, cases and thresholds.
func everything() *record.Result {
	trial := record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: 5e5}, Repeat: 1,
		Traffic:   record.Traffic{TxPPS: 5e5, RxPPS: 4e5, Latency: &record.Latency{P50: 1, P99: 2, Count: 3}},
		Cost:      record.Cost{CPU: record.CPU{DUTCores: 1}},
		Judgement: record.Judgement{Valid: true}}
	return &record.Result{Scenario: "quick", Complete: true, Started: time.Unix(1, 0), Finished: time.Unix(2, 0),
		Thresholds: []record.Threshold{{Expression: "rx_pps >= 1M", DUT: "eupf:native", Outcome: record.OutcomePass}},
		DUTs: []record.DUT{{Name: "eupf", Mode: "native", Status: record.StatusOK, Trials: []record.Trial{trial},
			Searches: []record.Search{{Direction: record.Uplink, NDRPPS: 1, PDRPPS: 2, Judgement: record.Judgement{Valid: true}}},
			Flows:    []record.AppFlow{{Kind: record.FlowTCP, Direction: record.Uplink, GoodputBPS: 1, Valid: true}},
			Cases:    []record.Case{{ID: "pdr.teid"}}}}}
}

// exposed are the labels of each metric that Prometheus gets of a run: from --metrics while a trial runs, and from
// the file of --output prometheus.
func exposed(t *testing.T) map[string][]string {
	t.Helper()
	s := serve(t, 2)
	defer s.Close()
	r := everything()
	s.Save(r)
	s.Begin(1, "eupf:native", r.DUTs[0].Trials[0])
	s.Live(time.Second, 2, 1)
	var file bytes.Buffer
	if err := export.Prometheus(&file, r); err != nil {
		t.Fatal(err)
	}
	labels := map[string][]string{}
	for _, text := range []string{scrape(t, s), file.String()} {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range families {
			labels[name] = []string{"instance", "job"} // of the scrape
			for _, l := range f.GetMetric()[0].GetLabel() {
				labels[name] = append(labels[name], l.GetName())
			}
		}
	}
	return labels
}

var (
	metric  = regexp.MustCompile(`\b(upflab_\w+)\b(?:\{([^}]*)\})?`)
	matcher = regexp.MustCompile(`(\w+)(?:=~|=|!=|!~)"`)
	grouped = regexp.MustCompile(`\bby \(([^)]*)\)`)
	legend  = regexp.MustCompile(`\{\{(\w+)\}\}`)
)

// TestDashboardAsksForWhatThereIs: each metric and label in a query of the Grafana dashboard is one that upflab exposes, and a
// legend names labels that the query leaves.
func TestDashboardAsksForWhatThereIs(t *testing.T) {
	labels, d := exposed(t), readDashboard(t)
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			left := checkQuery(t, labels, p.Title, q.Expr)
			for _, l := range legend.FindAllStringSubmatch(q.LegendFormat, -1) {
				if !slices.Contains(left, l[1]) {
					t.Errorf("%s: the legend has %s, and the query leaves %v", p.Title, l[1], left)
				}
			}
		}
	}
	for _, v := range d.Templating.List {
		if v.Type == "query" {
			checkQuery(t, labels, "variable "+v.Name, v.Definition)
		}
	}
}

// checkQuery gives the labels that a query leaves.
func checkQuery(t *testing.T, labels map[string][]string, where, expr string) (left []string) {
	t.Helper()
	used := metric.FindAllStringSubmatch(expr, -1)
	if len(used) == 0 && !strings.Contains(expr, `__name__=~"upflab_.+"`) {
		t.Errorf("%s: no metric is in %s", where, expr)
	}
	for _, m := range used {
		all, there := labels[m[1]]
		if !there {
			t.Errorf("%s: upflab exposes no %s", where, m[1])
		}
		wanted := matcher.FindAllStringSubmatch(m[2], -1)
		left = all
		if by := grouped.FindStringSubmatch(expr); by != nil {
			left = strings.Split(by[1], ", ")
		}
		for _, l := range wanted {
			if !slices.Contains(all, l[1]) {
				t.Errorf("%s: %s has no label %s", where, m[1], l[1])
			}
		}
		for _, l := range left {
			if !slices.Contains(all, l) {
				t.Errorf("%s: %s has no label %s to group by", where, m[1], l)
			}
		}
	}
	return left
}

// TestDashboardIsLaidOut: panels have numbers, titles and descriptions, lie within 24 columns, and none covers another one.
func TestDashboardIsLaidOut(t *testing.T) {
	taken, seen := map[[2]int]string{}, map[int]bool{}
	for _, p := range readDashboard(t).Panels {
		if seen[p.ID] || p.Title == "" || p.Type != "row" && p.Description == "" {
			t.Errorf("panel %d %q: the number is taken, or a title or description is missing", p.ID, p.Title)
		}
		seen[p.ID] = true
		if p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%s is wider than the page", p.Title)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if taken[at] != "" {
					t.Errorf("%s lies on %s", p.Title, taken[at])
				}
				taken[at] = p.Title
			}
		}
	}
}
