package studies

import (
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// linkTable is goodput over each kind of network, downlink and uplink.
func linkTable(v *view.Run, s *published.Study) block.Table {
	t := block.Table{Title: "UPF throughput by iperf3",
		Columns: []block.Column{block.Key("Whose"), block.Merged("UE type"), block.Merged("UPF mode"),
			block.Key("CNI type"),
			block.Number("Downlink", "Mbit/s"), block.Number("Uplink", "Mbit/s"), block.Words("Limited by")}}
	for i := range s.Measurements {
		up := &s.Measurements[i]
		down := counterpart(s, up)
		if up.Direction != string(record.Uplink) || down == nil {
			continue
		}
		ue, cni, _ := strings.Cut(up.Conditions, "; CNI ")
		t.Rows = append(t.Rows, theirRow([]block.Cell{block.T("published"), block.T(ue), block.T(up.Mode), block.T(cni)},
			[]block.Cell{block.T(figureOf(down, "received")), block.T(figureOf(up, "received")), block.T("not reported")}))
	}
	for _, d := range v.UPFs {
		for _, down := range d.FlowGroups(record.FlowTCP) {
			if down.Direction == record.Downlink && down.Beside == "" && !down.Handover {
				t.Rows = append(t.Rows, linkOurs(d, down))
			}
		}
	}
	return t
}

// counterpart is the downlink of a measurement of the uplink; nil: none.
func counterpart(s *published.Study, up *published.Measurement) *published.Measurement {
	for i := range s.Measurements {
		m := &s.Measurements[i]
		if m.Direction == string(record.Downlink) && m.Conditions == up.Conditions && m.Mode == up.Mode {
			return m
		}
	}
	return nil
}

func linkOurs(d *view.UPF, down *view.FlowGroup) block.Row {
	key := down.AppKey
	key.Direction = record.Uplink
	up := d.FlowGroup(key)
	link := down.Link
	if link == "" {
		link = "as the scenario says"
	}
	return block.Row{Tone: toneOf(down, up), Cells: []block.Cell{block.T("here"), block.T("UE gateway"), d.NameCell(), block.T(link),
		block.T(mean(down, received, mbps)), block.T(mean(up, received, mbps)), limitCell(down, up)}}
}
