package consistency

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// agreeing is a result in which nothing contradicts itself: a paced trial of 2 s with disturbed
// windows, a tenth of a percent lost in a ring, a search, a soak and a model.
func agreeing() *record.Result {
	l := &record.Latency{Min: 100, Mean: 250, P50: 200, P90: 300, P95: 350, P99: 400, P999: 500, P9999: 600, Max: 700, Count: 999_000,
		P50Low: 190, P50High: 210, P99Low: 390, P99High: 410, Buckets: []record.Bucket{{UpTo: 200, Count: 500_000}, {UpTo: 700, Count: 499_000}}}
	t := record.Trial{
		Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: 500e3}, DurationS: 2,
		Sending: record.Sending{Intended: 1_000_000},
		Traffic: record.Traffic{
			TxPackets: 1_000_000, RxPackets: 999_000, TxPPS: 500e3, RxPPS: 499.5e3, TxL2bps: 400e6,
			RxL2bps: 300e6, FrameLossRatio: 0.001, Latency: l, LossRuns: []record.LossRun{{Length: 1, Count: 100}, {Length: 10, Count: 100}},
			Wrong: 50,
		},
		PacketSize: record.PacketSize{FrameBytes: 100},
		Losses: record.Losses{
			WrongWhy: []record.Count{{Place: "TEID", Packets: 50}},
			Drops:    []record.Count{{Place: record.PlaceUPFRing, Side: record.SideLink, Packets: 1100}}, Unattributed: 50,
		},
		Cost: record.Cost{CPU: record.CPU{DUTCores: 0.5, CoreBusy: 0.6, DUTParts: []record.Share{{Name: "threads", Cores: 0.2}, {Name: "softirq", Cores: 0.3}}}},
		Excluded: &record.Excluded{Windows: 10, Of: 2000, Seconds: 0.01, TxPackets: 5000, RxPackets: 4800,
			Causes: []record.Disturbance{{Cause: "paused", Count: 3, Seconds: 0.004, Longest: 0.002}}},
		Evidence:  &record.Evidence{TxRatio: 1, DUTDrops: 50, QueueDrops: 20, RunQueueDelay: new(0.1)},
		Series:    []record.Point{{T: 1, P50: 200, P99: 400}, {T: 2}},
		Soak:      &record.Soak{Drifts: []record.Drift{{PerHour: 2, LowPerHr: 1, HighPerHr: 3, P: 0.001, Verdict: "rises"}}},
		Judgement: record.Judgement{LimitedBy: record.LimitDUT, Valid: true},
	}
	s := record.Search{
		MinPPS: 1, MaxPPS: 100, Judgement: record.Judgement{Valid: true},
		Goals:  []record.SearchGoal{{LowerPPS: 10, UpperPPS: 11, Regular: true, Judgement: record.Judgement{Valid: true}}},
		Trials: []record.SearchTrial{{Sent: 10, Lost: 1}},
	}
	m := record.Model{Name: "M/M/1", Chosen: true, Parameters: []record.ModelParameter{{Value: 2, Low: 1, High: 3}},
		Curve: []record.ModelPoint{{LoadPPS: 1}, {LoadPPS: 2}}}
	started := time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("CET", 3600))
	return &record.Result{Started: started, Finished: started.Add(time.Minute),
		DUTs: []record.DUT{{Name: "upf", Trials: []record.Trial{t}, Searches: []record.Search{s}, Models: []record.Model{m},
			SafeLoads: []record.SafeLoad{{PPS: 5, LowPPS: 4, HighPPS: 6}},
			Flows:     []record.AppFlow{{Valid: true, Packets: 10, Lost: 1, RTT: &record.AppTime{Min: 1, P50: 2, P99: 3, Max: 4}}}}}}
}

func TestCheckFindsNothing(t *testing.T) {
	if found := Check(agreeing()); len(found) > 0 {
		t.Errorf("%q", found)
	}
}

// A goal that the time ended before its bounds were as near as it asks is no contradiction.
func TestCheckOfACoarseGoal(t *testing.T) {
	r := agreeing()
	r.DUTs[0].Searches[0].Goals[0] = record.SearchGoal{
		LowerPPS: 10, UpperPPS: 11,
		Judgement: record.Judgement{Valid: true, ReasonCodes: []string{"coarse"}, Reasons: []string{"the time ended"}},
	}
	if found := Check(r); len(found) > 0 {
		t.Errorf("%q", found)
	}
}

