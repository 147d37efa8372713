package export

import (
	"io"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// Prometheus writes the text format that node_exporter's textfile collector reads: each
// figure as a gauge in base units, the median of the valid repeats.
func Prometheus(w io.Writer, r *record.Result) error {
	registry := prometheus.NewRegistry()
	if err := registry.Register(Metrics(r)); err != nil {
		return err
	}
	families, err := registry.Gather()
	if err != nil {
		return err
	}
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return err
		}
	}
	return nil
}

// Collected are metrics that were computed once: they stay as they are when the result
// changes.
type Collected []prometheus.Metric

// Describe implements prometheus.Collector: it describes nothing, since names are known only
// with the result.
func (Collected) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector: it sends the metrics as they are now.
func (c Collected) Collect(to chan<- prometheus.Metric) {
	for _, m := range c {
		to <- m
	}
}

// Metrics are a result's figures, its thresholds, and how it went.
func Metrics(r *record.Result) (list Collected) {
	ofRun := []Label{scenario(r)}
	list = append(list, gauge("upflab_run_complete", "1 when the run was done to its end.", bit(r.Complete), ofRun),
		gauge("upflab_run_started_seconds", "When the run began, Unix time.", float64(r.Started.UnixMilli())/1e3, ofRun))
	if !r.Finished.IsZero() {
		list = append(list, gauge("upflab_run_finished_seconds", "When the run was last saved, Unix time.",
			float64(r.Finished.UnixMilli())/1e3, ofRun))
	}
	return append(append(list, figures(r)...), thresholds(r)...)
}

// thresholds are how a result's thresholds turned out. Of several with the same labels the worst
// outcome stands for all: Prometheus takes no metric twice.
func thresholds(r *record.Result) (list Collected) {
	worst := []record.Outcome{record.OutcomePass, record.OutcomeCannotTell, record.OutcomeFail} // last
	type one struct {
		labels  []Label
		outcome record.Outcome
	}
	var all []*one
	seen := map[string]*one{}
	for _, t := range r.Thresholds {
		labels := []Label{scenario(r), NewLabel("threshold", t.Expression), NewLabel("dut", t.DUT), NewLabel("where", t.Where)}
		k := key(labels)
		if seen[k] == nil {
			seen[k] = &one{labels, t.Outcome}
			all = append(all, seen[k])
		}
		if slices.Index(worst, t.Outcome) > slices.Index(worst, seen[k].outcome) {
			seen[k].outcome = t.Outcome
		}
	}
	for _, x := range all {
		for _, o := range worst {
			list = append(list, gauge("upflab_threshold", "1 for the outcome that a threshold had.", bit(x.outcome == o),
				append(x.labels, NewLabel("outcome", string(o)))))
		}
	}
	return list
}

// key tells sets of labels with the same names apart.
func key(labels []Label) (k string) {
	for _, l := range labels {
		k += "\x00" + l.Value
	}
	return k
}

// medians are the values of one figure at one place.
type medians struct {
	figure.Figure
	labels []Label
	values []float64
}

func figures(r *record.Result) (list Collected) {
	seen := map[string]*medians{}
	var order []*medians
	for _, row := range Rows(r) {
		labels := append(row.Labels(), scenario(r), NewLabel("ues", number(float64(row.Flow.UEs))),
			NewLabel("streams", number(float64(row.Flow.Streams))), NewLabel("octets", number(float64(row.Flow.Octets))),
			NewLabel("sessions", number(float64(row.Sessions))))
		for _, v := range row.Values {
			k := v.Name + key(labels)
			m := seen[k]
			if m == nil {
				m = &medians{Figure: v.Figure, labels: labels}
				seen[k], order = m, append(order, m)
			}
			if row.Valid {
				m.values = append(m.values, v.V)
			}
		}
	}
	for _, m := range order {
		if len(m.values) > 0 {
			name, factor := metric(m.Figure)
			list = append(list, gauge(name, m.Doc+", median of the valid repeats.", factor*stats.Median(m.values), m.labels))
		}
	}
	return list
}

// metric is a figure's name and factor in Prometheus' base units.
func metric(f figure.Figure) (string, float64) {
	name := "upflab_" + strings.ReplaceAll(f.Name, ".", "_")
	switch f.Unit {
	case figure.Nanos:
		if strings.Contains(name, "_ns_") {
			return strings.Replace(name, "_ns_", "_seconds_", 1), 1e-9
		}
		return name + "_seconds", 1e-9
	case figure.Seconds:
		return name + "_seconds", 1
	}
	return name, 1
}

func gauge(name, help string, v float64, labels []Label) prometheus.Metric {
	var names, values []string
	for _, l := range labels {
		names, values = append(names, l.Name), append(values, l.Value)
	}
	return prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), prometheus.GaugeValue, v, values...)
}

func bit(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
