package sweep

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

const (
	// timeLines is how many loads the chart over time has at most.
	timeLines = 5
	// timePoints is how many points a line has at most.
	timePoints = 120
)

// CPUOverTime draws the CPU of the UPF during trials of a few loads.
func CPUOverTime(v *view.Run) block.Section {
	f := block.Figure{ID: "cpu-time", Title: "CPU over time", Shape: block.XY, Follow: "x",
		Caption: "CPU of the UPF during one trial of each of some loads, from the first packet on."}
	each(v, &f, cpuOverTime)
	return figure(f)
}

func cpuOverTime(s view.Sweep) (one block.View) {
	p := block.Panel{X: block.Axis{Label: "time", Unit: block.Seconds},
		Y: block.Axis{Label: "CPU of the UPF, cores", Unit: block.Cores, Least: 1}}
	var last []float64
	for _, q := range some(s.Points, timeLines) {
		t := q.Trials[0]
		if len(t.Series) < 2 || t.CPU.DUTCores == 0 { // 0: upflab does not know the UPF's process
			continue
		}
		line := block.Series{Name: units.Rate(q.PPS), Color: fmt.Sprintf("c%d", len(p.Series)), Line: "solid"}
		last = nil
		for _, at := range t.Series {
			last = append(last, at.DUTCores)
		}
		line.Data = overTime(t.Series)
		p.Series = append(p.Series, line)
	}
	if len(p.Series) == 0 {
		return one
	}
	one.Panels = []block.Panel{p}
	one.Caption = fmt.Sprintf("At the highest load, half of the time the CPU is between %s and %s cores, at most %s.",
		units.Cores(stats.Percentile(last, 25)), units.Cores(stats.Percentile(last, 75)), units.Cores(stats.Percentile(last, 100)))
	return one
}

// overTime is the CPU of a trial, neighbours joined by their mean.
func overTime(series []record.Point) (points []block.Point) {
	step := (len(series) + timePoints - 1) / timePoints
	for i := 0; i < len(series); i += step {
		chunk := series[i:min(i+step, len(series))]
		sum := 0.0
		for _, p := range chunk {
			sum += p.DUTCores / float64(len(chunk))
		}
		points = append(points, block.Point{X: math.Round(chunk[len(chunk)-1].T*100) / 100, Y: digits(sum)})
	}
	return points
}

// some takes n of a list, evenly, the first and the last among them.
func some(points []view.SweepPoint, n int) (list []view.SweepPoint) {
	if len(points) <= n {
		return points
	}
	for i := range n {
		list = append(list, points[i*(len(points)-1)/(n-1)])
	}
	return list
}
