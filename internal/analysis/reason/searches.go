package reason

import "github.com/upflab/upflab/internal/record"

// ofSearches are the reasons of searches for a rate.
func ofSearches() []Reason {
	bad, doubt := entries[record.SearchReason](NotValid), entries[record.SearchReason](Doubt)
	return []Reason{
		bad(record.ReasonNoUpperBound, "highest load carried", "Even the highest load was carried: the rate is at least that.",
			"The bench offers no more, or search.max is low.", "Raise the highest load, or use a faster engine."),
		bad(record.ReasonNoLowerBound, "lowest load lost packets", "Even the lowest load lost more than the goal allows: the rate is below it.",
			"Packets are lost at any load, or the lowest load is high.",
			"Lower search.min, or allow more loss: the partial drop rate. Look at where packets are lost."),
		bad(record.ReasonBenchLimit, "bench reached first", "Above the lower bound the bench failed, not the UPF: the rate is at least the lower bound.",
			"Generator, sink or link were full.", "Use a faster engine, more CPUs or faster links."),
		bad(record.ReasonNoConvergence, "bounds too far apart", "The bounds did not come as close as the goal asks: the rate lies between them.",
			"The UPF or the machine changes from trial to trial.", "Use a quiet machine, or give the search more time."),
		bad(record.ReasonUnstable, "UPF changed", "At the end of the search the UPF behaved otherwise than the bounds say.",
			"The UPF or the machine changed while the search ran: caches, frequency, other guests.",
			"Repeat on a quiet machine; --set repeats=3 shows how much it changes."),
		doubt(record.ReasonUnsteady, "UPF changed a little", "At the end of the search the UPF was a little off the bounds; the rate is kept.",
			"Small changes of the UPF or the machine.", "Read the rate with the margin that is shown."),
		doubt(record.ReasonRepeated, "searched twice", "The rate is that of a second search, because the UPF had changed in the first.",
			"The UPF or the machine changed while the first search ran.", "Compare with another run."),
		doubt(record.ReasonUnverified, "not verified", "No time was left to look at the bounds again; the rate is kept.",
			"The search used up its time.", "Give it more: --set search.budget=10m."),
		doubt(record.ReasonCoarse, "coarse bounds", "The bounds are wider than the goal asks, because the time ended; the rate is kept.",
			"The search used up its time.", "Give it more: --set search.budget=10m."),
		doubt(record.ReasonWireLimit, "wire is no faster", "Wire (no UPF) does not carry the rate with a margin either: the UPF does at least that.",
			"The bench is the limit.", "Use a faster engine or faster links."),
		bad(record.ReasonLossFloor, "loss at any load", "Packets are lost at any load alike, so no load is without loss.",
			"A fault of the path, a full queue elsewhere, or a machine that pauses.",
			"Look at where the packets are lost. The partial drop rate allows for some loss."),
		bad(record.ReasonOutOfTime, "out of time", "The search used up its time.", "Trials had to be repeated, or took long.",
			"Give it more: --set search.budget=10m, or measure on a quiet machine."),
		bad(record.ReasonInvalidTrials, "trials stayed invalid", "Trials at one load stayed invalid, however often they were repeated.",
			"The machine is disturbed: see the reasons of the trials.", "Use a quiet machine or dedicated CPUs."),
		bad(record.ReasonNothingSent, "nothing sent", "The generator sent no packet.", "The engine could not send on this link.",
			"Try another one: --set engine=af_packet. `upflab doctor` says which work."),
		bad(record.ReasonTrialFailed, "trial failed", "A trial ended with an error.", "The UPF or the bench failed.",
			"Read the error in the report and the logs in the result's folder."),
		bad(record.ReasonInterrupted, "interrupted", "The search was interrupted.", "Ctrl-C, a signal, or a lost terminal.", "Repeat the run."),
		bad(record.ReasonNotBackToBack, "burst with gaps", "The bursts were not sent at the rate that they should be.",
			"The generator is slower than the link.", "Use a faster engine, or larger frames."),
	}
}
