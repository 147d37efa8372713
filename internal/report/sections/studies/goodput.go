package studies

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// plainBench is the DUT that stands where studies measured N6 alone.
const plainBench = "n6"

// goodputTable is the summary of a study by iperf3 through a UE: TCP and UDP uplink, sent
// and received, with N6 alone below, which other studies of the author have, too.
func goodputTable(v *view.Run, s *published.Study, all []published.Study) block.Table {
	t := block.Table{Title: "Uplink: throughput by iperf3 (S: sender, R: receiver), loss of UDP at 5 Gbit/s offered, round-trip time by ping",
		Columns: []block.Column{block.Merged("UPF"), block.Key("Whose"), block.Number("TCP throughput", "Gbit/s"),
			block.Number("UDP throughput", "Gbit/s"),
			block.Number("UDP packet loss", "%"), block.Number("RTT", "ms"), block.Words("Limited by")}}
	shown := map[*view.UPF]bool{}
	add := func(m *published.Measurement, whose string) {
		t.Rows = append(t.Rows, goodputTheirs(m, whose))
		for _, d := range v.UPFs {
			if !shown[d] && sameUPF(d, m) {
				shown[d] = true
				t.Rows = append(t.Rows, goodputOurs(d, upfName(m)))
			}
		}
	}
	var alone []*published.Measurement
	for i := range s.Measurements {
		if m := &s.Measurements[i]; m.Driver != "" {
			add(m, "published")
		} else {
			alone = append(alone, m)
		}
	}
	for _, d := range v.UPFs {
		if !d.Reference && !shown[d] {
			t.Rows = append(t.Rows, goodputOurs(d, d.Label))
		}
	}
	for _, m := range alone {
		for i := range all { // the same bench in other studies: first, so that ours follows
			if &all[i] != s && all[i].Source.Authors == s.Source.Authors {
				t.Rows = append(t.Rows, aloneRows(&all[i])...)
			}
		}
		add(m, "published")
	}
	for _, d := range v.UPFs {
		if d.Reference && !shown[d] {
			t.Rows = append(t.Rows, goodputOurs(d, d.Label))
		}
	}
	return t
}

// aloneRows are a study's figures of N6 without a UPF.
func aloneRows(s *published.Study) (rows []block.Row) {
	for i := range s.Measurements {
		if m := &s.Measurements[i]; alone(m) {
			rows = append(rows, goodputTheirs(m, s.Source.Title))
		}
	}
	return rows
}

// sameUPF reports whether a measurement is of a UPF of the run, or of none.
func sameUPF(d *view.UPF, m *published.Measurement) bool {
	if m.Driver == "" {
		return d.Name == plainBench && d.Mode == ""
	}
	return d.Name == m.Driver && d.Mode == m.Mode
}

func goodputTheirs(m *published.Measurement, whose string) block.Row {
	return theirRow([]block.Cell{block.T(upfName(m)), source(whose, m.Version)}, []block.Cell{
		block.T(bothEnds(figureOf(m, "tcp_sent"), figureOf(m, "tcp_received"))),
		block.T(bothEnds(figureOf(m, "udp_sent"), figureOf(m, "udp_received"))),
		block.T(figureOf(m, "udp_loss")), block.T(figureOf(m, "rtt")), block.T("not reported")})
}

func goodputOurs(d *view.UPF, name string) block.Row {
	tcp, udp, ping := only(d, record.FlowTCP, record.Uplink), only(d, record.FlowUDP, record.Uplink), only(d, record.FlowPing, record.Both)
	return block.Row{Tone: toneOf(tcp, udp), Cells: []block.Cell{block.T(name), source("here", d.Label),
		block.T(bothEnds(mean(tcp, sent, units.Gbps), mean(tcp, received, units.Gbps))),
		block.T(bothEnds(mean(udp, sent, units.Gbps), mean(udp, received, units.Gbps))),
		block.T(mean(udp, lossRatio, units.Percent)), block.T(mean(ping, meanRTT, units.Millis)), limitCell(tcp, udp)}}
}

// upfName is a UPF as the study names it, with its mode.
func upfName(m *published.Measurement) string {
	if m.Mode == "" {
		return m.DUT
	}
	return m.DUT + " (" + m.Mode + ")"
}

// bothEnds writes what the sender and what the receiver says, as the study does.
func bothEnds(sent, received string) string {
	if sent == units.None && received == units.None {
		return units.None
	}
	return "S " + sent + ", R " + received
}
