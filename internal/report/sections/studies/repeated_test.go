package studies

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// repeats is a run of flows that repeats the study with a key.
func repeats(t *testing.T, key string) *view.Run {
	t.Helper()
	all, err := published.Studies()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(s published.Study) bool { return s.Source.Key == key })
	flow := func(kind string, d record.Direction, link string, valid bool) record.AppFlow {
		return record.AppFlow{Kind: kind, Direction: d, UEs: 1, Streams: 1, Link: link, Repeat: 1, SentBPS: 2e9,
			GoodputBPS: 1.5e9, LossRatio: 0.25,
			RTT: &record.AppTime{Mean: 250_000, Count: 1}, Valid: valid, LimitedBy: record.LimitDUT,
			CPU: record.AppCPU{DUT: 0.5}, CPUSeries: []record.AppCPUPoint{{T: -0.5, DUT: 0.1}, {T: 0.5, DUT: 0.5}, {T: 1.5, DUT: 0.2}}}
	}
	up, down := record.Uplink, record.Downlink
	flows := []record.AppFlow{flow("tcp", down, "bridge", true), flow("tcp", up, "bridge", true),
		flow("udp", up, "", false), flow("udp", down, "", true), flow("ping", record.Both, "", true)}
	return view.New(&record.Result{Study: &record.Study{URL: all[at].Source.URL}, DUTs: []record.DUT{
		{Name: "n6", Reference: true, Flows: flows}, {Name: "eupf", Mode: "native", Flows: flows}}})
}

// texts are the rows of all tables of a section, their cells joined.
func texts(s block.Section) (rows []string) {
	for _, b := range s.Blocks {
		t, ok := b.(block.Table)
		if !ok {
			continue
		}
		for _, r := range t.Rows {
			var cells []string
			for _, c := range r.Cells {
				cells = append(cells, c.Text)
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	return rows
}

func TestRepeated(t *testing.T) {
	for key, want := range map[string][]string{
		"srsran-goodput": {
			"eUPF (native)|published|S 2.63, R 2.62|S 1.87, R 1.78|4.9|n/a|not reported",
			"eUPF (native)|here|S 2.00, R 1.50|S 2.00 *, R 1.50 *|25.00 *|0.250|UPF",
			"no UPF, N6 alone|Simple Measurement of UPF Performance 10|S 26.8, R 26.8|S 2.04, R 2.03|0.4|0.262|not reported",
			"no UPF, N6 alone|here|S 2.00, R 1.50|S 2.00 *, R 1.50 *|25.00 *|0.250|UPF"},
		"sdcore-cni": {
			"published|UERANSIM|af_packet|bridge|7.8|823.8|not reported",
			"here|UE gateway|eupf:native|bridge|1500|1500|UPF"},
		"real-world-5g": {
			"SPGWU-tiny|published|0|about 90|0",
			"eupf:native|here|10.00 *|50.00 *|20.00 *"},
	} {
		got := texts(Repeated(repeats(t, key)))
		for _, row := range want {
			if !slices.Contains(got, row) {
				t.Errorf("%s has no row %q in\n%s", key, row, strings.Join(got, "\n"))
			}
		}
	}
}

// A run that repeats no study, or sends test packets, has no such section.
func TestRepeatedNothing(t *testing.T) {
	v := repeats(t, "srsran-goodput")
	v.Study = nil
	if s := Repeated(v); len(s.Blocks) > 0 {
		t.Errorf("%+v", s)
	}
	v = view.New(&record.Result{Study: &record.Study{URL: "https://example.com/"}, DUTs: v.Result.DUTs})
	if s := Repeated(v); len(s.Blocks) > 0 {
		t.Errorf("%+v", s)
	}
}
