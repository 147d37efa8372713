// Truth measures a device whose rate, delay, loss and jitter are known, and counts how often the truth lies within
// the interval that upflab gives.
//
// The device shares no code with upflab: its own PFCP, GTP-U and clock, packet sockets, and a ledger of each packet.
// It takes eUPF's place. A run measures four of them in turn; for each figure with an uncertainty, upflab's interval
// (value and expanded uncertainty, 95 %) is compared with the rate or loss that was set, or with the delays and losses
// in the ledger of that run.
//
//	go -C tools build -o truth ./truth
//	sudo tools/truth/truth -upflab ./upflab -runs 20
//
// The status is 1 where a row is right less often than intervals of 95 % may be, with 5 % over all rows, or has no
// interval at all, and 2 where a run failed.
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
	var x examination
	flag.StringVar(&x.upflab, "upflab", "./upflab", "the `program` to check")
	flag.IntVar(&x.runs, "runs", 20, "how many runs")
	flag.IntVar(&x.repeats, "repeats", 3, "repeats of each run, from 2 on")
	flag.DurationVar(&x.duration, "duration", 500*time.Millisecond, "length of a trial")
	flag.StringVar(&x.disturbed, "disturbed", "keep", "keep: packets that met a disturbance of the machine count, as they do in the ledger; exclude: they do not")
	only := flag.String("device", "", "only the device of this `name`, as the table has it")
	flag.Parse()
	x.devices = devices(*only)
	switch err := x.check(); {
	case errors.Is(err, errMissed), errors.Is(err, errUnsaid):
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(2)
	}
}
