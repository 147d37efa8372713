package run

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Setup is how long each UPF took to come up and to take its sessions; the times of
// the reference are the testbed's.
func Setup(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("UPF"), block.Number("Testbed", "s"), block.Number("Start to first PFCP answer", "s"),
		block.Number("Sessions", ""), block.Number("Provisioned in", "s"), block.Number("Sessions/s", ""),
		block.Number("Idle before the trials", "cores"), block.Number("Idle after them", "cores")}}
	for _, d := range v.UPFs {
		cells := append([]block.Cell{d.NameCell()}, block.Cells(setup(d.Setup)...)...)
		t.Rows = append(t.Rows, block.Row{Cells: cells, Tone: d.Tone()})
	}
	return block.Section{Title: "Setting up", Only: block.Pages, Blocks: []block.Block{t}}
}

func setup(s record.Setup) []string {
	sessions := []string{"0", units.None, units.None}
	if s.Sessions > 0 {
		sessions = []string{units.Count(uint64(s.Sessions)), seconds(s.ProvisionSeconds), perSecond(s.SessionsPerS)}
	}
	cells := append([]string{seconds(s.TestbedSeconds), seconds(s.StartSeconds)}, sessions...)
	return append(cells, idle(s.IdleCores), idle(s.IdleAfterCores))
}

// seconds writes a time; 0: it was not taken.
func seconds(s float64) string {
	if s <= 0 {
		return units.None
	}
	return units.Number(s, "%.3g")
}

// idle is what a UPF used without traffic, cores.
func idle(c *float64) string {
	if c == nil {
		return units.None
	}
	return units.Cores(*c)
}

func perSecond(rate float64) string {
	if rate <= 0 {
		return units.None
	}
	return units.Number(rate, "%.0f")
}
