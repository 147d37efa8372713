package flows

import (
	"math"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// baselines says what the flows are compared with.
func baselines(v *view.Run) string {
	if slices.ContainsFunc(v.UPFs, func(d *view.UPF) bool { return d.Mode == record.ModeRAN }) {
		return "n6 is the way without RAN and UPF, decap:ran the same RAN with another UPF: what the RAN carries. "
	}
	return "n6 is plain forwarding without a UPF, decap the UE gateway with a bare decapsulator in place of the UPF: what the bench carries. "
}

const spans = "Ranges: the interval of 95 % of the mean from three repeats on, else the extremes."

// TCP is what TCP carried.
func TCP(v *view.Run) block.Section {
	return section(v, record.FlowTCP, "TCP through the UPF", baselines(v)+"Goodput is payload, by iperf3; RTT is TCP's own. "+spans, []column{
		number("Goodput", "Gbit/s", goodput, units.Gbps),
		number("of n6", "", positive(func(f *record.AppFlow) float64 { return f.OfPlain }), percent),
		number("of decap", "", positive(func(f *record.AppFlow) float64 { return f.OfGateway }), percent),
		number("Retransmits", "", func(f *record.AppFlow) float64 { return float64(f.Retransmits) }, whole),
		number("RTT mean", "µs", timeOf(rtt, mean), units.Micros),
		pages(number("RTT max", "µs", timeOf(rtt, most), units.Micros)),
		pages(fairness()),
		cpuUPF(), pages(cpuSender()), pages(cpuReceiver()),
	})
}

// UDP is what UDP carried and lost.
func UDP(v *view.Run) block.Section {
	return section(v, record.FlowUDP, "UDP through the UPF",
		baselines(v)+"Sent is what iperf3 really sent of what it was asked for. "+spans, []column{
			number("Sent", "Gbit/s", sent, units.Gbps),
			number("Received", "Gbit/s", goodput, units.Gbps),
			number("Loss", "", loss, units.Loss),
			number("Jitter", "µs", func(f *record.AppFlow) float64 { return f.JitterNS }, units.Micros),
			pages(number("of n6", "", positive(func(f *record.AppFlow) float64 { return f.OfPlain }), percent)),
			pages(number("of decap", "", positive(func(f *record.AppFlow) float64 { return f.OfGateway }), percent)),
			pages(fairness()),
			cpuUPF(), pages(cpuSender()), pages(cpuReceiver()),
		})
}

// Ping is round-trip times, alone and with traffic beside.
func Ping(v *view.Run) block.Section {
	return section(v, record.FlowPing, "Round-trip time by ping",
		"Through the UPF and back. × is p99 compared with that of the same UPF without other traffic. "+spans, []column{
			number("min", "µs", timeOf(rtt, least), units.Micros),
			number("mean", "µs", timeOf(rtt, mean), units.Micros),
			number("p50", "µs", timeOf(rtt, median), units.Micros),
			number("p99", "µs", timeOf(rtt, p99), units.Micros),
			number("max", "µs", timeOf(rtt, most), units.Micros),
			growth(rtt),
			number("Loss", "", loss, units.Loss),
			pages(besideColumn()),
		})
}

// Pages is how long web pages took.
func Pages(v *view.Run) block.Section {
	return section(v, record.FlowHTTP, "Web pages",
		"Each over a new connection, from its first SYN on. × is p99 of complete pages compared with that of the "+
			"same UPF without other traffic. "+spans, []column{
			number("Pages", "", func(f *record.AppFlow) float64 { return float64(f.Packets) }, whole),
			number("Failed", "", func(f *record.AppFlow) float64 { return float64(f.Lost) }, whole),
			number("First byte p50", "ms", timeOf(firstByte, median), units.Millis),
			number("p99", "ms", timeOf(firstByte, p99), units.Millis),
			number("Complete p50", "ms", timeOf(rtt, median), units.Millis),
			number("p99", "ms", timeOf(rtt, p99), units.Millis),
			growth(rtt),
			pages(besideColumn()),
		})
}

// Calls is how many frames of speech came in time.
func Calls(v *view.Run) block.Section {
	return frames(v, record.FlowVoice, "Calls", "20 ms of speech")
}

// XR is how many pictures and poses came in time.
func XR(v *view.Run) block.Section {
	return frames(v, record.FlowXR, "Extended reality (XR)", "a picture downlink, or a pose uplink")
}

func frames(v *view.Run, kind, title, what string) block.Section {
	budget := ""
	for _, g := range v.Flows(kind) {
		for _, one := range g.Used[0].Frames {
			budget = units.Time(float64(one.BudgetNS))
		}
	}
	var columns []column
	for i, direction := range []string{"Uplink", "Downlink"} {
		of := func(get func(record.Frames) float64) func(*record.AppFlow) float64 {
			return func(f *record.AppFlow) float64 {
				if i >= len(f.Frames) {
					return math.NaN()
				}
				return get(f.Frames[i])
			}
		}
		delay := func(get func(*record.AppTime) uint64) func(*record.AppFlow) float64 {
			return func(f *record.AppFlow) float64 {
				if i >= len(f.Frames) || f.Frames[i].Delay == nil {
					return math.NaN()
				}
				return float64(get(f.Frames[i].Delay))
			}
		}
		columns = append(columns,
			number(direction+" in time", "", of(record.Frames.InTimeRatio), func(v float64) string { return units.Number(100*v, "%.2f") + " %" }),
			number("p50", "ms", delay(median), units.Millis),
			number("p99", "ms", delay(p99), units.Millis),
			pages(number("Jitter", "ms", of(func(f record.Frames) float64 { return f.JitterNS }), units.Millis)),
			pages(number("Loss", "", of(func(f record.Frames) float64 { return float64(f.Lost) / float64(max(f.Packets, 1)) }), units.Loss)))
	}
	return section(v, kind, title, "A frame is "+what+". In time is whole within "+budget+", the delay budget, here of the UPF and the bench alone: "+
		"a radio takes most of it. The delay is from when its first packet is sent to when its last arrives. "+spans, columns)
}

func fairness() column {
	return number("Fairness", "Jain", positive(func(f *record.AppFlow) float64 { return f.Fairness }),
		func(v float64) string { return units.Number(v, "%.3f") })
}

func cpuUPF() column {
	return column{block.Number("CPU UPF", "cores"), func(g *view.FlowGroup) block.Cell {
		if g.UPF.Reference {
			return block.T(units.Blank)
		}
		return g.Cell(positive(func(f *record.AppFlow) float64 { return f.CPU.DUT }), units.Cores)
	}}
}

func cpuSender() column {
	return number("sender", "cores", func(f *record.AppFlow) float64 { return f.CPU.Sender }, units.Cores)
}

func cpuReceiver() column {
	return number("receiver", "cores", func(f *record.AppFlow) float64 { return f.CPU.Receiver }, units.Cores)
}

func besideColumn() column {
	return number("Other traffic", "Gbit/s", positive(func(f *record.AppFlow) float64 { return f.BesideBPS }), units.Gbps)
}

// growth is a p99 with traffic beside compared with that without.
func growth(of func(*record.AppFlow) *record.AppTime) column {
	return column{block.Number("×", ""), func(g *view.FlowGroup) block.Cell {
		alone := g.Alone()
		if alone == nil {
			return block.T(units.Blank)
		}
		return timesCell(g.Mean(timeOf(of, p99)) / alone.Mean(timeOf(of, p99)))
	}}
}
