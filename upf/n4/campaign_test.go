package n4

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/fuzztest"
	"github.com/upflab/upflab/upf/datapath/memory"
)

// A campaign is run as
//
//	go test -run Campaign -v -timeout 0 ./upf/n4 -pfcp.inputs=10000000
var (
	inputs = flag.Int("pfcp.inputs", 20_000, "datagrams that TestCampaign sends")
	seed   = flag.Uint64("pfcp.seed", 1, "seed of TestCampaign")
)

// FuzzSequence lets a sequence of messages from several CP functions come, with
// faults, repetitions and jumps of the clock. After each one the server, its
// TEIDs and the datapath agree, and no answer or cost is beyond its bound; when
// all associations are released nothing is left.
func FuzzSequence(f *testing.F) {
	fuzztest.Brief(f)
	for i := range uint64(64) {
		f.Add(program(rand.New(rand.NewPCG(i, 1)), 400))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const longest = 4096 // more adds nothing but time
		runSequence(t, b[:min(len(b), longest)], newCosts())
	})
}

// program is a random sequence of choices.
func program(r *rand.Rand, octets int) []byte {
	b := make([]byte, octets)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// replays is how often a sequence is repeated when a datagram took too long: a
// hypervisor that takes the CPU counts as CPU time, a slow datagram is slow each time.
const replays = 10

// runSequence runs a program. A datagram that took too long has to be slow in each
// replay, too.
func runSequence(t *testing.T, b []byte, total *costs) {
	before := total.time
	w := newWorld(t, slices.Clone(b), total)
	w.live()
	c := w.Counters()
	total.established, total.modified, total.deleted = total.established+c.Established, total.modified+c.Modified, total.deleted+c.Deleted
	for try := 0; total.slow && !raceDetector; try++ {
		if try == replays {
			t.Errorf("a datagram takes longer than %v", maxTime)
			return
		}
		again := newCosts()
		newWorld(t, slices.Clone(b), again).live()
		total.slow, total.time = again.slow, max(before, again.time)
	}
}

// TestCampaign runs random sequences and prints what they came to.
func TestCampaign(t *testing.T) {
	const progress = 1_000_000
	total, sequences, next, begin := newCosts(), 0, progress, time.Now()
	for total.datagrams < *inputs && !t.Failed() {
		r := rand.New(rand.NewPCG(*seed, uint64(sequences)))
		b := program(r, 100+r.IntN(900))
		if runSequence(t, b, total); t.Failed() {
			t.Logf("sequence %d of seed %d: %x", sequences, *seed, b)
		}
		if sequences++; total.datagrams >= next {
			next += progress
			t.Logf("%d datagrams, at most %v", total.datagrams, total.time)
		}
	}
	t.Logf("%d datagrams in %d sequences and %v: %d answers, %d sessions established, %d modifications, %d deleted",
		total.datagrams, sequences,
		time.Since(begin).Round(time.Second), total.answers, total.established, total.modified, total.deleted)
	t.Logf("at most: %v and %d octets of memory for a datagram, %d octets in an answer",
		total.time.Round(time.Microsecond), total.allocated, total.answer)
	t.Logf("causes: %s", causesOf(total))
}

func causesOf(c *costs) string {
	var list []string
	for _, cause := range slices.Sorted(maps.Keys(c.causes)) {
		list = append(list, fmt.Sprintf("%v %d", cause, c.causes[cause]))
	}
	return strings.Join(list, ", ")
}

// TestConcurrentSequences lets four CP functions talk at the same time, as the
// server's queues do. What has to be true is checked when all are done.
func TestConcurrentSequences(t *testing.T) {
	for round := range uint64(30) {
		dp := memory.New(12)
		s := newServer(t, dp)
		var worlds [4]*world
		var running sync.WaitGroup
		for i := range worlds {
			b := bench{Server: s, dp: dp, now: time.Unix(1_800_000_000, 0)}
			worlds[i] = around(t, b, program(rand.New(rand.NewPCG(round, uint64(i))), 1000), newCosts())
			worlds[i].among, worlds[i].seq = true, uint32(i)<<20
			running.Go(worlds[i].live)
		}
		running.Wait()
		s.working.Wait()
		last := worlds[0]
		for _, w := range worlds[1:] {
			maps.Copy(last.raw, w.raw)
		}
		last.leave()
	}
}
