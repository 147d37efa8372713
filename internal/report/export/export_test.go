package export

import (
	"bytes"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/influxdata/line-protocol/v2/lineprotocol"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/upflab/upflab/internal/record"
)

var update = flag.Bool("update", false, "write the golden files")

func sample() *record.Result {
	start := time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC)
	limit, value := 1e6, 2e6
	d := record.DUT{Name: "eupf", Mode: "native", Version: `v0.7.1 "x", y`, Status: record.StatusOK, Setup: record.Setup{StartSeconds: 0.5}}
	for repeat, rx := range []float64{2e6, 1.9e6} {
		d.Trials = append(d.Trials, record.Trial{
			Kind: record.KindLoad, Direction: record.Uplink, Repeat: repeat + 1,
			Started: start.Add(time.Duration(repeat) * time.Minute), Sessions: 1,
			PacketSize: record.PacketSize{PayloadBytes: 1400},
			Traffic:    record.Traffic{RxPPS: rx, TxPPS: 3e6, Latency: &record.Latency{P99: 85_000, Count: 10}},
			Cost:       record.Cost{CPU: record.CPU{DUTCores: 1}},
			Judgement:  record.Judgement{LimitedBy: "dut", Valid: repeat == 0},
		})
	}
	d.Searches = []record.Search{{Direction: record.Downlink, NDRPPS: 1.5e6, Repeat: 1,
		Judgement: record.Judgement{Valid: true, LimitedBy: "dut"}}}
	d.Flows = []record.AppFlow{{Kind: record.FlowTCP, Direction: record.Uplink, UEs: 1, Streams: 1, Repeat: 1,
		GoodputBPS: 9e9, Valid: true, Started: start}}
	return &record.Result{Run: "abcde", Scenario: "quick", Started: start, Finished: start.Add(time.Hour),
		Complete: true, DUTs: []record.DUT{d},
		Thresholds: []record.Threshold{{Expression: "rx_pps >= 1M", DUT: "eupf:native", Where: "uplink max",
			Value: &value, Limit: &limit, Outcome: record.OutcomePass}}}
}

// writers are those of this package.
var writers = map[string]func(io.Writer, *record.Result) error{"csv": CSV, "prometheus": Prometheus, "influx": Influx}

func written(t *testing.T, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writers[format](&b, sample()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "sample."+format)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s:\n got\n%s\nwant\n%s", path, b.String(), want)
	}
	return b.Bytes()
}

// TestFormatsReadBack: what is written is what the formats' own readers take.
func TestFormatsReadBack(t *testing.T) {
	lines, err := csv.NewReader(bytes.NewReader(written(t, "csv"))).ReadAll()
	if err != nil || len(lines) < 10 {
		t.Errorf("CSV: %v, %d lines", err, len(lines))
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(written(t, "prometheus")))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"upflab_rx_pps": 2e6, "upflab_latency_p99_seconds": 85e-6,
		"upflab_cpu_seconds_per_packet": 5e-7, "upflab_setup_start_seconds": 0.5, "upflab_ndr_pps": 1.5e6,
		"upflab_run_complete": 1} {
		f := families[name]
		if f == nil || len(f.Metric) != 1 || f.Metric[0].Gauge.GetValue() < want*0.999 || f.Metric[0].Gauge.GetValue() > want*1.001 {
			t.Errorf("%s is %v, want %g", name, f, want)
		}
	}
	points := 0
	for d := lineprotocol.NewDecoder(bytes.NewReader(written(t, "influx"))); d.Next(); points++ {
		if name, err := d.Measurement(); err != nil || string(name) != "upflab" {
			t.Errorf("measurement %q, %v", name, err)
		}
		for {
			key, _, err := d.NextTag()
			if err != nil {
				t.Fatal(err)
			}
			if key == nil {
				break
			}
		}
		for {
			key, _, err := d.NextField()
			if err != nil {
				t.Fatal(err)
			}
			if key == nil {
				break
			}
		}
		if _, err := d.Time(lineprotocol.Nanosecond, time.Time{}); err != nil {
			t.Error(err)
		}
	}
	if points != 5 { // two trials, a search, a flow, the DUT
		t.Errorf("%d points", points)
	}
}

func TestEmptyResult(t *testing.T) {
	for format, write := range writers {
		if err := write(new(bytes.Buffer), &record.Result{}); err != nil {
			t.Errorf("%s of an empty result: %v", format, err)
		}
	}
}

// TestWorstThreshold: of thresholds with the same labels, as those of two arrival processes, Prometheus
// has one, and it is not the one that passed.
func TestWorstThreshold(t *testing.T) {
	for _, c := range []struct {
		outcomes []record.Outcome
		want     record.Outcome
	}{
		{[]record.Outcome{record.OutcomePass, record.OutcomeFail, record.OutcomeCannotTell}, record.OutcomeFail},
		{[]record.Outcome{record.OutcomePass, record.OutcomeCannotTell, record.OutcomePass}, record.OutcomeCannotTell},
		{[]record.Outcome{record.OutcomeFail, record.OutcomePass}, record.OutcomeFail},
	} {
		r := &record.Result{}
		for _, o := range c.outcomes {
			r.Thresholds = append(r.Thresholds, record.Threshold{Expression: "loss < 1%", DUT: "eupf", Where: "uplink", Outcome: o})
		}
		var b bytes.Buffer
		if err := Prometheus(&b, r); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if strings.HasPrefix(line, "upflab_threshold{") &&
				strings.HasSuffix(line, " 1") != strings.Contains(line, `outcome="`+string(c.want)+`"`) {
				t.Errorf("%v: %s", c.outcomes, line)
			}
		}
	}
}
