package verify

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/rawdata"
)

// unmatched compares which trials a result has with which the raw data have, a sentence for each that the other
// lacks. Without it, a trial whose number is taken away is one that nothing is computed again of.
func unmatched(given *record.Result, raw *rawdata.Run) ([]string, error) {
	m := matching{given: given, named: map[uint64]bool{}, wire: map[uint64]bool{}}
	m.full(raw.Data())
	for i := range given.DUTs {
		m.dut(i)
	}
	others, err := m.records(raw)
	return append(m.found, others...), err
}

type matching struct {
	given *record.Result
	kept  bool            // the raw data of each trial were kept
	named map[uint64]bool // records that a trial of the result names
	wire  map[uint64]bool // of those, trials of wire that goals share
	found []string
}

func (m *matching) say(format string, args ...any) {
	m.found = append(m.found, fmt.Sprintf(format, args...))
}

// full decides whether trials may be without raw data because the run kept no more.
func (m *matching) full(d *record.RawData) {
	var size int64
	for _, f := range d.Files {
		size += f.Bytes
	}
	m.kept = size <= rawdata.MostBytes
	if d.Full && m.kept {
		m.say("raw.full is true, and the raw data have %d bytes of the %d that a run keeps", size, int64(rawdata.MostBytes))
	}
}

// dut takes the numbers of a DUT's trials. A trial that was not sent has none, nor has one that was under way when
// the run was killed.
func (m *matching) dut(i int) {
	d := &m.given.DUTs[i]
	for j := range d.Trials {
		t := &d.Trials[j]
		underWay := !m.given.Complete && j == len(d.Trials)-1
		m.trial(fmt.Sprintf("duts[%d].trials[%d]", i, j), t.Raw, !t.Valid && t.DurationS == 0 || underWay)
	}
	for j := range d.Searches {
		s := &d.Searches[j]
		for k, t := range s.Trials {
			m.trial(fmt.Sprintf("duts[%d].searches[%d].trials[%d]", i, j, k), t.Raw, t.Sent == 0)
		}
		for k := range s.Goals {
			if w := s.Goals[k].Wire; w != nil && !m.wire[w.Raw] {
				m.wire[w.Raw] = w.Raw != 0
				m.trial(fmt.Sprintf("duts[%d].searches[%d].goals[%d].wire", i, j, k), w.Raw, false)
			}
		}
	}
}

// trial takes the number of one.
func (m *matching) trial(path string, id uint64, without bool) {
	switch {
	case id == 0 && m.kept && !without:
		m.say("%s names no raw data, and the run kept those of each trial", path)
	case id != 0 && m.named[id]:
		m.say("%s has raw data %d, which are of another trial, too", path, id)
	}
	m.named[id] = true
}

// records looks for raw data that no trial of the result names. An attempt that was repeated stands directly before
// the next; a trial that a study prepares itself by is of no repeat; and the last trial of a DUT that failed, or of a
// run that was ended, may have come to nothing.
func (m *matching) records(raw *rawdata.Run) (found []string, err error) {
	var next *trial.Raw
	excused, ended := false, map[string]bool{}
	for id := raw.Trials(); id > 0; id-- {
		r, err := raw.Trial(id)
		if err != nil {
			return nil, err
		}
		switch attempt := next != nil && sameTrial(r, next); {
		case m.named[id]:
			excused = true
		case attempt:
		case r.Trial.Repeat == 0:
			excused = true
		default:
			excused = m.mayFail(r.DUT, next == nil) && !ended[r.DUT]
		}
		if !excused {
			t := &r.Trial
			found = append(found, fmt.Sprintf("raw data %d (%s, %s %s %s, repeat %d) are of no trial of the result",
				id, r.DUT, t.Kind, t.Direction, t.Load, t.Repeat))
		}
		next, ended[r.DUT] = r, true
	}
	slices.Reverse(found)
	return found, nil
}

// mayFail reports whether the last trial of a DUT may have come to nothing.
func (m *matching) mayFail(label string, last bool) bool {
	if last && !m.given.Complete {
		return true
	}
	for i := range m.given.DUTs {
		if d := &m.given.DUTs[i]; d.Label() == label {
			return d.Status != record.StatusOK
		}
	}
	return false
}

// sameTrial reports whether two records are of attempts of one trial.
func sameTrial(a, b *trial.Raw) bool {
	return a.DUT == b.DUT && a.Trial.Repeat == b.Trial.Repeat && a.Trial.Key() == b.Trial.Key()
}
