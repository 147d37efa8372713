package calibrator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"sort"
	"time"

	"github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Device is a running calibrator.
type Device struct {
	*process.Process
	testbed site.Site
	api     netip.AddrPort
	keep    string // file for the ledger
}

// Ledger is what the calibrator did so far, with the accounts of at most so many of the
// latest trials.
func (d *Device) Ledger(latest int) (l impair.Ledger, err error) {
	return l, d.get(fmt.Sprintf("/ledger?latest=%d", latest), &l)
}

func (d *Device) get(path string, to any) error {
	return fetch(d.testbed.UPF().HTTPClient(2*time.Second), fmt.Sprintf("http://%s%s", d.api, path), to)
}

func fetch(client *http.Client, url string, to any) error {
	answer, err := client.Get(url)
	if err != nil {
		return fmt.Errorf("ask the calibrator: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("ask the calibrator %s: it answers %s", url, answer.Status)
	}
	if err := json.NewDecoder(answer.Body).Decode(to); err != nil {
		return fmt.Errorf("understand the calibrator's answer to %s: %w", url, err)
	}
	return nil
}

// drops are what the rules, the parameters and want of CPU and memory cost.
func (d *Device) drops() ([]record.Count, error) {
	did, err := d.Ledger(0)
	if err != nil {
		return nil, err
	}
	return placesOf(did), nil
}

// RingFull is the place of frames for which the calibrator's own rings had no
// room, because it did not get the CPU.
const RingFull record.Place = "calibrator: receive ring full"

// placesOf lists where packets went. What was lost before the interfaces, and in
// the sink's ring, the lab counts itself.
func placesOf(did impair.Ledger) (list []record.Count) {
	counts := map[record.Place]uint64{}
	if n := did.Uplink.Missed + did.Downlink.Missed; n > 0 {
		counts[RingFull] = n
	}
	for reason, n := range did.Refused {
		counts[record.Place("calibrator: "+reason)] += n
	}
	for _, cause := range []string{"loss", "mbr", "queue", "memory"} {
		if n := did.Uplink.Totals.Lost[cause] + did.Downlink.Totals.Lost[cause]; n > 0 {
			counts[record.Place("calibrator: "+cause)] = n
		}
	}
	for place, n := range counts {
		list = append(list, record.Count{Place: place, Packets: n})
	}
	sort.Slice(list, func(a, b int) bool { return list[a].Place < list[b].Place })
	return list
}

// Logs are the program's log and the ledger.
func (d *Device) Logs() []string { return append(d.Process.Logs(), d.keep) }

// Stop keeps the ledger, if the calibrator still answers.
func (d *Device) Stop() error {
	if l, err := d.Ledger(1000); err == nil {
		if text, err := json.Marshal(l); err == nil {
			_ = safefile.Write(d.keep, text, 0o644) // the result has what counts
		}
	}
	return d.Process.Stop()
}
