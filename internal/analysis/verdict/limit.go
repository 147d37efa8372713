package verdict

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
)

const (
	// lossNone is loss too small to speak of in a paced trial: one packet in
	// 100 000, what a single delayed interrupt costs.
	lossNone = 1e-5
	// lossMax is the same for an unpaced trial, where the ring's last filling
	// is lost anyway.
	lossMax = 1e-3
	// busyFull: a core this busy has nothing left to give; the rest is the
	// granularity of the kernel's accounting.
	busyFull = 0.9
	// busyIdle: below it the core had time to spare on average, so packets
	// were lost to bursts or wake-ups.
	busyIdle = 0.7
	// WireClose: a DUT within 5 % of wire may be at the bench's ceiling
	// rather than its own; two runs of wire differ by as much.
	WireClose = 0.95
	// explains: a place that took this part of the loss explains it.
	explains = 0.5
	// othersMax: that much of the DUT's core used by somebody else is more
	// than a timer tick and its accounting error.
	othersMax = 0.2
	// delayMax and othersLeast: a DUT that was kept from its core for a twentieth
	// of the time, by others who used at least as much of it, lost packets for
	// that. Both are well over what a timer tick's accounting is wrong by.
	delayMax    = 0.05
	othersLeast = 0.05
	// lineFull: an unpaced trial that sent this part of the line rate was held back by the
	// link; clocks of ports differ by 0.01 % (IEEE 802.3), and the trial's ends are no full line.
	lineFull = 0.995
)

// limitOf names what kept the trial from carrying more, and how that is known.
// The burden of proof is on record.LimitDUT: where the evidence is not enough, the
// bench is named.
func limitOf(e Evidence) (limit record.Limit, why string) {
	switch {
	case e.Died:
		return record.LimitDUT, ""
	case len(e.LinksDown) > 0:
		return record.LimitLink, ""
	case e.Tx == 0:
		return record.LimitGenerator, ""
	case stolen(e):
		return record.LimitHost, ""
	case throttled(e):
		return record.LimitHost, ""
	case overLine(e):
		return record.LimitLink, overLineWords(e)
	case sinkLossy(e):
		return record.LimitGenerator, ""
	}
	judge := limitPaced
	if e.Max {
		judge = limitAtMax
	}
	limit, why = judge(e)
	if e.apart() && !insideDUT(e) && limit != record.LimitNone && limit != record.LimitHost {
		return record.LimitHost, apartWords(e)
	}
	return limit, why
}

// overLine reports whether the trial asked for more than a physical link carries of its frames, or
// filled the link.
func overLine(e Evidence) bool {
	if e.LineRatePPS <= 0 {
		return false
	}
	if e.Max {
		return e.DurationS > 0 && float64(e.Tx)/e.DurationS >= lineFull*e.LineRatePPS
	}
	return e.OfferedPPS > e.LineRatePPS
}

func overLineWords(e Evidence) string {
	if e.Max {
		return fmt.Sprintf("the link was full: it carries %s of these frames", mpps(e.LineRatePPS))
	}
	return fmt.Sprintf("the link carries %s of these frames, and %s were offered", mpps(e.LineRatePPS), mpps(e.OfferedPPS))
}

// apartWords say that the host slowed down what crosses from CPU to CPU.
func apartWords(e Evidence) string {
	return fmt.Sprintf("the host had the generator's CPU and the DUT's apart: a cache line took %.0f ns there and "+
		"back, and %.0f at another time of the run", e.LineNS, e.NearestNS)
}

// limitPaced judges a trial at a given rate.
func limitPaced(e Evidence) (limit record.Limit, why string) {
	switch {
	case txShort(e) > 0 && e.SharedCore:
		return record.LimitHost, "generator and DUT share one core"
	case txShort(e) > 0 && e.Stalls > 0 && e.GeneratorBusy < busyFull:
		return record.LimitHost,
			fmt.Sprintf("the generator stalled %s, with only %s of its core taken by sending: something "+
				"else used it", times(e.Stalls), percent(e.GeneratorBusy))
	case txShort(e) > 0:
		return record.LimitGenerator, generatorWords(e)
	case stretched(e):
		return record.LimitGenerator, generatorWords(e)
	case e.lossRatio() <= lossNone:
		return record.LimitNone, ""
	case overrun(e):
		return record.LimitHost, ""
	case e.Reference:
		return limitReference(e)
	default:
		return limitLossy(e)
	}
}

