package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// paced is a clean trial of 500 kpps for 3 s; the rows change what they are about.
func paced(change func(*Evidence)) Evidence {
	e := Evidence{
		Intended: 1_500_000, Tx: 1_500_000, Rx: 1_500_000,
		GeneratorBusy: 0.2, DUTCoreBusy: 0.5, DUTCores: 0.45,
		WireRxPPS: 500_000, DurationS: 3, WantedS: 3, Samples: 1_500_000,
	}
	change(&e)
	return e
}

// unpaced is 3 s at max: 5 Mpps sent, 2.5 received, wire takes 4.8.
func unpaced(change func(*Evidence)) Evidence {
	e := Evidence{
		Max: true, Intended: 15_000_000, Tx: 15_000_000, Rx: 7_500_000, LinkDrops: 7_500_000,
		GeneratorBusy: 1, DUTCoreBusy: 0.99, DUTCores: 0.98,
		WireRxPPS: 4_800_000, DurationS: 3, WantedS: 3, Samples: 7_500_000,
	}
	change(&e)
	return e
}

// TestLinkDown: what is lost on a link that was down is no verdict on the UPF, nor on its ring.
func TestLinkDown(t *testing.T) {
	checkVerdicts(t, []verdictCase{
		{"the UPF's end", paced(func(e *Evidence) {
			e.Rx, e.LinkDrops, e.LinksDown, e.External = 5000, 1_495_000, []string{"N3 (n3)"}, true
		}),
			record.LimitLink, false, "the link of N3 (n3) was down during the trial"},
		{"upflab's end, at max", unpaced(func(e *Evidence) { e.Rx, e.Unattributed, e.LinksDown = 5000, 14_995_000, []string{"N6 (n6)"} }),
			record.LimitLink, false, "the link of N6 (n6) was down"},
		{"both links", unpaced(func(e *Evidence) {
			e.Rx, e.Unattributed, e.LinksDown = 5000, 14_995_000, []string{"N3 (n3)", "N6 (n6)"}
		}),
			record.LimitLink, false, "the links of N3 (n3) and N6 (n6) were down"},
	})
}

type verdictCase struct {
	story  string
	e      Evidence
	limit  record.Limit
	valid  bool
	reason string // part of one of the reasons; "" means there are none
}

func checkVerdicts(t *testing.T, cases []verdictCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.story, func(t *testing.T) {
			v := Judge(c.e)
			if v.LimitedBy != c.limit || v.Valid != c.valid {
				t.Errorf("got %s valid=%v, want %s valid=%v; reasons %q", v.LimitedBy, v.Valid, c.limit, c.valid, v.Reasons)
			}
			if v.Reasons == nil {
				t.Error("reasons are nil: JSON would say null")
			}
			if c.reason == "" && len(v.Reasons) > 0 {
				t.Errorf("unexpected reasons %q", v.Reasons)
			}
			if c.reason != "" && !slices.ContainsFunc(v.Reasons, func(r string) bool { return strings.Contains(r, c.reason) }) {
				t.Errorf("no reason says %q: %q", c.reason, v.Reasons)
			}
		})
	}
}

