package trials

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// CPUByLoad draws the CPU of the UPFs at each load; of a sweep there is a line.
func CPUByLoad(v *view.Run) block.Section {
	if v.Swept() {
		return block.Section{}
	}
	f := block.Figure{ID: "cpu", Title: "CPU of the UPF by load", Shape: block.Columns, Only: block.HTML,
		Caption: "Threads, NAPI threads and softirq on its cores; 1 is one core fully busy. Pale columns are not valid."}
	one := block.View{}
	for _, direction := range v.Directions {
		one.Panels = append(one.Panels, cpuPanel(v, direction))
	}
	f.Views = []block.View{one}
	return figure(f)
}

func cpuPanel(v *view.Run, direction record.Direction) block.Panel {
	parts, loads := v.CPUParts(), v.Loads(record.KindLoad)
	p := block.Panel{Title: string(direction),
		X: block.Axis{Label: "offered load, packets/s", Categories: texts(loads)},
		Y: block.Axis{Label: "cores", Unit: block.Cores, Least: 1}}
	for _, name := range parts {
		p.Tip = append(p.Tip, block.Field{Name: name, Unit: block.Cores})
	}
	p.Tip = append(p.Tip, block.Field{Name: "a packet", Unit: block.Nanos}, block.Field{Name: "generator's core", Unit: block.Ratio})
	p.Series = lines(v, "", func(d *view.UPF) (points []block.Point) {
		for _, r := range d.Rows {
			if r.Kind == record.KindLoad && r.Direction == direction && r.Stat(view.Cores).N > 0 {
				points = append(points, cpuPoint(r, slices.Index(loads, r.Load), parts))
			}
		}
		return points
	})
	return p
}

func cpuPoint(r *view.Row, category int, parts []string) block.Point {
	p := block.Point{X: float64(category), Y: r.Stat(view.Cores).Median}
	if !r.Valid() {
		p.Style = "pale"
	}
	for _, name := range parts {
		p.More = append(p.More, r.Stat(view.CPUPart(name)).Median)
	}
	p.More = append(p.More, r.Stat(view.PacketNS).Median, r.Stat(view.Generator).Median)
	return p
}

// texts writes loads.
func texts(loads []record.Load) (list []string) {
	for _, load := range loads {
		list = append(list, load.String())
	}
	return list
}