// limitLossy judges loss at a rate that the generator did send.
func limitLossy(e Evidence) (limit record.Limit, why string) {
	loss := percent(e.lossRatio())
	switch {
	case insideDUT(e) && !starved(e):
		return record.LimitDUT, fmt.Sprintf("the DUT lost %s: %s dropped or changed inside it", loss, count(e.DUTDrops+e.Wrong))
	case e.SharedCore:
		return record.LimitHost, fmt.Sprintf("%s lost while generator and DUT share one core", loss)
	case e.crowded():
		return record.LimitHost, fmt.Sprintf("%s lost while %s", loss, crowdedWords(e))
	case lostElsewhere(e):
		return record.LimitLink, fmt.Sprintf("%s lost%s, where the kernel receives for it on another core; %s", loss, ringWords(e), busyWords(e))
	case wireLosesAsMuch(e):
		return record.LimitLink,
			fmt.Sprintf("%s lost, and wire loses %s at the same load: the bench does not carry it", loss,
				percent(e.WireLossRatio))
	case e.full():
		return record.LimitDUT, fmt.Sprintf("the DUT lost %s with %s", loss, fullWords(e))
	case behindWire(e):
		return record.LimitDUT, fmt.Sprintf("the DUT lost %s; at the same load wire received %s against %s", loss,
			mpps(e.WireRxPPS), mpps(e.rxPPS()))
	case unseen(e):
		return record.LimitUnknown, fmt.Sprintf("%s lost%s between the generator and the sink, which the UPF is a part of: %s, "+
			"and no wire was measured", loss, ringWords(e), busyWords(e))
	default:
		return record.LimitLink, fmt.Sprintf("%s lost%s, %s: nothing shows that the DUT was full", loss, ringWords(e), busyWords(e))
	}
}

// limitReference judges what wire lost: there is no UPF to have lost it.
func limitReference(e Evidence) (limit record.Limit, why string) {
	if e.SharedCore {
		return record.LimitHost, "generator and forwarding share one core"
	}
	return record.LimitLink, fmt.Sprintf("the bench itself lost %s", percent(e.lossRatio()))
}

// limitAtMax judges a trial that asked for all there is.
func limitAtMax(e Evidence) (limit record.Limit, why string) {
	switch {
	case e.SharedCore:
		return record.LimitHost, "generator and DUT share one core: the rate is that of both together"
	case e.crowded():
		return record.LimitHost, crowdedWords(e)
	case e.Reference && e.lossRatio() <= lossMax:
		return record.LimitGenerator, "everything sent arrived: the generator's own ceiling"
	case e.Reference:
		return limitReference(e)
	case e.lossRatio() <= lossMax:
		return record.LimitGenerator, losslessWords(e)
	case insideDUT(e) && !starved(e):
		return record.LimitDUT, fmt.Sprintf("the DUT lost %s: %s dropped or changed inside it", percent(e.lossRatio()), count(e.DUTDrops+e.Wrong))
	case lostElsewhere(e):
		return record.LimitLink, fmt.Sprintf("%s lost%s, where the kernel receives for it on another core; %s",
			percent(e.lossRatio()), ringWords(e), busyWords(e))
	case behindWire(e):
		return record.LimitDUT, fmt.Sprintf("wire received %s where the DUT received %s", mpps(e.WireRxPPS), mpps(e.rxPPS()))
	case unseen(e):
		return record.LimitUnknown, "wire was not measured, and " + busyWords(e)
	case e.WireRxPPS <= 0:
		return record.LimitLink, "wire was not measured, so the bench's own ceiling is not known"
	default:
		return record.LimitLink, fmt.Sprintf("wire is no faster: %s against %s", mpps(e.WireRxPPS), mpps(e.rxPPS()))
	}
}

// wireLosesAsMuch reports whether what wire loses at this load explains the loss: a full core
// is no proof then, for the packets would have been lost without a UPF, too.
func wireLosesAsMuch(e Evidence) bool {
	return e.WireRxPPS > 0 && e.WireLossRatio > lossNone && e.WireLossRatio >= explains*e.lossRatio()
}

// unseen reports whether nothing tells the bench's losses from the UPF's: it runs elsewhere, on CPUs of which nobody
// sees how full they are, and there is no wire between the same ports.
func unseen(e Evidence) bool { return e.WireRxPPS <= 0 && e.DUTCoreBusy <= 0 }

