package selftest

import (
	"time"

	"github.com/upflab/upflab/internal/record"
)

// experiment is one run and what of it is checked.
type experiment struct {
	name string
	why  string
	sets []string // changes of the scenario "quick"
	// devices are DUTs, NAME[:MODE], each with its checks.
	devices []device
	// disturb takes the DUT's CPU from it until end; nil: nobody does.
	disturb func(cpu int) (end func() error, err error)
	// cores is how many CPUs the experiment needs.
	cores int
	full  bool // not in the quick battery
	// ndr is the non-drop rate that a search has to find, packets/s; 0: none.
	ndr float64
	// n4Faults: each device is held to what it does on N4.
	n4Faults bool
	// same: the searches of each device are compared with each other.
	same bool
	// buffer is the queue that back-to-back has to find, packets; 0: none.
	buffer float64
	// policed: each device is a token bucket that has to be found.
	policed bool
	// models: what models that are fitted to the trials of each device have to find.
	models *queue
}

type device struct {
	name   string
	checks []check
}

// battery lists the experiments. The quick ones have trials of a second.
func battery(quick bool) []experiment {
	both := "directions=uplink,downlink"
	length, loads, seeds := "duration=3s", "loads=20k,50k", 10
	if quick {
		length, loads, seeds = "duration=1s", "loads=50k", 2
	}
	latencyShort := "latency.duration=500ms"
	return []experiment{
		{
			name: "counts", why: "what happens to packets is counted packet for packet",
			sets: []string{both, length, loads, latencyShort},
			devices: []device{
				{"calibrator", []check{counts}},
				{"calibrator:loss=0.013", []check{counts}},
				{"calibrator:loss=1/100", []check{counts}},
				{"calibrator:duplicate=0.01", []check{counts}},
				{"calibrator:reorder=0.01,depth=3", []check{counts}},
				{"calibrator:wrong-teid=0.01", []check{counts}},
				{"calibrator:loss=0.01,duplicate=0.01,reorder=0.01,delay=200us", []check{counts}},
			},
		},
		{
			name: "sessions", why: "the same over many streams",
			sets: []string{both, length, "loads=50k", "sessions=1000", latencyShort},
			devices: []device{
				{"calibrator:loss=0.01,duplicate=0.01,reorder=0.01,depth=50,seed=2", []check{counts}},
			},
		},
		{
			name: "damage", why: "packets with a flipped byte are not counted as received",
			sets:    []string{both, length, "loads=20k", "payload=32", latencyShort},
			devices: []device{{"calibrator:corrupt=0.01", []check{counts}}},
		},
		{
			name: "delay", why: "latency and jitter are those that the device made",
			sets: []string{both, length, "loads=20k", latencyShort},
			devices: []device{
				{"calibrator", []check{counts, latency}},
				{"calibrator:delay=250us", []check{counts, latency, added}},
				{"calibrator:delay=2ms", []check{counts, latency, added}},
				{"calibrator:delay=500us,jitter=200us", []check{counts, latency, jitter}},
				{"calibrator:delay=500us,jitter=100us,distribution=normal", []check{counts, latency, jitter}},
				{"calibrator:delay=100us,stall=20ms/500ms", []check{counts, latency}},
			},
		},
		{
			// The queue never runs empty, or the server would stand idle: 13 ms is longer
			// than the machine keeps the CPU from the device.
			name: "rate", why: "a full device is measured at its rate, and named as the limit",
			sets: []string{both, length, "loads=150k,max", latencyShort},
			devices: []device{
				{"calibrator:rate=80kpps,queue=1024", []check{counts, rate(80e3), verdict(record.LimitDUT)}},
				{"calibrator:rate=80kpps,queue=1024,service=exponential", []check{counts, rate(80e3)}},
				{"calibrator:rate=80kpps,queue=1024,batch=16", []check{counts, rate(80e3)}},
			},
		},
		{
			name: "queue", why: "the room of a queue shows in what stays of a burst",
			sets: []string{both, "duration=2s", "arrivals=bursts", "burst=128", "loads=1280", latencyShort},
			devices: []device{
				{"calibrator:rate=1kpps,queue=64", []check{counts, room(64, 128)}},
			},
		},
		{
			name: "buffer", why: "back-to-back finds the queue of a server that works meanwhile", full: true, buffer: 64,
			sets: []string{"directions=uplink", "duration=500ms", "loads=max", "search.preset=quick", "search.method=back-to-back",
				"search.duration=200ms", "warmup=50ms", latencyShort},
			devices: []device{{"calibrator:rate=80kpps,queue=64", nil}},
		},
		{
			name: "not limited", why: "a device with nothing to do limits nothing",
			sets: []string{both, length, "loads=10k", latencyShort},
			devices: []device{
				{"calibrator", []check{counts, verdict(record.LimitNone)}},
				{"builtin:xdp", []check{verdict(record.LimitNone)}},
			},
		},
		{
			// One F-TEID for all leaves downlink as it is.
			name: "hostile N4", why: "each fault of a UPF on N4 is reported, and none of one without", n4Faults: true,
			sets: []string{"directions=downlink", "duration=100ms", "loads=1k", "warmup=50ms", "sessions=4", "teid.assign=upf",
				"latency.duration=100ms"},
			devices: n4Faulty(),
		},
		{
			name: "generator-limited", why: "a rate that the generator cannot send is its limit", cores: 2,
			sets:    []string{both, "duration=500ms", "loads=20M", latencyShort},
			devices: []device{{"builtin:xdp", []check{verdict(record.LimitGenerator)}}},
		},
		{
			name: "link-limited", why: "bursts of 1024 into a ring of 256 are lost before the device", cores: 2,
			sets:    []string{both, length, "loads=100k", "arrivals=bursts", "burst=1024", latencyShort},
			devices: []device{{"builtin:xdp", []check{verdict(record.LimitLink)}}},
		},
		{
			name: "host-limited", why: "somebody else takes half of the device's CPU", cores: 2, disturb: hogged(half),
			sets:    []string{both, length, "loads=300k", latencyShort},
			devices: []device{{"builtin:xdp", []check{verdict(record.LimitHost)}}},
		},
		{
			// A packet in 19 falls into a stall, and waits for 2.5 ms on average. The period is
			// none of upflab's own, which looks at the device's CPU each 100 ms.
			name: "own stalls", why: "what a device does itself is no disturbance, and shows in full", cores: 2,
			sets:    []string{both, "duration=2s", "loads=20k", "disturbed=exclude", latencyShort},
			devices: []device{{"calibrator:stall=5ms/97ms", []check{stalls(5e6, 5./97)}}},
		},
		{
			name: "disturbed by a program", why: "what others do to the device's CPU is excluded, and the rest is as without", cores: 2,
			disturb: hogged(rarely),
			sets:    []string{both, "duration=2s", "loads=100k", "disturbed=exclude", latencyShort},
			devices: []device{{"builtin:xdp", []check{excluded("others"), unharmed}}},
		},
		{
			name: "disturbed by interrupts", why: "times with interrupts off are excluded, and the rest is as without", cores: 2,
			disturb: held(5*time.Millisecond, 100*time.Millisecond),
			sets:    []string{both, "duration=2s", "loads=100k", "disturbed=exclude", latencyShort},
			devices: []device{{"builtin:xdp", []check{excluded("paused"), unharmed}}},
		},
		{
			name: "qos exactness", why: "the rate, the burst and the time to converge of qos-accuracy are those of a token bucket", policed: true,
			sets: []string{"directions=uplink", length}, devices: buckets(quick),
		},
		{
			name: "non-drop rate", why: "a search finds the rate of the server", full: true, ndr: 80e3,
			sets:    []string{"directions=uplink", "duration=1s", "loads=10k", "search.preset=quick", "search.max=400k", latencyShort},
			devices: []device{{"calibrator:rate=80kpps,queue=1024", []check{counts}}},
		},
		{
			name: "models", why: "a queue with exponential times is known by its trials, and its p99 at another load", full: true,
			models: &queue{model: "M/M/1/K", pps: modelledPPS, room: modelledRoom, left: leftOut},
			sets: []string{"directions=uplink", "duration=1s", "repeats=3", "arrivals=poisson", "loads=4k,12k,20k,24k,28k,32k,36k,38k,40k,44k,52k",
				"disturbed=exclude", "latency.duration=100ms"},
			devices: exponentials(seeds),
		},
		{
			name: "models of constant times", why: "and one with constant times", full: true,
			models: &queue{model: "M/G/1", pps: modelledPPS, left: leftOut},
			sets: []string{"directions=uplink", "duration=1s", "repeats=3", "arrivals=poisson", "loads=4k,12k,20k,24k,28k,32k,36k",
				"disturbed=exclude", "latency.duration=100ms"},
			devices: constants(min(seeds, 3)),
		},
		{
			name: "repeatability", why: "ten searches each, and compare takes no half of them for another device's", full: true, same: true,
			sets: []string{"directions=uplink", "repeats=10", "duration=500ms", "loads=max", "search.preset=quick", "search.method=tst009",
				"search.duration=500ms", "search.step=10000", "warmup=50ms", "settle=50ms", latencyShort},
			devices: []device{{"wire", nil}, {"builtin:xdp", nil}},
		},
	}
}