func TestJudgePaced(t *testing.T) {
	checkVerdicts(t, []verdictCase{
		{"everything offered arrives", paced(func(e *Evidence) {}), record.LimitNone, true, ""},
		{"a 10 Gbit/s link has room for frames of 1518 octets",
			paced(func(e *Evidence) { e.OfferedPPS, e.LineRatePPS = 500e3, 812_743 }), record.LimitNone, true, ""},
		{"a 1 Gbit/s link has not", paced(func(e *Evidence) {
			e.Tx, e.GeneratorBusy, e.OfferedPPS, e.LineRatePPS = 243_800, 1, 500e3, 81_274
			e.Rx = e.Tx
		}), record.LimitLink, false, "the link carries 0.0813 Mpps of these frames, and 0.5 Mpps were offered"},
		{"fourteen of a million and a half are lost", paced(func(e *Evidence) { e.Rx -= 14 }), record.LimitNone, true, ""},
		{"the last slot falls due as the trial ends",
			paced(func(e *Evidence) { e.Intended = 11; e.Tx = 10; e.Rx = 10; e.Samples = 0 }), record.LimitNone, true,
			""},
		{"one core cannot send that much",
			paced(func(e *Evidence) { e.Tx = 1_486_500; e.Rx = e.Tx; e.GeneratorBusy = 0.99 }), record.LimitGenerator,
			false, "generator sent 0.9 % less than intended"},
		{"so, and the DUT sits on the same core",
			paced(func(e *Evidence) { e.Tx = 1_400_000; e.Rx = e.Tx; e.SharedCore = true }), record.LimitHost, false,
			"share one core"},
		{"a restarted system call sends everything twice", paced(func(e *Evidence) { e.Tx *= 2; e.Rx = e.Tx }),
			record.LimitNone, false, "more than intended"},
		{"the core is full and the ring overflows",
			paced(func(e *Evidence) { e.Rx = 1_300_000; e.LinkDrops = 200_000; e.DUTCoreBusy = 0.98; e.DUTCores = 0.97 }),
			record.LimitDUT, true, "98 % busy"},
		{"the DUT counts its own drops", paced(func(e *Evidence) { e.Rx = 1_400_000; e.DUTDrops = 100_000 }),
			record.LimitDUT, true, "100,000 dropped or changed"},
		{"its second thread idles, so the mean looks easy; wire shows it",
			paced(func(e *Evidence) { e.Rx = 1_200_000; e.LinkDrops = 300_000 }), record.LimitDUT, true,
			"at the same load wire received 0.5 Mpps against 0.4 Mpps"},
		{"a wake-up overflows the ring now and then",
			paced(func(e *Evidence) { e.Rx = 1_499_000; e.LinkDrops = 1_000 }), record.LimitLink, true,
			"at the ring in front of the DUT, its core only 50 % busy"},
		{"the generator stood still and then caught up faster than the DUT takes it", paced(func(e *Evidence) {
			e.Rx = 1_499_000
			e.LinkDrops, e.Stalls, e.LatenessMaxNS = 1_000, 2, 3e6
		}), record.LimitHost, false, "stalled for 3 ms, then sent 1,500 late packets"},
		{"everything was sent, a sixth of the time too late", paced(func(e *Evidence) {
			e.DurationS, e.LatenessMaxNS, e.GeneratorBusy = e.WantedS*1.15, uint64(e.WantedS*0.15e9), 1
		}), record.LimitGenerator, false, "did not reach the load"},
		{"Poisson arrivals end when they end", paced(func(e *Evidence) { e.DurationS = e.WantedS * 1.04 }), record.LimitNone, true, ""},
		{"so, but the DUT lost far more than that", paced(func(e *Evidence) {
			e.Rx = 1_300_000
			e.LinkDrops, e.Stalls, e.LatenessMaxNS, e.DUTCoreBusy, e.DUTCores = 200_000, 2, 3e6, 0.98, 0.97
		}), record.LimitDUT, true, "98 % busy"},
		{"neither full nor idle is no proof",
			paced(func(e *Evidence) { e.Rx = 1_499_000; e.LinkDrops = 1_000; e.DUTCoreBusy = 0.8; e.DUTCores = 0.8 }),
			record.LimitLink, true, "its core 80 % busy"},
		{"lost without a trace on a machine we cannot see into", paced(func(e *Evidence) {
			e.Rx = 1_490_000
			e.Unattributed = 10_000
			e.DUTCoreBusy = 0
			e.WireRxPPS = 0
		}), record.LimitUnknown, true, "without a trace"},
		{"a backup job runs on the DUT's core",
			paced(func(e *Evidence) { e.Rx = 1_300_000; e.LinkDrops = 200_000; e.DUTCoreBusy = 0.99; e.DUTCores = 0.5 }),
			record.LimitHost, true, "others used 49 % of the DUT's core"},
		{"one core does all and loses", paced(func(e *Evidence) {
			e.Rx = 1_300_000
			e.LinkDrops = 200_000
			e.SharedCore = true
			e.DUTCoreBusy = 1
		}), record.LimitHost, true, "share one core"},
		{"a real-time job of a tenth of the core keeps the DUT waiting", paced(func(e *Evidence) {
			e.Rx = 1_480_000
			e.LinkDrops, e.DUTCoreBusy, e.DUTCores, e.RunQueueDelay = 20_000, 0.6, 0.48, 0.1
		}), record.LimitHost, true, "others used 12 % of the DUT's core and kept it waiting 10 % of the time"},
		{"so, and the packets overflow the DUT's socket", paced(func(e *Evidence) {
			e.Rx = 1_480_000
			e.DUTDrops, e.QueueDrops, e.DUTCoreBusy, e.DUTCores, e.RunQueueDelay = 20_000, 20_000, 0.6, 0.48, 0.1
		}), record.LimitHost, true, "kept it waiting"},
		{"its own threads wait for each other: the DUT is full", paced(func(e *Evidence) {
			e.Rx = 1_300_000
			e.LinkDrops, e.DUTCoreBusy, e.DUTCores, e.RunQueueDelay = 200_000, 1, 0.95, 0.6
		}), record.LimitDUT, true, "100 % busy"},
		{"threads wait a little, and nobody else was there", paced(func(e *Evidence) {
			e.Rx = 1_499_000
			e.LinkDrops, e.RunQueueDelay = 1_000, 0.08
		}), record.LimitLink, true, "its core only 50 % busy"},
		{"a DUT that polls is always busy, so that proves nothing", paced(func(e *Evidence) {
			e.Rx = 1_499_000
			e.LinkDrops, e.DUTCoreBusy, e.DUTCores, e.Polls = 1_000, 1, 1, true
		}), record.LimitLink, true, "always busy, for it polls"},
		{"it polls, says that it worked all the time, and is on its own", paced(func(e *Evidence) {
			e.Rx = 1_499_000
			e.LinkDrops, e.DUTCoreBusy, e.DUTCores, e.Polls, e.Useful = 1_000, 1, 1, true, 0.97
		}), record.LimitDUT, true, "97 % of its core at useful work"},
		{"it polls and worked half of the time", paced(func(e *Evidence) {
			e.Rx = 1_499_000
			e.LinkDrops, e.DUTCoreBusy, e.DUTCores, e.Polls, e.Useful = 1_000, 1, 1, true, 0.5
		}), record.LimitLink, true, "at useful work 50 % of the time"},
		{"it polls, and half of its core went to somebody else", paced(func(e *Evidence) {
			e.Rx = 1_300_000
			e.LinkDrops, e.DUTCoreBusy, e.DUTCores, e.Polls, e.RunQueueDelay = 200_000, 1, 0.5, true, 0.5
		}), record.LimitHost, true, "kept it waiting 50 %"},
		{"it polls and is behind wire", paced(func(e *Evidence) {
			e.Rx = 1_200_000
			e.LinkDrops, e.DUTCoreBusy, e.DUTCores, e.Polls = 300_000, 1, 1, true
		}), record.LimitDUT, true, "at the same load wire received"},
		{"a socket UPF's receive work overflows on the sink's core", paced(func(e *Evidence) {
			e.Rx = 1_200_000
			e.LinkDrops, e.ReceivesElsewhere = 300_000, true
		}), record.LimitLink, true, "receives for it on another core; its core only 50 % busy"},
		{"so, but the UPF is full", paced(func(e *Evidence) {
			e.Rx = 1_200_000
			e.LinkDrops, e.ReceivesElsewhere, e.DUTCoreBusy, e.DUTCores = 300_000, true, 0.99, 0.98
		}), record.LimitDUT, true, "99 % busy"},
		{"a socket overflows while generator and DUT share a core", paced(func(e *Evidence) {
			e.Rx = 1_400_000
			e.DUTDrops, e.QueueDrops, e.SharedCore, e.DUTCoreBusy = 100_000, 100_000, true, 1
		}), record.LimitHost, true, "share one core"},
		{"on a shared core the DUT drops by its rules", paced(func(e *Evidence) {
			e.Rx = 1_400_000
			e.DUTDrops, e.SharedCore, e.DUTCoreBusy, e.DUTCores = 100_000, true, 1, 0.9
		}), record.LimitDUT, true, "100,000 dropped"},
		{"something else had the generator's core", paced(func(e *Evidence) {
			e.Tx = 1_400_000
			e.Rx, e.Stalls = e.Tx, 20
		}), record.LimitHost, false, "stalled 20 times"},
		{"the kernel receives for the DUT where the generator sends", paced(func(e *Evidence) {
			e.Tx = 1_400_000
			e.Rx, e.ReceivesElsewhere, e.GeneratorBusy = e.Tx, true, 0.97
		}), record.LimitGenerator, false, "in addition to what the kernel does there"},
		{"wire loses too", paced(func(e *Evidence) { e.Reference = true; e.Rx = 1_400_000; e.LinkDrops = 100_000; e.DUTCoreBusy = 1 }),
			record.LimitLink, true, "the bench itself lost"},
		{"wire on the generator's core loses",
			paced(func(e *Evidence) { e.Reference = true; e.Rx = 1_400_000; e.SharedCore = true }), record.LimitHost,
			true, "share one core"},
	})
}

