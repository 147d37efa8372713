package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	errMissed = errors.New("the truth was outside of too many intervals")
	errUnsaid = errors.New("of some figures no interval was given: is this machine too busy?")
)

// Loads of a run, in packets/s: a server of a known rate loses packets at the first, and nobody waits at the second.
const (
	high, low = 8000, 2000
	served    = 5000
)

// device is one whose behaviour is known.
type device struct {
	name string
	Behaviour
}

// examination is what is asked for: so many runs of upflab, each with all devices, in so many repeats of trials of a
// duration.
type examination struct {
	upflab        string // path of the program
	runs, repeats int
	duration      time.Duration
	disturbed     string // upflab's key: keep or exclude
	devices       []device
}

// devices are what a run measures, all or the one of a name: each visit takes seconds, so that one device has two
// properties where they do not touch each other. A spread below the gap of packets at the low load keeps their order.
func devices(only string) []device {
	all := []device{
		{"hold0.loss2", Behaviour{Loss: 0.02}},
		{"hold50us.rate5k", Behaviour{Hold: 50 * time.Microsecond, Rate: served}},
		{"hold500us", Behaviour{Hold: 500 * time.Microsecond}},
		{"jitter400us", Behaviour{Spread: 400 * time.Microsecond}},
	}
	return slices.DeleteFunc(all, func(d device) bool { return only != "" && d.name != only })
}

// score is how often an interval was right.
type score struct {
	device, figure string
	within, said   int
	width          []float64 // half of the interval, as a part of the value
	worst          string    // the last that missed
}

// expected are the rows of the table, before anything is known of them.
func (x *examination) expected() (list []*score) {
	for _, d := range x.devices {
		for _, b := range []budget{{Kind: "load", Figure: "rx_pps"}, {Kind: "load", Figure: "frame_loss_ratio"}, {Kind: "latency", Figure: "frame_loss_ratio"},
			{Kind: "latency", Figure: "latency.p50"}, {Kind: "latency", Figure: "latency.p99"}} {
			if d.shows(b) {
				list = append(list, &score{device: d.name, figure: b.words()})
			}
		}
	}
	return list
}

func (x *examination) check() error {
	path, err := filepath.Abs(x.upflab)
	if err != nil {
		return err
	}
	switch _, err := exec.LookPath(path); {
	case err != nil:
		return fmt.Errorf("%w: build it (make build), and name it by -upflab", err)
	case x.repeats < 2 || x.runs < 1:
		return errors.New("an interval needs two repeats, and one run")
	case len(x.devices) == 0:
		return errors.New("no device has that name: docs/selftest.md has those that there are")
	}
	x.upflab = path
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	scores := x.expected()
	for run := range x.runs {
		if err := x.measure(run+1, scores); err != nil {
			if len(stop) > 0 { // the run was ended, too: what is known stays
				break
			}
			return err
		}
		fmt.Printf("run %d of %d\n", run+1, x.runs)
		if len(stop) > 0 {
			break
		}
	}
	return print(os.Stdout, scores)
}

// measure is one run, in a folder that does not outlive it.
func (x *examination) measure(seed int, scores []*score) error {
	dir, err := os.MkdirTemp("", "truth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "result")
	args := []string{"run", "quick", "--dut", "eupf:generic", "--out", out,
		"--set", "directions=" + []string{"uplink", "downlink"}[seed%2], "--set", fmt.Sprint("loads=", high), "--set", fmt.Sprint("latency.rate=", low),
		"--set", fmt.Sprint("duration=", x.duration), "--set", fmt.Sprint("latency.duration=", x.duration),
		"--set", fmt.Sprint("repeats=", x.repeats), "--set", "attempts=1", "--set", "disturbed=" + x.disturbed, "--set", fmt.Sprint("seed=", seed)}
	for _, d := range x.devices {
		program, err := install(filepath.Join(dir, d.name), d.Behaviour)
		if err != nil {
			return err
		}
		args = append(args, "--build", d.name+"="+program)
	}
	var said bytes.Buffer
	command := exec.Command(x.upflab, args...)
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil && command.ProcessState.ExitCode() != 3 { // 3: a trial was not valid
		return fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, said.Bytes())
	}
	return x.judge(dir, filepath.Join(out, "result.json"), scores)
}

// install puts the device, which is this program, into a folder with what it is to do.
func install(dir string, b Behaviour) (string, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "behaviour.json"), text, 0o644); err != nil {
		return "", err
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return "", err
	}
	defer self.Close()
	path := filepath.Join(dir, "device")
	program, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(program, self)
	return path, errors.Join(err, program.Close())
}

// budget is what a result says of a figure.
type budget struct {
	DUT, Of, Kind, Direction, Figure string
	Value                            float64
	Expanded                         *float64
}

type result struct {
	Uncertainty []budget
	DUTs        []struct {
		Name   string
		Trials []struct {
			Kind, Direction string
			Valid           bool
			Latency         *struct {
				UpperBound bool `json:"upper_bound"`
			} `json:"latency_ns"`
		}
	}
}

// judge compares each interval of a result with what the devices wrote down.
func (x *examination) judge(dir, path string, scores []*score) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, d := range x.devices {
		ledger, err := readLedgers(filepath.Join(dir, d.name))
		if err != nil {
			return err
		}
		for _, b := range r.Uncertainty {
			if b.DUT != "eupf@"+d.name+":generic" || b.Expanded == nil {
				continue
			}
			from, to, ok := d.truth(b, ledger, x.disturbed == "keep")
			if !ok {
				continue
			}
			s := find(scores, d.name, b.words())
			least, most := b.Value-*b.Expanded, b.Value+*b.Expanded
			if strings.HasPrefix(b.Figure, "latency") && r.bound(b) {
				least = 0 // printed as "at most"
			}
			s.said++
			s.width = append(s.width, *b.Expanded/b.Value)
			if from <= most && to >= least {
				s.within++
			} else {
				s.worst = fmt.Sprintf("truth %.6g to %.6g, said %.6g ± %.3g", from, to, b.Value, *b.Expanded)
			}
		}
	}
	return nil
}

