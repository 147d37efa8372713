// Truth measures a device whose rate, delay, loss and jitter are known, and counts how often the truth lies within
// the interval that upflab gives.
//
// The device shares no code with upflab: its own PFCP, GTP-U and clock, packet sockets, and a ledger of each packet.
// It takes eUPF's place. A run measures six of them in turn; for each figure with an uncertainty, upflab's interval
// (value and expanded uncertainty, 95 %) is compared with the ledger of that run.
//
//	go -C tools build -o truth ./truth
//	sudo tools/truth/truth -upflab ./upflab -runs 20
//
// The status is 1 where a row is right in under 19 of 20 runs, and 2 where a run failed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "--config" { // eUPF's command line
		if err := serve(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	upflab := flag.String("upflab", "./upflab", "the `program` to check")
	runs := flag.Int("runs", 20, "how many runs")
	repeats := flag.Int("repeats", 3, "repeats of each run, from 2 on")
	duration := flag.Duration("duration", 500*time.Millisecond, "length of a trial")
	flag.Parse()
	switch err := check(*upflab, *runs, *repeats, *duration); {
	case errors.Is(err, errMissed):
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(2)
	}
}
