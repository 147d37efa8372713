package live

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
)

// quiet is an observer that looks away.
type quiet struct{ watch.Observer }

func (quiet) Begin(int, string, record.Trial)    {}
func (quiet) Live(time.Duration, uint64, uint64) {}
func (quiet) Point(record.Point)                 {}
func (quiet) End(int, string, record.Trial)      {}
func (quiet) Flowed(int, string, record.AppFlow) {}

func scrape(t *testing.T, s *Server) string {
	t.Helper()
	answer, err := http.Get("http://" + s.Address() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v: %s", answer.Status, err, text)
	}
	return string(text)
}

func serve(t *testing.T, trials int) *Server {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return Serve(l, quiet{}, trials)
}

func TestServer(t *testing.T) {
	s := serve(t, 12)
	defer s.Close()
	trial := record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: 5e5},
		Traffic: record.Traffic{RxPPS: 4e5}, Judgement: record.Judgement{Valid: true}}
	s.Begin(1, "eupf:native", trial)
	s.Live(time.Second, 500_000, 400_000)
	text := scrape(t, s)
	for _, want := range []string{"upflab_live_trials_planned 12",
		`upflab_live_tx_pps{direction="uplink",dut="eupf:native",load="500k"} 500000`,
		`upflab_live_rx_pps{direction="uplink",dut="eupf:native",load="500k"} 400000`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	s.End(1, "eupf:native", trial)
	s.Save(&record.Result{Scenario: "quick", DUTs: []record.DUT{{Name: "eupf", Mode: "native", Trials: []record.Trial{trial}}}})
	text = scrape(t, s)
	if !strings.Contains(text, "upflab_live_trials_done 1") || strings.Contains(text, "upflab_live_tx_pps{") ||
		!strings.Contains(text, "upflab_rx_pps{") {
		t.Errorf("after the trial\n%s", text)
	}
	if _, err := Listen(s.Address()); err == nil || !strings.Contains(err.Error(), "--metrics "+s.Address()+": another program listens there") {
		t.Errorf("an address in use: %v", err)
	}
}

// TestServerWhileTheRunGoesOn: it is scraped at any time.
func TestServerWhileTheRunGoesOn(t *testing.T) {
	s := serve(t, 1)
	defer s.Close()
	var wait sync.WaitGroup
	wait.Go(func() {
		for n := range 50 {
			s.Begin(n, "a", record.Trial{})
			s.Live(time.Duration(n+1)*time.Millisecond, uint64(n), uint64(n))
			s.Save(&record.Result{DUTs: []record.DUT{{Name: "a",
				Trials: []record.Trial{{Traffic: record.Traffic{RxPPS: 1}, Judgement: record.Judgement{Valid: true}}}}}})
			s.End(n, "a", record.Trial{})
		}
	})
	for range 10 {
		scrape(t, s)
	}
	wait.Wait()
}

// TestListenNamesItsFlag: an address that cannot be listened on is answered by the flag that gave it.
func TestListenNamesItsFlag(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().String()
	for address, want := range map[string]string{
		":99999999": "--metrics :99999999: invalid port: give HOST:PORT, as in 127.0.0.1:9464",
		"nope":      "--metrics nope: missing port in address: give HOST:PORT, as in 127.0.0.1:9464",
		taken:       "--metrics " + taken + ": another program listens there: give another port, as in 127.0.0.1:9465",
	} {
		if l, err := Listen(address); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v, want %s", address, l, err, want)
		}
	}
}
