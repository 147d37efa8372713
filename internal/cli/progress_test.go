package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/result"
)

// play tells p how a run of two trials goes, the second of a DUT that dies.
func play(p *progress) {
	load := result.Trial{Kind: result.KindLoad, Direction: "uplink", Load: "150k", TxPPS: 150000, RxPPS: 149900, FrameLossRatio: 1. / 1500,
		Latency: &result.Latency{P50: 1500, P99: 31000}, LimitedBy: "dut", Valid: true}
	latency := result.Trial{Kind: result.KindLatency, Direction: "downlink", Load: "1k", TxPPS: 1000, LimitedBy: "dut",
		Reasons: []string{"the DUT ended during the trial", "none arrived"}}
	p.Stage("eupf:native", "building the testbed")
	p.Begin(9, "eupf:native", load)
	p.Live(500*time.Millisecond, 75000, 74000)
	p.Live(time.Second, 150000, 149000)
	p.End(9, "eupf:native", load)
	p.Begin(10, "eupf:native", latency)
	p.Live(500*time.Millisecond, 500, 0)
	p.End(10, "eupf:native", latency)
	p.Failed("eupf:native", errors.New("eupf:native: the UPF has ended"))
}

// TestProgressInPipe: one line for each trial, and no control characters.
func TestProgressInPipe(t *testing.T) {
	var out bytes.Buffer
	play(newProgress(&out, 16, false))
	golden(t, "progress-pipe.txt", out.String())
}

// TestProgressOnTerminal: a line that is redrawn, with the rates since the last.
func TestProgressOnTerminal(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, 16, false)
	p.terminal = true
	play(p)
	golden(t, "progress-terminal.txt", strings.ReplaceAll(strings.ReplaceAll(out.String(), "\r", "<CR>"), "\x1b[K", "<CLEAR>\n"))
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		now, before   uint64
		seconds, want float64
	}{{300, 100, 0.5, 400}, {100, 100, 1, 0}, {50, 100, 1, 0}, {100, 0, 0, 0}} {
		if got := rate(c.now, c.before, c.seconds); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestProgressTellsTheSize where there are several.
func TestProgressTellsTheSize(t *testing.T) {
	p := newProgress(&bytes.Buffer{}, 16, true)
	got := p.title(3, "wire", result.Trial{Kind: result.KindLoad, Direction: "both", Size: "frame:512", Load: "max"})
	if want := "[ 3/16] wire           both     frame:512   max     "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
