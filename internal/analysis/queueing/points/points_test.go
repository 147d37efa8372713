package points

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/text/fuzztest"
)

func TestRead(t *testing.T) {
	_, err := Read(strings.NewReader("\ufeff# by hand\nLoad_kpps, latency_us,p99_ms,loss_percent,cpu_percent,packets,class,other_pps\n" +
		"1,250,1.5,0.5,80,1000,video,20\n2,,2,100,,,,\n"))
	if err == nil {
		t.Fatal("a comment behind a byte order mark is a column")
	}
	got, err := Read(strings.NewReader("# by hand\n\ufeffLoad_kpps, latency_us,p99_ms,loss_percent,cpu_percent,packets,class,other_pps\n" +
		"1,250,1.5,0.5,80,1000,video,20\n2,,2,100,,,,\n"))
	want := []queueing.Point{
		{LoadPPS: 1000, OtherPPS: 20, MeanNS: 250e3, P99NS: 1.5e6, LossRatio: 0.005, CPUCores: 0.8, Packets: 1000, Class: "video"},
		{LoadPPS: 2000, P99NS: 2e6, LossRatio: 1},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %+v", err, got)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                "no first line",
		"load_pps,mean_us,loss_ratio\n":                   "no line after",
		"mean_us,loss_ratio\n1,1":                         "no column for load; add one of load_pps, load_kpps, load_mpps",
		"load_pps,mean_us\n1,1":                           "no column for loss",
		"load_pps,loss_ratio,p999_us\n1,0,1":              "no column for latency",
		"load,mean_us,loss_ratio\n1,1,0":                  "\"load\" has no unit that is known; name it load_pps, load_kpps, load_mpps",
		"load_gbps,mean_us,loss_ratio\n1,1,0":             "\"load_gbps\" has no unit",
		"load_pps,mean_min,loss_ratio\n1,1,0":             "name it mean_ns, mean_us, mean_ms, mean_s",
		"load_pps,mean_us,loss_ratio,x\n1,1,0":            "\"x\" is not known",
		"load_pps,mean_us,latency_ms,loss_ratio\n1,1,1,0": "two columns for mean",
		"load_pps,mean_us,loss_ratio\n1,fast,0":           "line 2: column mean_us: \"fast\" is not a number",
		"load_pps,mean_us,loss_ratio\n1,1,0\n\n1,-1,0":    "line 4: column mean_us",
		"load_pps,mean_us,loss_ratio\n1,NaN,0":            "not a number",
		"load_pps,mean_us,loss_ratio\n1,1":                "line 2 has 2 fields, and the first line 3",
		"load_kpps;mean_us;loss_ratio\n1;1;0":             "separate the columns by commas",
		"load_pps,p99_us,loss_ratio\n1,30,58,0":           "write decimals with a point",
		"load_pps,mean_ms,p99_us,loss_ratio\n1,1,3,0":     "check the units of mean_ms and p99_us",
		"load_pps,mean_us,loss_ratio,packets\n1,1,0,-4":   "column packets",
	} {
		_, err := Read(strings.NewReader(text))
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzRead: points or ErrFormat, whatever the file.
func FuzzRead(f *testing.F) {
	fuzztest.Brief(f)
	f.Add("load_pps,mean_us,loss_ratio\n1,1,0\n")
	f.Add("load_kpps,p99_ms,loss_percent,class\n1,1,\"0\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Read(strings.NewReader(text))
		if (err == nil) != (len(got) > 0) || err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%d points, %v", len(got), err)
		}
		for _, p := range got {
			if p.LoadPPS < 0 || p.LossRatio < 0 {
				t.Errorf("%+v", p)
			}
		}
	})
}
