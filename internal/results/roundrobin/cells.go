package roundrobin

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/precision"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

// Row is a figure in a place with the results of all laboratories that have it.
type Row struct {
	DUT    string              `json:"dut"`
	Figure string              `json:"figure"`
	Unit   figure.Unit         `json:"-"`
	Place  string              `json:"place"`
	Of     precision.Precision `json:"precision"`
}

// Report is what a round robin came to.
type Report struct {
	Schema   string   `json:"schema"`
	Protocol string   `json:"protocol"`
	Labs     []Lab    `json:"laboratories"`
	Rows     []Row    `json:"figures"`
	Doubts   []string `json:"doubts,omitempty"`
}

// figures are those that laboratories are compared by. Loss is not among them: without any there is nothing that
// scatters.
func figures() []string {
	return []string{"ndr_pps", "pdr_pps", "throughput_pps", "rx_pps", "latency.p50", "latency.p99", "cpu_ns_per_packet",
		"instructions_per_packet", "program_instructions_per_packet", "instructions_per_request"}
}

// Own are the settings, or groups of them, in which laboratories may differ: what their machines, links and
// addresses are.
func Own() []string {
	return []string{"link", "links", "n3", "n4", "n6", "cpu", "engine", "queues", "spread", "gro", "vm", "hosts", "container"}
}

// IsOwn reports whether laboratories may differ in a setting.
func IsOwn(key string) bool {
	top, _, _ := strings.Cut(key, ".")
	return slices.Contains(Own(), top)
}

// Read takes the folders of laboratories and computes the precision of each figure.
func Read(dirs []string) (*Report, error) {
	rep := &Report{Schema: Schema}
	type at struct{ dut, figure, place string }
	values, labs := map[at][]precision.Cell{}, map[string]string{}
	var order []at
	var first *record.Result
	versions, runs := map[string]string{}, map[string]string{}
	for _, dir := range dirs {
		l, err := LoadLab(dir)
		if err != nil {
			return nil, err
		}
		if other, twice := labs[l.Name]; twice {
			return nil, fmt.Errorf("%s and %s are both of laboratory %s: give each laboratory's folder once", other, dir, l.Name)
		}
		labs[l.Name] = dir
		if rep.Protocol == "" {
			rep.Protocol = l.Protocol
		}
		if l.Protocol != rep.Protocol {
			return nil, fmt.Errorf("laboratory %s carried out the protocol %s, and %s the protocol %s: they did not do the same",
				rep.Labs[0].Name, rep.Protocol, l.Name, l.Protocol)
		}
		rep.Labs = append(rep.Labs, l)
		for _, run := range l.Runs {
			r, err := store.Load(filepath.Join(dir, run))
			if err != nil {
				return nil, err
			}
			if first == nil {
				first = r
			}
			if err := sameMethod(first, r); err != nil {
				return nil, fmt.Errorf("laboratory %s, %s: %w", l.Name, run, err)
			}
			if other, twice := runs[r.Run]; twice && r.Run != "" {
				return nil, fmt.Errorf("laboratories %s and %s both have the run %s", other, l.Name, r.Run)
			}
			runs[r.Run] = l.Name
			rep.sameVersions(versions, l.Name, r)
			rep.emulated(l.Name, r)
			for _, v := range readings(r) {
				key := at{v.dut, v.figure, v.place}
				if values[key] == nil {
					order = append(order, key)
				}
				values[key] = put(values[key], l.Name, v.value)
			}
		}
	}
	for _, key := range order {
		f, _ := figure.Of(key.figure)
		row := Row{DUT: key.dut, Figure: key.figure, Unit: f.Unit, Place: key.place}
		cells := slices.DeleteFunc(values[key], func(c precision.Cell) bool {
			few := len(c.Values) < precision.LeastResults
			if few {
				rep.doubt("%s of %s, %s: laboratory %s has %d valid result and is not in it", key.figure, key.dut, key.place, c.Lab, len(c.Values))
			}
			return few
		})
		var err error
		if row.Of, err = precision.Of(cells); err != nil {
			rep.doubt("%s of %s, %s: %v", key.figure, key.dut, key.place, err)
			continue
		}
		rep.Rows = append(rep.Rows, row)
	}
	rep.look()
	return rep, nil
}

// Tests are how many tests for outliers were made, and how many laboratories they picked out.
func (rep *Report) Tests() (made, found int) {
	for _, row := range rep.Rows {
		made += row.Of.Tests
		found += len(row.Of.Findings)
	}
	return made, found
}