// bound reports whether a latency of any of the trials is an upper bound.
func (r *result) bound(b budget) bool {
	for _, d := range r.DUTs {
		for _, t := range d.Trials {
			if d.Name+":generic" == b.DUT && t.Kind == b.Kind && t.Direction == b.Direction && t.Valid && t.Latency != nil && t.Latency.UpperBound {
				return true
			}
		}
	}
	return false
}

func find(scores []*score, device, figure string) *score {
	return scores[slices.IndexFunc(scores, func(s *score) bool { return s.device == device && s.figure == figure })]
}

// words name the figure and the load.
func (b budget) words() string {
	return fmt.Sprintf("%s at %s", b.Figure, map[string]string{"load": "8k", "latency": "2k"}[b.Kind])
}

// shows reports whether a figure shows what the device is for.
func (b Behaviour) shows(of budget) bool {
	atHigh := of.Kind == "load"
	switch of.Figure {
	case "rx_pps":
		return atHigh && b.Rate > 0
	case "frame_loss_ratio":
		return atHigh && b.Rate > 0 || b.Loss > 0
	case "latency.p50":
		return !atHigh
	case "latency.p99":
		return !atHigh && b.Spread > 0
	}
	return false
}

// truth is that of a figure of a device: as it was set, or by the ledger the mean over trials, of a delay between two times.
// False: the figure does not show what the device is for. The room before a server takes packets that a short load
// would lose otherwise, so what it loses is the ledger's; where disturbed time is left out, that room may be in it or not.
func (b Behaviour) truth(of budget, ledger map[string][]account, whole bool) (from, to float64, ok bool) {
	if !b.shows(of) {
		return 0, 0, false
	}
	switch of.Figure {
	case "rx_pps":
		return b.Rate, b.Rate, true
	case "frame_loss_ratio":
		if of.Kind == "load" && b.Rate > 0 {
			return b.lossAtHigh(ledger[of.Direction], whole)
		}
		return b.Loss, b.Loss, true
	}
	p := map[string]float64{"latency.p50": 0.5, "latency.p99": 0.99}[of.Figure]
	n := 0.0
	for _, a := range ledger[of.Direction] {
		if rate := a.rate(); rate > low*0.9 && rate < low*1.1 && a.Trial%2 == 0 && a.In >= 100 { // odd: a warm-up; few: a probe
			from, to, n = from+quantile(a.Before, p), to+quantile(a.After, p), n+1
		}
	}
	return from / n, to / n, n > 0
}

// lossAtHigh is what was lost of the loads that the server cannot carry. Whole: disturbed time counts, too.
func (b Behaviour) lossAtHigh(accounts []account, whole bool) (from, to float64, ok bool) {
	in, lost := 0, 0
	for _, a := range accounts {
		if a.Trial%2 == 0 && a.rate() > high*0.9 && a.In >= 100 {
			in, lost = in+a.In, lost+a.Lost
		}
	}
	from = float64(lost) / float64(in)
	if to = from; !whole {
		to = 1 - b.Rate/high
	}
	return from, to, in > 0
}

func quantile(list []int64, p float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	slices.Sort(list)
	return float64(list[min(len(list)-1, int(math.Ceil(p*float64(len(list))))-1)])
}

// readLedgers puts the accounts of all visits of a device together.
func readLedgers(dir string) (map[string][]account, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "ledger-*.json"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: the device left no ledger", dir)
	}
	all := map[string][]account{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		one := map[string][]account{}
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for direction, accounts := range one {
			all[direction] = append(all[direction], accounts...)
		}
	}
	return all, nil
}

// print writes a table. Intervals of 95 % miss one in twenty: a row is wrong where so few of them hold the truth as they
// would in under 5 % of such tables, over all rows together.
func print(to io.Writer, scores []*score) error {
	missed, unsaid := false, false
	fmt.Fprintf(to, "%-16s %-26s %10s %10s %12s\n", "device", "figure", "within", "at least", "interval ±")
	for _, s := range scores {
		if s.said == 0 {
			unsaid = true
			fmt.Fprintf(to, "%-16s %-26s %10s\n", s.device, s.figure, "no interval")
			continue
		}
		least := leastWithin(s.said, 0.05/float64(len(scores)))
		slices.Sort(s.width)
		fmt.Fprintf(to, "%-16s %-26s %6d/%-3d %10d %10.2f %%\n", s.device, s.figure, s.within, s.said, least, 100*s.width[len(s.width)/2])
		if s.worst != "" {
			fmt.Fprintf(to, "    missed: %s\n", s.worst)
		}
		missed = missed || s.within < least
	}
	switch {
	case missed:
		return errMissed
	case unsaid:
		return errUnsaid
	}
	return nil
}

// leastWithin is the least number of n intervals of 95 % that hold the truth unless something with a smaller probability
// than level has happened.
func leastWithin(n int, level float64) int {
	// Of k that hold, C(n, k) 0.95^k 0.05^(n-k).
	p, sum := math.Pow(0.05, float64(n)), 0.0
	for k := range n + 1 {
		if sum += p; sum >= level {
			return k
		}
		p *= float64(n-k) / float64(k+1) * 0.95 / 0.05
	}
	return n
}
