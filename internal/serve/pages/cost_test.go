package pages

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/results/live"
)

var watchFor = flag.Duration("watch", 3*time.Second, "how long TestCostOfWatching watches")

// used is the CPU time of this process.
func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestCostOfWatching prints what the server takes of a CPU while a run goes and a page
// shows it, a figure of docs/reference/measured.csv. The one who reads the page is in it.
//
//	go test -run TestCostOfWatching -v -count=1 ./internal/serve/pages -watch 60s
func TestCostOfWatching(t *testing.T) {
	dir := folder(t)
	s := serve(t, dir, Options{Loopback: true})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	path := filepath.Join(dir, "night-05", live.FileName)
	writeLine(t, path, `{"t":0,"kind":"plan","scenario":"nightly","trials":2}`)
	writeLine(t, path, `{"t":0,"kind":"begin","n":1,"target":"eupf:native","trial":"uplink 150k"}`) // points of a trial are drawn
	heard := make(chan int, 1)
	request, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/events/night-05", nil)
	answer, err := s.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer answer.Body.Close()
		n := 0
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if strings.Contains(lines.Text(), `"point"`) {
				n++
			}
		}
		heard <- n
	}()
	before, begun, wrote := used(t), time.Now(), 0
	for time.Since(begun) < *watchFor {
		wrote++
		writeLine(t, path, fmt.Sprintf(`{"t":%d,"kind":"point","tx_pps":150000,"rx_pps":149000,"loss":0.0067,"p50_ns":2000,"p99_ns":9000,"dut_cores":0.4}`, wrote))
		time.Sleep(time.Second) // a run writes a point each second
	}
	share := float64(used(t)-before) / float64(time.Since(begun))
	stop()
	if n := <-heard; n < wrote/2 {
		t.Errorf("%d points of %d came to the page", n, wrote)
	}
	t.Logf("%.4f %% of a CPU over %.0f s", 100*share, time.Since(begun).Seconds())
	const most = 0.01 // ten times what it may be: this machine may be busy
	if share > most {
		t.Errorf("watching a run takes %.3f %% of a CPU", 100*share)
	}
}

func writeLine(t *testing.T, path, line string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(line + "\n")
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