func TestJudgeMax(t *testing.T) {
	checkVerdicts(t, []verdictCase{
		{"half of what wire takes", unpaced(func(e *Evidence) {}), record.LimitDUT, true,
			"wire received 4.8 Mpps where the DUT received 2.5 Mpps"},
		{"sent at line rate", unpaced(func(e *Evidence) {
			e.Tx = 2_438_229
			e.Intended = e.Tx
			e.Rx = e.Tx
			e.LinkDrops = 0
			e.LineRatePPS = 812_743
		}), record.LimitLink, true, "the link was full: it carries 0.813 Mpps"},
		{"sent at half of it", unpaced(func(e *Evidence) {
			e.Tx = 1_219_000
			e.Intended = e.Tx
			e.Rx = e.Tx
			e.LinkDrops = 0
			e.LineRatePPS = 812_743
		}), record.LimitGenerator, true, "towards this DUT the generator does 0.406 Mpps"},
		{"four percent behind wire may be the bench",
			unpaced(func(e *Evidence) { e.Rx = 13_824_000; e.LinkDrops = 1_176_000 }), record.LimitLink, true,
			"wire is no faster: 4.8 Mpps against 4.61 Mpps"},
		{"wire failed, so the ceiling is unknown", unpaced(func(e *Evidence) { e.WireRxPPS = 0 }), record.LimitLink,
			true, "wire was not measured"},
		{"a TUN DUT slows the sender and loses nothing",
			unpaced(func(e *Evidence) { e.Tx = 2_900_000; e.Intended = e.Tx; e.Rx = e.Tx; e.LinkDrops = 0 }),
			record.LimitGenerator, true, "towards this DUT the generator does 0.967 Mpps, towards wire 4.8 Mpps"},
		{"everything sent arrives, as with wire",
			unpaced(func(e *Evidence) { e.Rx = e.Tx; e.LinkDrops = 0; e.WireRxPPS = 5_000_000 }),
			record.LimitGenerator, true, "the DUT may do more"},
		{"one core does all", unpaced(func(e *Evidence) { e.SharedCore = true }), record.LimitHost, true, "that of both together"},
		{"a neighbour on the DUT's core", unpaced(func(e *Evidence) { e.DUTCores = 0.5 }), record.LimitHost, true, "others used 49 %"},
		{"kept waiting by less than a fifth", unpaced(func(e *Evidence) { e.DUTCores, e.RunQueueDelay = 0.85, 0.15 }),
			record.LimitHost, true, "kept it waiting 15 %"},
		{"full before the socket UPF, on another core",
			unpaced(func(e *Evidence) { e.ReceivesElsewhere, e.DUTCoreBusy, e.DUTCores = true, 0.4, 0.4 }),
			record.LimitLink, true, "on another core"},
		{"four cores, all the DUT's own", unpaced(func(e *Evidence) { e.DUTCores = 3.9; e.DUTCoreCount = 4 }),
			record.LimitDUT, true, "wire received"},
		{"wire takes all that is sent",
			unpaced(func(e *Evidence) { e.Reference = true; e.Rx = e.Tx; e.LinkDrops = 0; e.WireRxPPS = 0 }),
			record.LimitGenerator, true, "the generator's own ceiling"},
		{"wire overflows", unpaced(func(e *Evidence) { e.Reference = true; e.WireRxPPS = 0 }), record.LimitLink, true,
			"the bench itself lost 50 %"},
		{"wire and generator on one core", unpaced(func(e *Evidence) { e.Reference = true; e.SharedCore = true }),
			record.LimitHost, true, "share one core"},
	})
}

