package otlp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/upflab/upflab/internal/record"
)

func sample() *record.Result {
	start := time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC)
	d := record.DUT{Name: "eupf", Mode: "native", Version: "v0.7.1", Status: record.StatusOK, Setup: record.Setup{StartSeconds: 0.5}}
	for repeat, rx := range []float64{2e6, 1.9e6} {
		d.Trials = append(d.Trials, record.Trial{
			Kind: record.KindLoad, Direction: record.Uplink, Repeat: repeat + 1,
			Started: start.Add(time.Duration(repeat) * time.Minute), Sessions: 1,
			PacketSize: record.PacketSize{PayloadBytes: 1400}, Traffic: record.Traffic{RxPPS: rx, TxPPS: 3e6},
			Judgement: record.Judgement{LimitedBy: "dut", Valid: repeat == 0},
		})
	}
	return &record.Result{Run: "abcde", Scenario: "quick", Tool: record.Tool{Version: "v1.2.3"}, Started: start,
		Finished: start.Add(time.Hour), DUTs: []record.DUT{d}}
}

// TestSend: a collector gets the figures, each trial with its time, and what the run was.
func TestSend(t *testing.T) {
	var got collector.ExportMetricsServiceRequest
	answers := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answers++; answers == 1 { // busy at first: it is tried again
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = proto.Unmarshal(body, &got)
		}
		if err != nil || r.URL.Path != "/v1/metrics" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s, %v, %v", r.URL, r.Header, err)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer s.Close()
	address, err := Address(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	r := sample()
	if err := Send(context.Background(), address, r); err != nil {
		t.Fatal(err)
	}
	said := got.String()
	for _, want := range []string{"service.name", "upflab.scenario", "quick", "eupf:native"} {
		if !strings.Contains(said, want) {
			t.Errorf("%s is not in what was sent: %s", want, said)
		}
	}
	for _, m := range got.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		if m.Name != "upflab.rx_pps" {
			continue
		}
		points := m.GetGauge().DataPoints
		if m.Unit != "{packet}/s" || len(points) != 2 || points[1].GetAsDouble() != 1.9e6 ||
			points[1].TimeUnixNano != uint64(r.DUTs[0].Trials[1].Started.UnixNano()) {
			t.Errorf("rx_pps is %v", m)
		}
		return
	}
	t.Errorf("there is no rx_pps: %s", said)
}

// TestCollectorOfThisMachine: without an address and without a variable it is asked by http, as the specification says.
func TestCollectorOfThisMachine(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := Send(ctx, "", sample()); err == nil || !strings.Contains(err.Error(), `"http://localhost:4318/v1/metrics"`) {
		t.Errorf("%v", err) // nobody listens there in a test
	}
}

// TestRefused: a collector that takes nothing makes an error that names it.
func TestRefused(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	if err := Send(context.Background(), s.URL+"/v1/metrics", sample()); err == nil || !strings.Contains(err.Error(), "collector") {
		t.Errorf("%v", err)
	}
}

// TestMetricsOfAStrangersResult: no text of a result that is sent controls a terminal that shows it.
func TestMetricsOfAStrangersResult(t *testing.T) {
	const hostile = "a\x1b]0;title\x07\x1b[2J\u009b31m\r\u202eb\xff"
	r := sample()
	r.Run, r.Scenario, r.Tool.Version, r.Host.Hostname = hostile, hostile, hostile, hostile
	d := &r.DUTs[0]
	d.Name, d.Version = hostile, hostile
	for i := range d.Trials {
		d.Trials[i].Direction, d.Trials[i].LimitedBy = record.Direction(hostile), hostile
	}
	seen := 0
	check := func(list []attribute.KeyValue) {
		for _, a := range list {
			if v := a.Value; v.Type() == attribute.STRING {
				seen++
				text := v.AsString()
				if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%s is %q", a.Key, text)
				}
			}
		}
	}
	m := Metrics(r)
	check(m.Resource.Attributes())
	for _, one := range m.ScopeMetrics[0].Metrics {
		for _, p := range one.Data.(metricdata.Gauge[float64]).DataPoints {
			check(p.Attributes.ToSlice())
		}
	}
	if seen < 20 {
		t.Errorf("%d texts only", seen)
	}
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "http://c:4318": "http://c:4318/v1/metrics", "https://c/": "https://c/v1/metrics",
		"http://c/otlp/metrics": "http://c/otlp/metrics",
	} {
		if got, err := Address(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"c:4318", "127.0.0.1:4318", "ftp://c", "http://", "::"} {
		if got, err := Address(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}
