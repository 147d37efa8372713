package dut

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/upflab/upflab/internal/lab/site"
)

// Metrics reads counters in Prometheus's text format.
type Metrics struct {
	URL    string
	Client *http.Client
}

// MetricsAt are those that a UPF shows at a port of its N4 address.
func MetricsAt(t site.Site, port uint16) *Metrics {
	at := netip.AddrPortFrom(t.Links().UPFN4.Addr, port)
	return &Metrics{URL: fmt.Sprintf("http://%s/metrics", at), Client: t.UPF().HTTPClient(2 * time.Second)}
}

// Read gives the counters.
func (m *Metrics) Read() (list []Counter, err error) {
	answer, err := get(m.Client, m.URL)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer)
	if err != nil {
		return nil, fmt.Errorf("understand the UPF's counters from %s: %w", m.URL, err)
	}
	for name, f := range families {
		for _, x := range f.Metric {
			if v, is := value(f.GetType(), x); is && !ofProcess(name) {
				list = append(list, Counter{Name: name + labels(x), Value: v})
			}
		}
	}
	return list, nil
}

// get asks a UPF for its counters; the caller closes the answer.
func get(client *http.Client, url string) (io.ReadCloser, error) {
	answer, err := client.Get(url)
	if err != nil {
		return nil, fmt.Errorf("read the UPF's counters: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, fmt.Errorf("read the UPF's counters from %s: it answers %s", url, answer.Status)
	}
	return answer.Body, nil
}

func value(t dto.MetricType, m *dto.Metric) (v float64, is bool) {
	switch t {
	case dto.MetricType_COUNTER:
		return m.GetCounter().GetValue(), true
	case dto.MetricType_GAUGE:
		return m.GetGauge().GetValue(), true
	case dto.MetricType_UNTYPED:
		return m.GetUntyped().GetValue(), true
	}
	return 0, false
}

// ofProcess reports whether a metric is of the program and not of what it does.
func ofProcess(name string) bool {
	for _, prefix := range []string{"go_", "process_", "promhttp_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func labels(m *dto.Metric) string {
	if len(m.Label) == 0 {
		return ""
	}
	var list []string
	for _, l := range m.Label {
		list = append(list, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
	}
	return "{" + strings.Join(list, ",") + "}"
}