func TestJudgeFaults(t *testing.T) {
	checkVerdicts(t, []verdictCase{
		{"nothing left the generator", paced(func(e *Evidence) { e.Tx, e.Rx = 0, 0 }), record.LimitGenerator, false,
			"the generator sent nothing"},
		{"nothing arrived", paced(func(e *Evidence) { e.Rx = 0; e.Unattributed = e.Tx }), record.LimitDUT, false,
			"none of 1,500,000 packets arrived"},
		{"nothing arrived over wire", paced(func(e *Evidence) { e.Rx = 0; e.Reference = true }), record.LimitLink,
			false, "none of 1,500,000 packets arrived"},
		{"the counters disagree", paced(func(e *Evidence) { e.Rx += 1_000 }), record.LimitNone, false, "counters are not to be believed"},
		{"the hypervisor gave the core away", paced(func(e *Evidence) { e.StealRatio = 0.031 }), record.LimitHost,
			false, "the hypervisor took 3.1 % of the time"},
		{"a pod's CPU limit stopped it",
			paced(func(e *Evidence) { e.ThrottledS, e.CPULimit = 0.3, 1.5; e.Rx -= 100_000 }), record.LimitHost,
			false, "CPU limit of the pod or container (1.5 CPUs)"},
		{"a pod's CPU limit was touched", paced(func(e *Evidence) { e.ThrottledS, e.CPULimit = 0.03, 1 }),
			record.LimitNone, true, "was reached, for 30 ms"},
		{"stolen time within the limit", paced(func(e *Evidence) { e.StealRatio = 0.02 }), record.LimitNone, true, ""},
		{"the DUT crashes", paced(func(e *Evidence) { e.Died = true; e.Rx = 700_000 }), record.LimitDUT, false, "the DUT ended during the trial"},
		{"our sink loses a thousandth", paced(func(e *Evidence) { e.Rx = 1_498_500; e.SinkDrops = 1_500 }),
			record.LimitGenerator, false, "our sink could not keep up: it lost 1,500 packets, 0.1 %"},
		{"our sink loses five packets", paced(func(e *Evidence) { e.Rx -= 5; e.SinkDrops = 5 }), record.LimitNone, true, ""},
		{"stopped after two of three seconds",
			paced(func(e *Evidence) { e.DurationS = 2; e.Intended, e.Tx, e.Rx = 1_000_000, 1_000_000, 1_000_000 }),
			record.LimitNone, false, "trial lasted 2 s of 3 s"},
		{"ten packets at one a second span nine seconds", paced(func(e *Evidence) {
			e.Intended, e.Tx, e.Rx = 10, 10, 10
			e.DurationS, e.WantedS, e.WireRxPPS, e.Samples = 9, 10, 1, 10
		}), record.LimitNone, true, "latency of 10 packets only"},
		{"a tenth is encapsulated wrongly", paced(func(e *Evidence) { e.Rx = 1_350_000; e.Wrong = 150_000 }),
			record.LimitDUT, false, "150,000 packets (10 % of those that arrived)"},
	})
}