// fullWords say what of the DUT had nothing left to give.
func fullWords(e Evidence) string {
	switch {
	case e.Polls:
		return fmt.Sprintf("%s of its core at useful work", percent(e.Useful))
	case e.DUTCoreBusy >= busyFull:
		return fmt.Sprintf("its core %s busy", percent(e.DUTCoreBusy))
	case e.BusiestThread >= busyFull:
		return fmt.Sprintf("one of its threads %s busy, and its %d cores %s in the mean: the work is not shared out",
			percent(e.BusiestThread), e.DUTCoreCount, percent(e.DUTCoreBusy))
	}
	return fmt.Sprintf("one of its %d cores %s busy, and all %s in the mean: the work is not shared out",
		e.DUTCoreCount, percent(e.BusiestCore), percent(e.DUTCoreBusy))
}

// losslessWords: a DUT that is not XDP makes the kernel build a socket buffer
// for each frame on the sender's core, so a generator may stay far below wire
// and the DUT still have room.
func losslessWords(e Evidence) string {
	if behindWire(e) {
		return fmt.Sprintf("everything sent arrived: towards this DUT the generator does %s, towards wire %s", mpps(e.rxPPS()), mpps(e.WireRxPPS))
	}
	return "everything sent arrived: the DUT may do more than the generator"
}

func behindWire(e Evidence) bool {
	return e.WireRxPPS > 0 && e.rxPPS() < WireClose*e.WireRxPPS
}

// insideDUT reports whether the DUT's own counters and what it got wrong
// explain the loss. A full queue says nothing about a DUT that shares its
// core with the generator.
func insideDUT(e Evidence) bool {
	inside := e.DUTDrops + e.Wrong
	if e.SharedCore {
		inside -= min(inside, e.QueueDrops)
	}
	return ratio(inside, shortfall(e.Tx, e.Rx)) >= explains
}

// starved reports whether the DUT had no CPU left because others used it: what it
// then drops is not its own limit.
func starved(e Evidence) bool {
	return e.Others() > othersMax && e.DUTCoreBusy >= busyFull || e.keptWaiting()
}

// lostElsewhere reports whether the loss was before the DUT, in the kernel's work
// on somebody else's core, while the DUT's own had time to spare.
func lostElsewhere(e Evidence) bool {
	return e.ReceivesElsewhere && !e.full() && ratio(e.LinkDrops, e.lost()) >= explains
}

// generatorWords say why the generator was too slow, as far as that is known.
func generatorWords(e Evidence) string {
	text := fmt.Sprintf("the generator's core was %s busy", percent(e.GeneratorBusy))
	if e.ReceivesElsewhere {
		text += ", in addition to what the kernel does there to receive for this DUT"
	}
	return text
}

func crowdedWords(e Evidence) string {
	text := fmt.Sprintf("others used %s of the DUT's core", percent(e.Others()))
	if e.oneTaken() {
		text = fmt.Sprintf("one of the DUT's %d cores was full, and others used %.2g of them, perhaps that one",
			e.DUTCoreCount, e.Others()*float64(e.DUTCoreCount))
	}
	if e.keptWaiting() {
		text += fmt.Sprintf(" and kept it waiting %s of the time", percent(e.RunQueueDelay))
	}
	return text
}

func ringWords(e Evidence) string {
	switch {
	case ratio(e.LinkDrops, e.lost()) >= explains:
		return " at the ring in front of the DUT"
	case e.Unattributed > 0:
		return fmt.Sprintf(" (%s packets without a trace)", count(e.Unattributed))
	}
	return ""
}

func busyWords(e Evidence) string {
	switch {
	case e.DUTCoreBusy <= 0 && e.DUTCores > 0:
		return fmt.Sprintf("the DUT used %.2f cores, and how full the CPUs that it ran on were is not known", e.DUTCores)
	case e.DUTCoreBusy <= 0:
		return "how full the CPUs of the DUT were is not known"
	case e.Polls && e.Useful <= 0:
		return "its core always busy, for it polls"
	case e.Polls:
		return fmt.Sprintf("its core at useful work %s of the time", percent(e.Useful))
	case e.DUTCoreCount > 1 && e.BusiestCore > 0:
		return fmt.Sprintf("the busiest of its %d cores %s busy", e.DUTCoreCount, percent(e.BusiestCore))
	case e.DUTCoreBusy < busyIdle:
		return fmt.Sprintf("its core only %s busy (bursts or wake-ups)", percent(e.DUTCoreBusy))
	default:
		return fmt.Sprintf("its core %s busy", percent(e.DUTCoreBusy))
	}
}
