package record

import "math"

// WholeRxPPS is the rate received over the whole trial, packets/s, disturbed windows
// included. CPU time and energy are read at the first slot and at the last, so what they
// come to for a packet takes this rate: RxPPS leaves the windows out in which others had
// the CPUs, and is higher than it.
func (t *Trial) WholeRxPPS() float64 {
	x := t.Excluded
	if x == nil || x.Void || t.RxPackets == 0 || t.DurationS <= 0 {
		return t.RxPPS
	}
	packets := 1 + float64(x.RxPackets)/float64(t.RxPackets)
	seconds := 1 + x.Seconds/t.DurationS
	return t.RxPPS * packets / seconds
}

// WholeLost is how many packets of the whole trial did not arrive as they should, wrong ones
// included: the counters of places, and of wrong packets, are of the whole trial, too.
func (t *Trial) WholeLost() uint64 {
	sent, arrived := t.TxPackets, t.RxPackets
	if x := t.Excluded; x != nil {
		sent, arrived = sent+x.TxPackets, arrived+x.RxPackets
	}
	return sent - min(sent, arrived)
}

// CPUNSPerPacket is the DUT's CPU time for a packet that arrived, ns, both of the whole
// trial; NaN where one of them is not known.
func (t *Trial) CPUNSPerPacket() float64 {
	rate := t.WholeRxPPS()
	if !(t.CPU.DUTCores > 0) || !(rate > 0) {
		return math.NaN()
	}
	return t.CPU.DUTCores / rate * 1e9
}

// KeptCores is what the DUT used at the rate of the windows that count, cores: so much for a
// packet, at RxPPS. 0: not known.
func (t *Trial) KeptCores() float64 {
	if whole := t.WholeRxPPS(); whole > 0 {
		return t.CPU.DUTCores * t.RxPPS / whole
	}
	return t.CPU.DUTCores
}