func TestJudgeDoubts(t *testing.T) {
	checkVerdicts(t, []verdictCase{
		{"a few wrong packets are reported, not fatal", paced(func(e *Evidence) { e.Rx -= 10; e.Wrong = 10 }),
			record.LimitNone, true, "10 packets arrived, but not as the rules ask"},
		{"duplicates", paced(func(e *Evidence) { e.Duplicates = 3 }), record.LimitNone, true, "3 packets arrived more than once"},
		{"two percent left late", paced(func(e *Evidence) { e.LateSlots = 30_000; e.LatenessP99NS = 14_200 }),
			record.LimitNone, true, "2 % of the packets left over 10 µs late (p99 14.2 µs)"},
		{"slots that a pause made too late", paced(func(e *Evidence) { e.Tx -= 500; e.Rx -= 500; e.Skipped = 500 }),
			record.LimitNone, true, "500 packets were not sent (0.0333 % of those due), because the generator was over 500 µs late: " +
				"what was not sent counts in the latency as 500 µs late, which it was at least"},
		{"one slot that a pause made too late", paced(func(e *Evidence) { e.Tx--; e.Rx--; e.Skipped = 1 }), record.LimitNone, true,
			"1 packet was not sent (7e-05 % of those due)"},
		{"late slots mean nothing at max", unpaced(func(e *Evidence) { e.LateSlots = e.Tx }), record.LimitDUT, true, "wire received"},
		{"the generator was scheduled away once", paced(func(e *Evidence) { e.Stalls = 1 }), record.LimitNone, true,
			"stalled for more than 1 ms once"},
		{"a few ARP frames are usual", paced(func(e *Evidence) { e.Foreign = 4 }), record.LimitNone, true, ""},
		{"somebody floods the sink", paced(func(e *Evidence) { e.Foreign = 40_000 }), record.LimitNone, true, "40,000 frames at the sink"},
	})
}

