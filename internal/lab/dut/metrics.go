package dut

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/upflab/upflab/internal/lab/site"
)

// Counter is a number that a UPF shows.
type Counter struct {
	Name  string // with its labels, as Prometheus writes them
	Value float64
	Means Quantity // "": its name does not say
}

// Quantity is what a counter counts.
type Quantity string

// Quantities of the user plane. Octets are those of T-PDUs.
const (
	UplinkPackets   Quantity = "uplink packets"
	DownlinkPackets Quantity = "downlink packets"
	UplinkOctets    Quantity = "uplink octets"
	DownlinkOctets  Quantity = "downlink octets"
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

// measurements are those of TS 28.552 clause 5.4.1, as UPFs name them: lower case, with a prefix.
func measurements() map[string]Quantity {
	return map[string]Quantity{
		"indatapktn3upf": UplinkPackets, "outdatapktn3upf": DownlinkPackets,
		"indataoctn3upf": UplinkOctets, "outdataoctn3upf": DownlinkOctets,
	}
}

// Read gives the counters.
func (m *Metrics) Read() (list []Counter, err error) {
	answer, err := m.Client.Get(m.URL)
	if err != nil {
		return nil, fmt.Errorf("read the UPF's counters: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read the UPF's counters from %s: it answers %s", m.URL, answer.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("understand the UPF's counters from %s: %w", m.URL, err)
	}
	for name, f := range families {
		for _, x := range f.Metric {
			if v, is := value(f.GetType(), x); is && !ofProcess(name) {
				list = append(list, Counter{Name: name + labels(x), Value: v, Means: means(name)})
			}
		}
	}
	return list, nil
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

// means is what a metric counts, by its name.
func means(name string) Quantity {
	for suffix, q := range measurements() {
		if strings.HasSuffix(strings.ToLower(name), suffix) {
			return q
		}
	}
	return ""
}