// Each change makes one thing of the result contradict another.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		why, want string
		change    func(r *record.Result, t *record.Trial)
	}{
		{"a share above 1", "duts[0].trials[0].frame_loss_ratio is 1.2, and a share is 0..1",
			func(_ *record.Result, t *record.Trial) { t.FrameLossRatio = 1.2 }},
		{"one below 0", "evidence.others_busy is -0.1", func(_ *record.Result, t *record.Trial) { t.Evidence.Others = new(-0.1) }},
		{"one in a list", "per_core[0].busy is 1.5", func(_ *record.Result, t *record.Trial) { t.CPU.PerCore = []record.CoreUse{{Busy: 1.5}} }},
		{"one that is left out where it is not known", "useful_ratio is 2", func(_ *record.Result, t *record.Trial) { two := 2.; t.CPU.UsefulRatio = &two }},
		{"a number that is none", "rx_pps is NaN", func(_ *record.Result, t *record.Trial) { t.RxPPS = math.NaN() }},
		{"a rate below 0", "pps is -1, below 0", func(r *record.Result, _ *record.Trial) { r.DUTs[0].SafeLoads[0].OtherPPS = -1 }},
		{"more arrives than was sent", "1000201 lost of 1000000 sent|arrived of", func(_ *record.Result, t *record.Trial) { t.RxPackets = 1_001_000 }},
		{"a loss ratio of other counts", "a loss ratio of 0.002, with 1000 of 1000000 lost",
			func(_ *record.Result, t *record.Trial) { t.FrameLossRatio = 0.002 }},
		{"places that do not add up", "50 packets without a place, and 250 are missing", func(_ *record.Result, t *record.Trial) { t.Drops[0].Packets = 900 }},
		{"places of the whole trial, losses of the kept part", "50 packets without a place, and 0 are missing",
			func(_ *record.Result, t *record.Trial) { t.Excluded = nil }},
		{"wrong packets without reason", "60 wrong packets, and 50 by their reasons",
			func(_ *record.Result, t *record.Trial) { t.Wrong, t.Unattributed = 60, 40 }},
		{"runs of more than was lost", "lost in runs", func(_ *record.Result, t *record.Trial) { t.LossRuns[1].Count = 2000 }},
		{"a rate of another time", "packets/s sent, and 1000000 packets in 2 s are 500000", func(_ *record.Result, t *record.Trial) { t.TxPPS = 510e3 }},
		{"a received rate above its packets", "packets/s received", func(_ *record.Result, t *record.Trial) { t.RxPPS = 500e3 }},
		{"octets as bits", "bits/s sent", func(_ *record.Result, t *record.Trial) { t.TxL2bps = 50e6 }},
		{"CPU parts that do not add up", "0.5 cores used, and 0.6", func(_ *record.Result, t *record.Trial) { t.CPU.DUTParts[1].Cores = 0.4 }},
		{"directions that do not add up", "by directions",
			func(_ *record.Result, t *record.Trial) {
				t.Flows = []record.Flow{{Traffic: record.Traffic{TxPackets: 1, RxPackets: 1}}}
			}},
		{"quantiles out of order", "latency_ns p90 is 450 and p95 350", func(_ *record.Result, t *record.Trial) { t.Latency.P90 = 450 }},
		{"the mean beyond the maximum", "the mean is 800 and max 700", func(_ *record.Result, t *record.Trial) { t.Latency.Mean = 800 }},
		{"an interval without its point", "p99 is 400 and its upper bound 395", func(_ *record.Result, t *record.Trial) { t.Latency.P99High = 395 }},
		{"a histogram of other values", "999000 values, and 999001 in its buckets", func(_ *record.Result, t *record.Trial) { t.Latency.Buckets[0].Count++ }},
		{"carried whole, with loss", "limited by none, with a loss ratio", func(_ *record.Result, t *record.Trial) { t.LimitedBy = record.LimitNone }},
		{"the DUT's limit, without loss", "limited by the DUT, which lost nothing",
			func(_ *record.Result, t *record.Trial) { t.RxPackets, t.FrameLossRatio = t.TxPackets, 0 }},
		{"a limit that is none", `limited by "disk"`, func(_ *record.Result, t *record.Trial) { t.LimitedBy = "disk" }},
		{"not valid for no reason", "it is not valid, for no reason", func(_ *record.Result, t *record.Trial) { t.Valid = false }},
		{"valid with faults", "it is valid, with faults", func(_ *record.Result, t *record.Trial) { t.Faults = []record.Fault{record.FaultSteal} }},
		{"more windows than there are", "2001 windows disturbed of 2000 windows", func(_ *record.Result, t *record.Trial) { t.Excluded.Windows = 2001 }},
		{"a disturbance longer than all of them", "s the longest", func(_ *record.Result, t *record.Trial) { t.Excluded.Causes[0].Longest = 1 }},
		{"queues that dropped more than the DUT", "60 dropped at queues of 50", func(_ *record.Result, t *record.Trial) { t.Evidence.QueueDrops = 60 }},
		{"time that runs back", "a point is 1 and the next 0.5", func(_ *record.Result, t *record.Trial) { t.Series[1].T = 0.5 }},
		{"a trend that is not significant", "it rises, with p = 0.2", func(_ *record.Result, t *record.Trial) { t.Soak.Drifts[0].P = 0.2 }},
		{"a trend the other way", "it rises by -2 an hour",
			func(_ *record.Result, t *record.Trial) { t.Soak.Drifts[0].PerHour, t.Soak.Drifts[0].LowPerHr = -2, -3 }},
		{"a slope outside its interval", "2 an hour, between 2.5 and 3", func(_ *record.Result, t *record.Trial) { t.Soak.Drifts[0].LowPerHr = 2.5 }},
		{"bounds that crossed", "the lower bound is 12 and the upper bound 11",
			func(r *record.Result, _ *record.Trial) { r.DUTs[0].Searches[0].Goals[0].LowerPPS = 12 }},
		{"a goal without bounds", "it is valid without a lower bound",
			func(r *record.Result, _ *record.Trial) { r.DUTs[0].Searches[0].Goals[0].Regular = false }},
		{"a coarse goal whose bounds are far apart",
			"it is coarse: regular false, verified false, between 9.8 and 11", func(r *record.Result, _ *record.Trial) {
				r.DUTs[0].Searches[0].Goals[0] = record.SearchGoal{
					LowerPPS: 9.8, UpperPPS: 11,
					Judgement: record.Judgement{Valid: true, ReasonCodes: []string{"coarse"}, Reasons: []string{"the time ended"}},
				}
			}},
		{"one that has no upper bound", "it is coarse: regular false, verified false, between 10 and 0", func(r *record.Result, _ *record.Trial) {
			r.DUTs[0].Searches[0].Goals[0] = record.SearchGoal{
				LowerPPS:  10,
				Judgement: record.Judgement{Valid: true, ReasonCodes: []string{"coarse"}, Reasons: []string{"the time ended"}},
			}
		}},
		{"one that is regular", "it is coarse: regular true",
			func(r *record.Result, _ *record.Trial) {
				r.DUTs[0].Searches[0].Goals[0].ReasonCodes = []string{"coarse"}
			}},
		{"a standard's name on a coarse goal", "it has the name of RFC 9971, with bounds that are only coarse", func(r *record.Result, _ *record.Trial) {
			s := &r.DUTs[0].Searches[0]
			s.Standard, s.Goals[0].Regular, s.Goals[0].ReasonCodes = "RFC 9971", false, []string{"coarse"}
		}},
		{"more lost than sent", "11 lost of 10 sent", func(r *record.Result, _ *record.Trial) { r.DUTs[0].Searches[0].Trials[0].Lost = 11 }},
		{"a model that is chosen and rejected", "is chosen, and rejected as misfit",
			func(r *record.Result, _ *record.Trial) { r.DUTs[0].Models[0].Rejected = "misfit" }},
		{"a parameter outside its interval", "the value is 2 and high 1.5",
			func(r *record.Result, _ *record.Trial) { r.DUTs[0].Models[0].Parameters[0].High = 1.5 }},
		{"a safe load outside its interval", "the lower bound is 5.5 and the safe load 5",
			func(r *record.Result, _ *record.Trial) { r.DUTs[0].SafeLoads[0].LowPPS = 5.5 }},
		{"CPU at a load that there is not", "2 cores at a load that there is not",
			func(r *record.Result, _ *record.Trial) { r.DUTs[0].SafeLoads[0] = record.SafeLoad{CPUCores: 2} }},
		{"pings out of order", "p99 is 5 and max 4", func(r *record.Result, _ *record.Trial) { r.DUTs[0].Flows[0].RTT.P99 = 5 }},
		{"an end before the start", "it finished before it started", func(r *record.Result, _ *record.Trial) { r.Finished = r.Started.Add(-time.Second) }},
	} {
		r := agreeing()
		c.change(r, &r.DUTs[0].Trials[0])
		found := strings.Join(Check(r), "\n")
		ok := false
		for want := range strings.SplitSeq(c.want, "|") {
			ok = ok || strings.Contains(found, want)
		}
		if !ok {
			t.Errorf("%s: found %q, want %q", c.why, found, c.want)
		}
	}
}