func TestJudgeClocks(t *testing.T) {
	checkVerdicts(t, []verdictCase{
		{"somebody sets the clock", paced(func(e *Evidence) { e.ClockStepS = -3600 }), record.LimitNone, true,
			"set by -3.6e+03 s during the trial; no figure counts by it"},
		{"so, and the engine takes latency by it",
			paced(func(e *Evidence) { e.ClockStepS = 0.5; e.ByWallClock = true }), record.LimitNone, false,
			"by which latency was taken, was set by +0.5 s"},
		{"the lid was closed", paced(func(e *Evidence) { e.SuspendedS = 60 }), record.LimitNone, true,
			"suspended for 60 s during the trial; the figures leave that time out"},
		{"so, with a UPF elsewhere", paced(func(e *Evidence) { e.SuspendedS = 60; e.External = true }),
			record.LimitNone, false, "and the UPF elsewhere was not"},
	})
}

func TestFaultsComeFirst(t *testing.T) {
	v := Judge(unpaced(func(e *Evidence) { e.StealRatio = 0.05; e.Stalls = 2 }))
	if len(v.Reasons) != 2 || !strings.Contains(v.Reasons[0], "hypervisor") {
		t.Errorf("reasons %q: want the fault, then the doubt", v.Reasons)
	}
}

