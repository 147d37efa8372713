package n4

import (
	"errors"
	"flag"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath/memory"
)

var benchHeld = flag.Int("bench.held", 1_000_000, "sessions that BenchmarkHeld has while it times answers")

// BenchmarkHeld times the answers to b.N requests, which come at an even rate, while a million
// sessions are held: how long the garbage collector, above all, holds answers up. A time counts
// from when the request was due. The datapath is the one in memory, and the client runs in the
// same process.
//
//	go test ./upf/n4 -run '^$' -bench Held -benchtime 100000x -cpu 2
func BenchmarkHeld(b *testing.B) {
	c := serveSocket(b, memory.New(0), netip.MustParseAddr("127.0.0.1"))
	heap := heapOctets()
	c.establish(establishmentTemplate(b, false), *benchHeld)
	b.Logf("%d sessions are held, of %d octets of heap each, those of the datapath in memory included", *benchHeld,
		(heapOctets()-heap)/int64(*benchHeld))
	b.Run("modify", func(b *testing.B) {
		c.b = b
		c.pace(b.N, 10_000, c.modifications())
	})
	held := uint32(*benchHeld)
	b.Run("establish", func(b *testing.B) {
		c.b = b
		c.pace(b.N, 5000, establishments(establishmentTemplate(b, false), held))
		held += uint32(b.N)
	})
	c.b = b
}

// pace sends n requests at a rate, each when it is due, and reports how long answers took.
func (c *socketClient) pace(n, rate int, request func(i int) []byte) {
	first, buf, begin := c.seq+1, make([]byte, 2048), time.Now()
	due := func(i int) time.Time { return begin.Add(time.Duration(i) * time.Second / time.Duration(rate)) }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took := make([]time.Duration, 0, n)
	for sent := 0; len(took) < n; {
		for ; sent < n && !time.Now().Before(due(sent)); sent++ {
			c.send(request(sent))
		}
		until := time.Now().Add(5 * time.Second)
		if sent < n {
			until = due(sent)
		}
		c.conn.SetReadDeadline(until)
		size, err := c.conn.Read(buf)
		switch {
		case err == nil:
			seq, _ := c.accepted(buf[:size])
			took = append(took, time.Since(due(int(seq-first))))
		case !errors.Is(err, os.ErrDeadlineExceeded) || sent == n:
			c.b.Fatalf("%d of %d answers: %v: is the machine busy?", len(took), n, err)
		}
	}
	runtime.ReadMemStats(&after)
	slices.Sort(took)
	for _, q := range []struct {
		name  string
		share float64
	}{{"p50-us", 0.5}, {"p99-us", 0.99}, {"p99.9-us", 0.999}, {"max-us", 1}} {
		c.b.ReportMetric(float64(took[min(n-1, int(float64(n)*q.share))])/1000, q.name)
	}
	c.b.ReportMetric(float64(after.NumGC-before.NumGC), "collections")
	c.b.ReportMetric(float64(after.PauseTotalNs-before.PauseTotalNs)/1000/max(1, float64(after.NumGC-before.NumGC)), "pause-us")
}
