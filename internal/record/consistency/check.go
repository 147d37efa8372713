// Package consistency holds the figures of a result against each other.
package consistency

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// Check lists what in a result contradicts itself: shares outside of 0..1, sums that do not add
// up, quantiles out of order, intervals without their point, estimates from values that prove
// nothing. A result of upflab's has none, whatever was measured: each is a defect of upflab's,
// and a sentence that says where.
func Check(r *record.Result) []string {
	var c checker
	c.at(reflect.ValueOf(r).Elem(), "")
	if !r.Finished.IsZero() && r.Finished.Before(r.Started) {
		c.say("", "it finished before it started")
	}
	return c.found
}

// checker walks a result and collects what contradicts itself.
type checker struct{ found []string }

func (c *checker) say(path, format string, args ...any) {
	c.found = append(c.found, strings.TrimSpace(path+" "+fmt.Sprintf(format, args...)))
}

// at checks a value and all that it holds.
func (c *checker) at(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c.at(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.at(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue // of a time
			}
			if v.Type().Field(i).Anonymous {
				c.at(v.Field(i), path) // flat in JSON
				continue
			}
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			field := strings.Trim(path+"."+name, ".")
			c.number(v.Field(i), name, field)
			c.at(v.Field(i), field)
		}
		if v.CanAddr() {
			c.known(v.Addr().Interface(), path)
		}
	}
}

// shares are numbers of 0..1 whose names do not end in "_ratio"; others that do are none.
var shares = []string{"dut_core_busy", "others_busy", "generator_busy", "dut_busiest_core", "dut_busiest_thread", "run_queue_delay",
	"ratio", "busy", "softirq", "cpu_busy", "generator_cores", "fairness", "p_value"}

var noShares = []string{"p99_error_ratio"}

// signed are numbers that may be below 0, of those whose names end in a unit.
var signed = []string{"t_s", "clock_step_s", "mean_ns"}

// units are endings of names of numbers that are not below 0.
var units = []string{"_pps", "_bps", "_s", "_ns", "_cores"}

// number checks a number, or each of a list, by its name in JSON.
func (c *checker) number(v reflect.Value, name, path string) {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		c.number(v.Elem(), name, path)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			c.number(v.Index(i), name, fmt.Sprintf("%s[%d]", path, i))
		}
	case v.Kind() == reflect.Float64:
		c.float(v.Float(), name, path)
	}
}

func (c *checker) float(x float64, name, path string) {
	share := (strings.HasSuffix(name, "_ratio") || slices.Contains(shares, name)) && !slices.Contains(noShares, name)
	unit := slices.ContainsFunc(units, func(u string) bool { return strings.HasSuffix(name, u) }) && !slices.Contains(signed, name)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		c.say(path, "is %v", x)
	case share && (x < 0 || x > 1+rounding):
		c.say(path, "is %v, and a share is 0..1", x)
	case unit && x < 0:
		c.say(path, "is %v, below 0", x)
	}
}

// rounding is how much sums and quotients of floating point may differ, relatively.
const rounding = 1e-6

func near(a, b float64) bool {
	return math.Abs(a-b) <= rounding*max(math.Abs(a), math.Abs(b), rounding)
}

// known checks what is known of a type beyond its numbers.
func (c *checker) known(x any, path string) {
	switch x := x.(type) {
	case *record.Latency:
		c.latency(x, path)
	case *record.AppTime:
		c.ascending(path, "min", float64(x.Min), "p50", float64(x.P50), "p99", float64(x.P99), "max", float64(x.Max))
	case *record.Extent:
		c.ascending(path, "p50", float64(x.P50), "p99", float64(x.P99), "max", float64(x.Max))
	case *record.Trial:
		c.trial(x, path)
	case *record.Traffic:
		c.loss(path, x.TxPackets, x.RxPackets, x.FrameLossRatio)
	case *record.Excluded:
		c.excluded(x, path)
	case *record.Search:
		c.search(x, path)
	case *record.SearchGoal:
		c.goal(x, path)
	case *record.SearchTrial:
		c.atMost(path, "lost", x.Lost, "sent", x.Sent)
	case *record.Drift:
		c.drift(x, path)
	case *record.SafeLoad:
		c.safeLoad(x, path)
	case *record.Model:
		c.model(x, path)
	case *record.ModelParameter:
		c.ascending(path, "low", x.Low, "the value", x.Value, "high", x.High)
	case *record.AppFlow:
		c.judged(path, x.Valid, x.Reasons)
		c.atMost(path, "lost", x.Lost, "packets", x.Packets)
	case *record.OneWay:
		c.ofSent(path, x.Sent, x.Lost, x.LossRatio)
	case *record.BesideTraffic:
		c.ofSent(path, x.TxPackets, x.Lost, x.FrameLossRatio)
		c.ascending(path, "p50", float64(x.P50NS), "p99", float64(x.P99NS), "max", float64(x.MaxNS))
	case *record.ProcedureLoad:
		c.atMost(path, "done, refused and unanswered", x.Done+x.Refused+x.Unanswered, "sent", x.Sent)
	}
}

// ascending takes names and values in turn. A value that is 0 is not known.
func (c *checker) ascending(path string, pairs ...any) {
	last, before := 0.0, ""
	for i := 0; i < len(pairs); i += 2 {
		name, v := pairs[i].(string), pairs[i+1].(float64)
		if v == 0 {
			continue
		}
		if before != "" && v < last && !near(v, last) {
			c.say(path, "%s is %v and %s %v", before, last, name, v)
		}
		last, before = v, name
	}
}

func (c *checker) atMost(path, what string, n uint64, of string, limit uint64) {
	if n > limit {
		c.say(path, "%d %s of %d %s", n, what, limit, of)
	}
}

// loss checks what arrived of what was sent, and the ratio lost.
func (c *checker) loss(path string, sent, arrived uint64, ratio float64) {
	c.ofSent(path, sent, sent-min(sent, arrived), ratio)
}

func (c *checker) ofSent(path string, sent, lost uint64, ratio float64) {
	c.atMost(path, "lost", lost, "sent", sent)
	if sent > 0 && !near(ratio, float64(lost)/float64(sent)) {
		c.say(path, "a loss ratio of %v, with %d of %d lost", ratio, lost, sent)
	}
}

// judged wants a reason for what is not valid.
func (c *checker) judged(path string, valid bool, reasons []string) {
	if !valid && len(reasons) == 0 {
		c.say(path, "it is not valid, for no reason")
	}
}
