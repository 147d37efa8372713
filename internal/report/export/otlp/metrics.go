package otlp

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/export"
)

// Metrics are a result's figures: a gauge for each, with a point for each trial, search,
// flow and DUT, at the time when it began. The run is the resource.
func Metrics(r *record.Result) *metricdata.ResourceMetrics {
	points, order := map[string]*metricdata.Metrics{}, []string(nil)
	for _, row := range export.Rows(r) {
		labels := attributes(row)
		for _, v := range row.Values {
			m := points[v.Name]
			if m == nil {
				m = &metricdata.Metrics{Name: "upflab." + v.Name, Description: v.Doc, Unit: unit(v.Unit), Data: metricdata.Gauge[float64]{}}
				points[v.Name], order = m, append(order, v.Name)
			}
			g := m.Data.(metricdata.Gauge[float64])
			g.DataPoints = append(g.DataPoints, metricdata.DataPoint[float64]{Attributes: labels, Time: row.At(r), Value: v.V})
			m.Data = g
		}
	}
	scope := metricdata.ScopeMetrics{Scope: instrumentation.Scope{Name: "upflab", Version: r.Tool.Version}}
	for _, name := range order {
		scope.Metrics = append(scope.Metrics, *points[name])
	}
	return &metricdata.ResourceMetrics{Resource: run(r), ScopeMetrics: []metricdata.ScopeMetrics{scope}}
}

// run describes the run by the names of OpenTelemetry's semantic conventions where there
// are some.
func run(r *record.Result) *resource.Resource {
	var list []attribute.KeyValue
	for _, l := range []export.Label{export.NewLabel("service.name", "upflab"), export.NewLabel("service.version", r.Tool.Version),
		export.NewLabel("host.name", r.Host.Hostname), export.NewLabel("upflab.run", r.Run), export.NewLabel("upflab.scenario", r.Scenario)} {
		list = append(list, attribute.String(l.Name, l.Value))
	}
	return resource.NewSchemaless(list...)
}

func attributes(row export.Row) attribute.Set {
	list := []attribute.KeyValue{attribute.Int("repeat", row.Repeat), attribute.Bool("valid", row.Valid)}
	for _, l := range append(row.Labels(), row.Limit()) {
		if l.Value != "" {
			list = append(list, attribute.String(l.Name, l.Value))
		}
	}
	return attribute.NewSet(list...)
}

// unit is a figure's in UCUM, which OpenTelemetry takes.
func unit(u figure.Unit) string {
	switch u {
	case figure.PPS:
		return "{packet}/s"
	case figure.Ratio, figure.Count:
		return "1"
	case figure.Bytes:
		return "By"
	case figure.Cores:
		return "{cpu}"
	}
	return string(u)
}