// Evidence that means hide: one core of four, one thread, one CPU of 16, and loss that wire has too.
func TestJudgeWhatMeansHide(t *testing.T) {
	lossy := func(change func(*Evidence)) Evidence {
		return paced(func(e *Evidence) {
			e.Rx, e.LinkDrops, e.DUTCoreCount = 1_450_000, 50_000, 4
			e.DUTCoreBusy, e.DUTCores, e.BusiestCore, e.BusiestThread = 0.26, 1.02, 0.3, 0.2
			change(e)
		})
	}
	checkVerdicts(t, []verdictCase{
		{"none of four cores is full", lossy(func(e *Evidence) {}), record.LimitLink, true, "the busiest of its 4 cores 30 % busy"},
		{"one of four cores is full of softirqs", lossy(func(e *Evidence) { e.BusiestCore = 0.99 }), record.LimitDUT,
			true, "one of its 4 cores 99 % busy, and all 26 % in the mean"},
		{"one thread is full, and moves from core to core",
			lossy(func(e *Evidence) { e.BusiestCore, e.BusiestThread = 0.5, 0.97 }), record.LimitDUT, true,
			"one of its threads 97 % busy"},
		{"one of four cores is full, and half of a core is others'",
			lossy(func(e *Evidence) { e.BusiestCore, e.DUTCores = 0.99, 0.5 }), record.LimitHost, true,
			"others used 0.54 of them, perhaps that one"},
		{"so, but it is its own thread that is full",
			lossy(func(e *Evidence) {
				e.BusiestCore, e.BusiestThread, e.DUTCores, e.DUTCoreBusy = 0.99, 0.96, 0.96,
					0.35
			}), record.LimitDUT, true, "one of its threads 96 % busy"},
		{"a DUT that polls has a full thread always",
			lossy(func(e *Evidence) { e.Polls, e.BusiestCore, e.BusiestThread = true, 1, 1 }), record.LimitLink, true,
			"for it polls"},
		{"the core is full, and wire loses as much", paced(func(e *Evidence) {
			e.Rx, e.LinkDrops, e.DUTCoreBusy, e.DUTCores = 1_350_000, 150_000, 0.98, 0.97
			e.WireRxPPS, e.WireLossRatio = 455e3, 0.09
		}), record.LimitLink, true, "10 % lost, and wire loses 9 % at the same load"},
		{"so, but the DUT lost them itself", paced(func(e *Evidence) {
			e.Rx, e.DUTDrops, e.DUTCoreBusy, e.DUTCores = 1_350_000, 150_000, 0.98, 0.97
			e.WireRxPPS, e.WireLossRatio = 455e3, 0.09
		}), record.LimitDUT, true, "dropped or changed inside it"},
		{"the core is full, and wire loses a tenth of that", paced(func(e *Evidence) {
			e.Rx, e.LinkDrops, e.DUTCoreBusy, e.DUTCores = 1_350_000, 150_000, 0.98, 0.97
			e.WireRxPPS, e.WireLossRatio = 495e3, 0.01
		}), record.LimitDUT, true, "98 % busy"},
		{"the hypervisor takes 15 % of the UPF's CPU", paced(func(e *Evidence) { e.StealRatio = 0.15 }),
			record.LimitHost, false, "took 15 % of the time of a CPU of the run"},
		{"a tick of stolen time in a short trial is noise", paced(func(e *Evidence) {
			e.Intended, e.Tx, e.Rx, e.Samples = 150_000, 150_000, 150_000, 150_000
			e.DurationS, e.WantedS, e.StealRatio = 0.3, 0.3, 0.01/0.3
		}), record.LimitNone, true, ""},
		{"three are not", paced(func(e *Evidence) {
			e.Intended, e.Tx, e.Rx, e.Samples = 150_000, 150_000, 150_000, 150_000
			e.DurationS, e.WantedS, e.StealRatio = 0.3, 0.3, 0.03/0.3
		}), record.LimitHost, false, "hypervisor"},
	})
}

// TestWordsOfAProcessElsewhere: where the table has the CPU of external.pid, the text does not say that nothing is known.
func TestWordsOfAProcessElsewhere(t *testing.T) {
	e := Evidence{Tx: 1_000_000, Rx: 900_000, External: true, DUTCores: 0.43}
	want := "the DUT used 0.43 cores, and how full the CPUs that it ran on were is not known"
	if limit, why := limitAtMax(e); limit != record.LimitUnknown || !strings.HasSuffix(why, want) {
		t.Errorf("%s: %s", limit, why)
	}
	e.DUTCores = 0
	if _, why := limitAtMax(e); !strings.HasSuffix(why, "how full the CPUs of the DUT were is not known") {
		t.Error(why)
	}
}
