package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// Headline is what a list says of one UPF of a run.
type Headline struct {
	Metric compare.Metric `json:"metric,omitempty"` // of the rates; "": the highest received of paced loads
	Rates  []Rate         `json:"rates,omitempty"`  // one for each direction: uplink, downlink, both
	// Traffic is what the rates were the highest of: directions, sizes, sessions. Only those of the same
	// traffic can be compared: "uplink 1400 B; downlink 1400 B, 10 sessions".
	Traffic string   `json:"traffic,omitempty"`
	Loss    *float64 `json:"frame_loss_ratio,omitempty"`
	P99     *float64 `json:"latency_p99_ns,omitempty"`
	P99Sign string   `json:"latency_p99_sign,omitempty"` // what kind of a bound it is (Point.Sign)
	Words   string   `json:"words,omitempty"`            // of a run without trials: "233 cases, 2 findings"
}

// Rate is that of a direction, packets/s.
type Rate struct {
	Direction record.Direction `json:"direction"`
	PPS       float64          `json:"pps"`
	Bounded   bool             `json:"bounded,omitempty"` // something other than the UPF limited it
}

// Of is the rate of a direction; ok is false where there is none.
func (h Headline) Of(d record.Direction) (r Rate, ok bool) {
	for _, one := range h.Rates {
		if one.Direction == d {
			return one, true
		}
	}
	return Rate{}, false
}

// rateMetrics are those of which a headline takes the first that was measured.
func rateMetrics() []compare.Metric {
	return []compare.Metric{compare.NDR, compare.Throughput, compare.GoalRate, compare.PDR, compare.RxPPS}
}

// headlineOf takes a headline from the readings of a DUT: the highest rate of each direction, and
// the worst latency and loss.
func headlineOf(d *record.DUT, all []compare.Reading) (h Headline) {
	var own []compare.Reading
	for _, v := range all {
		if v.DUT == compare.Label(d) {
			own = append(own, v)
		}
	}
	for _, m := range rateMetrics() {
		for _, v := range own {
			if v.Metric == m {
				h.raise(Rate{v.Key.Direction, v.Value, v.Bounded})
			}
		}
		if len(h.Rates) > 0 {
			h.Metric = m
			break
		}
	}
	of := h.Metric
	if h.Metric == "" {
		of = compare.FrameLoss // paced loads have it
		for i := range d.Trials {
			if t := &d.Trials[i]; t.Valid && t.Kind == record.KindLoad && t.RxPPS > 0 {
				h.raise(Rate{t.Direction, t.RxPPS, true})
			}
		}
	}
	slices.SortStableFunc(h.Rates, func(a, b Rate) int { return cmp.Compare(order(a.Direction), order(b.Direction)) })
	h.Traffic = traffic(own, of)
	h.Loss, _ = worst(own, compare.FrameLoss, "")
	if h.P99, h.P99Sign = worst(own, compare.P99, record.KindLatency); h.P99 == nil {
		h.P99, h.P99Sign = worst(own, compare.P99, "")
	}
	h.Words = words(d)
	return h
}

// order is the place of a direction among the others.
func order(d record.Direction) int {
	return slices.Index([]record.Direction{record.Uplink, record.Downlink, record.Both}, d)
}

// traffic lists the directions, sizes and sessions of the readings of a metric.
func traffic(list []compare.Reading, m compare.Metric) string {
	type kind struct {
		direction record.Direction
		words     string
	}
	var all []kind
	for _, v := range list {
		_, words, _ := strings.Cut(v.Load, ", ") // size and sessions come behind the load
		if k := (kind{v.Key.Direction, words}); v.Metric == m && !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b kind) int {
		return cmp.Or(cmp.Compare(order(a.direction), order(b.direction)), cmp.Compare(a.words, b.words))
	})
	var texts []string
	for _, k := range all {
		texts = append(texts, strings.TrimSpace(string(k.direction)+" "+k.words))
	}
	return strings.Join(texts, "; ")
}

// raise takes a rate into the headline if it is the highest of its direction.
func (h *Headline) raise(r Rate) {
	for i := range h.Rates {
		if h.Rates[i].Direction == r.Direction {
			if r.PPS > h.Rates[i].PPS {
				h.Rates[i] = r
			}
			return
		}
	}
	h.Rates = append(h.Rates, r)
}

// worst is the highest value of a metric, of trials of a kind, "": of all, and what kind of a bound it is.
func worst(list []compare.Reading, m compare.Metric, k record.Kind) (most *float64, sign string) {
	for _, v := range list {
		if v.Metric == m && (k == "" || v.Key.Kind == k) && !math.IsNaN(v.Value) && (most == nil || v.Value > *most) {
			most, sign = &v.Value, v.Sign
		}
	}
	return most, sign
}

// words are those of a DUT that was held to cases, or measured by applications.
func words(d *record.DUT) string {
	var parts []string
	if n := len(d.Cases); n > 0 {
		parts = append(parts, units.Plural(n, "case"), units.Plural(findings(d), "finding"))
	}
	if n := len(d.Incidents); n > 0 {
		parts = append(parts, units.Plural(n, "incident"))
	}
	if f := fastest(d); f != nil {
		parts = append(parts, fmt.Sprintf("%s %s %.3g Gbit/s", f.Kind, f.Direction, f.GoodputBPS/1e9))
	}
	return strings.Join(parts, ", ")
}

func findings(d *record.DUT) (n int) {
	for i := range d.Cases {
		if d.Cases[i].Verdict.Bad() {
			n++
		}
	}
	return n
}

func fastest(d *record.DUT) (best *record.AppFlow) {
	for i := range d.Flows {
		if f := &d.Flows[i]; f.Valid && f.GoodputBPS > 0 && (best == nil || f.GoodputBPS > best.GoodputBPS) {
			best = f
		}
	}
	return best
}
