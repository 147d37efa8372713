package measure

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/searches"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// progress shows how a run goes: on a terminal one line that is redrawn, and a
// line for each finished trial; in a pipe only the latter.
type progress struct {
	w        io.Writer
	terminal bool
	trials   int           // 0: the run decides
	sized    bool          // there are several sizes: lines name them
	takes    time.Duration // the whole run, as its plan says; 0: not known
	begun    time.Time

	mu      sync.Mutex
	head    string // of the line that is redrawn
	trial   record.Trial
	elapsed time.Duration
	sent    uint64
	got     uint64
}

func newProgress(w io.Writer, trials int, sized bool) *progress {
	p := &progress{w: w, trials: trials, sized: sized, begun: time.Now()}
	if f, ok := w.(*os.File); ok {
		p.terminal = term.IsTerminal(int(f.Fd()))
	}
	return p
}

// Engine implements watch.Observer: it prints which engine sends and receives, and why that one.
func (p *progress) Engine(e record.Engine) {
	p.println(fmt.Sprintf("sending and receiving by %s: %s", e.Name, e.Why))
}

// Stage implements watch.Observer: it draws what is being set up over the last line.
func (p *progress) Stage(target, what string) { p.redraw(target + ": " + what) }

// Begin implements watch.Observer: it draws the line of the trial that begins.
func (p *progress) Begin(n int, target string, t record.Trial) {
	p.mu.Lock()
	p.trial, p.elapsed, p.sent, p.got = t, 0, 0, 0
	p.head = p.title(n, target, t) + p.left(n-1)
	p.mu.Unlock()
	p.redraw(p.head)
}

func (p *progress) title(n int, target string, t record.Trial) string {
	kind := t.Load.String()
	if t.Kind == record.KindLatency {
		kind = "latency"
	}
	if t.Arrivals != nil && t.Arrivals.Process != record.SingleBurst {
		kind += ", " + t.Arrivals.Process
	}
	if p.sized {
		kind = fmt.Sprintf("%-11s %-8s", t.Size, kind)
	}
	return fmt.Sprintf("%s %-14s %-8s %-8s", p.number(n), target, t.Direction, kind)
}

// number is that of a step, and of how many, where that is settled.
func (p *progress) number(n int) string {
	if p.trials == 0 {
		return fmt.Sprintf("[%d]", n)
	}
	return fmt.Sprintf("[%*d/%d]", len(fmt.Sprint(p.trials)), n, p.trials)
}

// left says how long the run still takes after n steps: as its plan says at first, and as it went the
// more of it is done.
func (p *progress) left(n int) string {
	if p.trials == 0 && p.takes > 0 {
		return fmt.Sprintf("  until known, at most %s", roughly(max(p.takes-time.Since(p.begun), 0)))
	}
	if p.takes == 0 || n < 0 || n >= p.trials {
		return ""
	}
	done, took := float64(n)/float64(p.trials), time.Since(p.begun)
	left := (1 - done) * (1 - done) * float64(p.takes)
	if done > 0 {
		left += (1 - done) * float64(took) // done, of what is left at the pace so far
	}
	return fmt.Sprintf("  %s left", roughly(time.Duration(left)))
}

// roughly is a time as people say it: 40 s, 12 min.
func roughly(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// Live implements watch.Observer: it draws the rates since it was called last.
func (p *progress) Live(elapsed time.Duration, sent, received uint64) {
	p.mu.Lock()
	dt := (elapsed - p.elapsed).Seconds()
	line := fmt.Sprintf("%s %4.1f s  Tx %s  Rx %s", p.head, elapsed.Seconds(),
		units.Rate(rate(sent, p.sent, dt)), units.Rate(rate(received, p.got, dt)))
	p.elapsed, p.sent, p.got = elapsed, sent, received
	p.mu.Unlock()
	p.redraw(line)
}

func rate(now, before uint64, seconds float64) float64 {
	if now < before || seconds <= 0 {
		return 0
	}
	return float64(now-before) / seconds
}

// Point implements watch.Observer: it prints nothing, since Live has drawn the rates.
func (p *progress) Point(record.Point) {}

// End implements watch.Observer: it prints the figures of the trial, and why it is not valid if it
// is not.
func (p *progress) End(n int, target string, t record.Trial) {
	line := fmt.Sprintf("%s Tx %s  Rx %s  loss %s", p.title(n, target, t), units.Rate(t.TxPPS), units.Rate(t.RxPPS),
		units.Loss(t.FrameLossRatio))
	if t.Latency != nil {
		for _, q := range []struct {
			name string
			of   func(*record.Latency) float64
		}{{"p50", view.P50}, {"p99", view.P99}} {
			line += fmt.Sprintf("  %s %s%s", q.name, record.LatencySign([]*record.Trial{&t}, q.of), units.Time(q.of(t.Latency)))
		}
	}
	line += "  limited by " + string(t.LimitedBy)
	p.println(line + p.left(n))
	if !t.Valid {
		p.println("        not valid: " + view.Briefly(&t))
	}
}

// Flowed implements watch.Observer: it prints the figures of the flow.
func (p *progress) Flowed(n int, target string, f record.AppFlow) {
	line := fmt.Sprintf("%s %-14s %s", p.number(n), target, view.FlowName(f.Key()))
	if f.GoodputBPS > 0 {
		line += fmt.Sprintf("  %s Gbit/s", units.Gbps(f.GoodputBPS))
	}
	if f.RTT != nil {
		line += fmt.Sprintf("  p50 %s  p99 %s", units.Time(float64(f.RTT.P50)), units.Time(float64(f.RTT.P99)))
	}
	line += fmt.Sprintf("  loss %s  limited by %s", units.Loss(f.LossRatio), f.LimitedBy)
	p.println(line + p.left(n))
	if !f.Valid && len(f.Reasons) > 0 {
		p.println("        not valid: " + f.Reasons[0])
	}
}

// Tried shows the case or incident that is over.
func (p *progress) Tried(n int, target string, s watch.Step) {
	p.println(fmt.Sprintf("%s %-14s %-40s %s", p.number(n), target, s.Name, s.Outcome))
}

// Noted implements watch.Observer: it prints the line.
func (p *progress) Noted(target, line string) { p.println(target + ": " + line) }

// Searched implements watch.Observer: it prints what the search found.
func (p *progress) Searched(target string, s record.Search) {
	where := string(s.Direction)
	if p.sized {
		where += " " + s.Size
	}
	p.println(fmt.Sprintf("        %-14s %-8s %s: %d trials in %.0f s", target, where, s.Method, len(s.Trials), s.DurationS))
	for _, line := range searches.Found(s) {
		p.println("          " + line)
	}
}

// Failed implements watch.Observer: it prints why a DUT is given up.
func (p *progress) Failed(_ string, err error) { p.println("FAILED " + err.Error()) }

func (p *progress) redraw(line string) {
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
	}
}

func (p *progress) println(line string) {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	fmt.Fprintln(p.w, line)
}
