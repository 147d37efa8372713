package measure

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/cli/clitest"
	"github.com/upflab/upflab/internal/record"
)

// play shows p a run of two trials, the second of a DUT that dies.
func play(p *progress) {
	load := record.Trial{
		Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 150e3},
		Traffic: record.Traffic{
			TxPPS: 150000, RxPPS: 149900, FrameLossRatio: 1. / 1500,
			Latency: &record.Latency{P50: 1500, P99: 31000},
		},
		Judgement: record.Judgement{LimitedBy: "dut", Valid: true},
	}
	latency := record.Trial{
		Kind: record.KindLatency, Direction: "downlink", Load: record.Load{PPS: 1e3},
		Traffic:   record.Traffic{TxPPS: 1000},
		Judgement: record.Judgement{LimitedBy: "dut", Reasons: []string{"the DUT ended during the trial", "none arrived"}},
	}
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
	clitest.Golden(t, "progress-pipe.txt", out.String())
}

// TestProgressOnTerminal: a line that is redrawn, with the rates since the last.
func TestProgressOnTerminal(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, 16, false)
	p.terminal = true
	play(p)
	clitest.Golden(t, "progress-terminal.txt", strings.ReplaceAll(strings.ReplaceAll(out.String(), "\r", "<CR>"), "\x1b[K", "<CLEAR>\n"))
}

// TestProgressOfSearches: a line for each goal, with what speaks against its result.
func TestProgressOfSearches(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, 16, false)
	found := record.Search{Method: "mlrsearch", Direction: "uplink", MaxPPS: 3e6, DurationS: 83.6, Trials: make([]record.SearchTrial, 47)}
	found.Goals = []record.SearchGoal{
		{Name: "ndr", LowerPPS: 606100, UpperPPS: 608900,
			Judgement: record.Judgement{LimitedBy: "link", Valid: true, Reasons: []string{"a rate was up to 5 % off"}}},
		{
			Name: "pdr", LowerPPS: 1.1e6, UpperPPS: 1.104e6,
			Judgement: record.Judgement{
				LimitedBy: "dut",
				Reasons:   []string{"1.1 Mpps was found to be carried, and is not", "no time was left"},
			},
		},
		{Name: "forwarding", LowerPPS: 3e6, Judgement: record.Judgement{Reasons: []string{"the highest load is carried"}}},
	}
	p.Searched("eupf:native", found)
	p.sized = true
	p.Searched("wire", record.Search{
		Method: "back_to_back", Direction: "both", PacketSize: record.PacketSize{Size: "imix"},
		Bursts:    &record.Bursts{Average: 80.25, BufferPackets: 60},
		Judgement: record.Judgement{LimitedBy: "link", Valid: true},
	})
	p.Searched("wire", record.Search{
		Method: "loss_curve", Direction: "uplink", PacketSize: record.PacketSize{Size: "64"},
		Curve: []record.CurvePoint{{PPS: 3e6, LossRatio: 0.5}}, Judgement: record.Judgement{Valid: true},
	})
	p.Searched("wire", record.Search{Method: "loss_curve", Direction: "uplink", PacketSize: record.PacketSize{Size: "64"},
		Judgement: record.Judgement{Reasons: []string{"the DUT has ended"}}})
	clitest.Golden(t, "progress-searches.txt", out.String())
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
	got := p.title(3, "wire", record.Trial{Kind: record.KindLoad, Direction: "both",
		PacketSize: record.PacketSize{Size: "frame:512"}, Load: record.Load{}})
	if want := "[ 3/16] wire           both     frame:512   max     "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestProgressLeft: how long a run still takes is what its plan says at first, and then how it went.
func TestProgressLeft(t *testing.T) {
	p := newProgress(&bytes.Buffer{}, 10, false)
	if got := p.left(1); got != "" {
		t.Errorf("without a plan: %q", got)
	}
	p.takes = 100 * time.Second
	for _, c := range []struct {
		took time.Duration
		done int
		want string
	}{
		{0, 0, "  100 s left"}, {10 * time.Second, 1, "  90 s left"}, {150 * time.Second, 5, "  100 s left"},
		{40 * time.Minute, 8, "  8 min left"}, {100 * time.Second, 10, ""},
	} {
		p.begun = time.Now().Add(-c.took)
		if got := p.left(c.done); got != c.want {
			t.Errorf("after %v and %d steps: %q, want %q", c.took, c.done, got, c.want)
		}
	}
}