func (rep *Report) doubt(format string, args ...any) {
	rep.Doubts = append(rep.Doubts, fmt.Sprintf(format, args...))
}

// sameVersions doubts laboratories that measured another UPF than those before, once.
func (rep *Report) sameVersions(versions map[string]string, lab string, r *record.Result) {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		first, known := versions[d.Label()]
		if !known {
			versions[d.Label()] = d.Version
			continue
		}
		text := fmt.Sprintf("laboratory %s measured %s of version %q, and others of %q", lab, d.Label(), d.Version, first)
		if d.Version != first && !slices.Contains(rep.Doubts, text) {
			rep.Doubts = append(rep.Doubts, text)
		}
	}
}

// emulated doubts a laboratory whose times are none, once.
func (rep *Report) emulated(lab string, r *record.Result) {
	text := fmt.Sprintf("laboratory %s measured in a machine that was emulated: no rate, delay or CPU time of it means anything", lab)
	if r.VM.Emulated() && !r.VM.Counts && !slices.Contains(rep.Doubts, text) {
		rep.Doubts = append(rep.Doubts, text)
	}
}

// look finds what makes the laboratories fewer than they seem.
func (rep *Report) look() {
	machines := map[string]string{}
	for _, l := range rep.Labs {
		if len(l.Runs) != len(rep.Labs[0].Runs) {
			rep.doubt("laboratory %s has %d runs, and %s has %d", rep.Labs[0].Name, len(rep.Labs[0].Runs), l.Name, len(l.Runs))
		}
		if other, same := machines[l.Machine]; same && l.Machine != "" {
			rep.doubt("laboratories %s and %s are one machine: what lies between them is not what lies between laboratories", other, l.Name)
		}
		machines[l.Machine] = l.Name
		if l.Upflab != rep.Labs[0].Upflab {
			rep.doubt("laboratory %s used upflab %s, and %s used %s", rep.Labs[0].Name, rep.Labs[0].Upflab, l.Name, l.Upflab)
		}
	}
	const fewLabs = 8 // ISO 5725-1:1994, 6.3.4: "commonly 8 to 15"
	if len(rep.Labs) < fewLabs {
		rep.doubt("%d laboratories: ISO 5725-1 advises 8 to 15", len(rep.Labs))
	}
}

// sameMethod refuses runs that differ in more than machine and links, or than upflab spares a machine that is emulated.
func sameMethod(a, b *record.Result) error {
	emulated := a.VM.Emulated() || b.VM.Emulated()
	list := slices.DeleteFunc(compare.SettingsDiffer(a.Settings, b.Settings), func(text string) bool {
		key, _, _ := strings.Cut(text, ":")
		return IsOwn(key) || emulated && slices.Contains([]string{"disturbed", "attempts"}, key)
	})
	if len(list) > 0 {
		return fmt.Errorf("it is not the method of the others: %s", strings.Join(list, "; "))
	}
	return nil
}

type reading struct {
	dut, figure, place string
	value              float64
}

// readings are the figures of a run: medians of its valid repeats.
func readings(r *record.Result) (list []reading) {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		if d.Reference || d.Status == record.StatusFailed {
			continue
		}
		for _, name := range figures() {
			f, _ := figure.Of(name)
			repeats := map[string][]float64{}
			var order []string
			for _, s := range f.Samples(d) {
				if !s.Valid || !(s.Value > 0) || !counts(f, s) {
					continue
				}
				place := s.Place.Words(true)
				if repeats[place] == nil {
					order = append(order, place)
				}
				repeats[place] = append(repeats[place], s.Value)
			}
			for _, place := range order {
				list = append(list, reading{d.Label(), name, place, stats.Median(repeats[place])})
			}
		}
	}
	return list
}

// counts leaves out rates that are what was offered, and delays without a schedule.
func counts(f figure.Figure, s figure.Sample) bool {
	switch {
	case f.Name == "rx_pps":
		return s.Load.Max()
	case f.Unit == figure.Nanos && f.Unloaded:
		return !s.Load.Max()
	}
	return true
}

func put(cells []precision.Cell, lab string, value float64) []precision.Cell {
	for i := range cells {
		if cells[i].Lab == lab {
			cells[i].Values = append(cells[i].Values, value)
			return cells
		}
	}
	return append(cells, precision.Cell{Lab: lab, Values: []float64{value}})
}
