// Package meter reads what a power meter wrote down: a CSV file of times and watts, or of times and a count of joules.
package meter

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/text/safefile"
)

// mostBytes is more than a day has in tenths of seconds.
const mostBytes = 256 << 20

// mostWatts is more than what a rack takes.
const mostWatts = 1e6

// LeastReadings is how many readings must lie within a time for its energy to be known.
const LeastReadings = 3

// Log is what a meter wrote down, in the order of time.
type Log struct {
	times  []time.Time
	joules []float64 // since the first
}

// columns are what a header may say.
const columns = "give two columns, `time` (RFC 3339, or seconds since 1970) and `watts`, or `time` and `joules`"

// Read reads a file.
func Read(path string) (*Log, error) {
	data, err := safefile.Read(path, mostBytes)
	if err != nil {
		return nil, fmt.Errorf("read a power meter's file: %w", err)
	}
	l, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read the power meter's file %s: %w", path, err)
	}
	return l, nil
}

// Parse reads the text of a file. Its first line names the columns; others than the two are passed over.
func Parse(text []byte) (*Log, error) {
	l, err := parse(text)
	whole := bytes.LastIndexByte(text, '\n') + 1
	if err == nil || whole == 0 || whole == len(text) {
		return l, err
	}
	if _, before := parse(text[:whole]); before != nil {
		return nil, err
	}
	return nil, fmt.Errorf("it is cut off in line %d: copy it again, or remove that line (%w)", 1+bytes.Count(text, []byte("\n")), err)
}

func parse(text []byte) (*Log, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))) // with which spreadsheets begin
	r.TrimLeadingSpace, r.ReuseRecord = true, true
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty: " + columns)
	}
	if err != nil {
		return nil, err
	}
	at := func(name string) int {
		return slices.IndexFunc(head, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
	}
	when, watts, counter := at("time"), at("watts"), at("joules")
	if when < 0 || (watts < 0) == (counter < 0) {
		return nil, fmt.Errorf("its first line is %q: %s", strings.Join(head, ","), columns)
	}
	l := &Log{}
	last := 0.0
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		t, err := parseTime(fields[when])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(fields[max(watts, counter)]), 64)
		if err != nil || !(value >= 0) || watts >= 0 && value > mostWatts || math.IsInf(value, 0) {
			return nil, fmt.Errorf("line %d: %q is no reading", line, fields[max(watts, counter)])
		}
		if err := l.add(t, value, last, watts >= 0); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		last = value
	}
	if len(l.times) < 2 {
		return nil, fmt.Errorf("it has %d readings: energy is what lies between two", len(l.times))
	}
	return l, nil
}

// add adds a reading. Between two of power it is taken to change evenly.
func (l *Log) add(t time.Time, value, last float64, power bool) error {
	n := len(l.times)
	if n == 0 {
		l.times, l.joules = append(l.times, t), append(l.joules, 0)
		return nil
	}
	if !t.After(l.times[n-1]) {
		return fmt.Errorf("its time %s is not after that of the line before", t.UTC().Format(time.RFC3339Nano))
	}
	took := value - last
	if power {
		took = (value + last) / 2 * t.Sub(l.times[n-1]).Seconds()
	}
	if took < 0 {
		return errors.New("its joules are fewer than on the line before")
	}
	l.times, l.joules = append(l.times, t), append(l.joules, l.joules[n-1]+took)
	return nil
}

func parseTime(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	const mostSeconds = 1 << 36 // the year 4147
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s < mostSeconds) {
		return time.Time{}, fmt.Errorf("%q is no time: give RFC 3339 (2026-11-28T21:00:00.5Z) or seconds since 1970", text)
	}
	whole, part := math.Modf(s)
	return time.Unix(int64(whole), int64(part*1e9)), nil
}

// Joules is what was taken in a time; ok is false where the log does not cover it, or has too few readings in it.
func (l *Log) Joules(from, to time.Time) (joules float64, ok bool) {
	first := slices.IndexFunc(l.times, func(t time.Time) bool { return !t.Before(from) })
	if first < 0 || l.times[0].After(from) || l.times[len(l.times)-1].Before(to) {
		return 0, false
	}
	in, last, gap := 0, from, time.Duration(0)
	for _, t := range l.times[first:] {
		if t.After(to) {
			break
		}
		in, gap, last = in+1, max(gap, t.Sub(last)), t
	}
	if gap = max(gap, to.Sub(last)); in < LeastReadings || gap > to.Sub(from)/2 { // more than half of it is a guess
		return 0, false
	}
	return l.at(to) - l.at(from), true
}

// at is the count at a time that the log covers.
func (l *Log) at(t time.Time) float64 {
	i, exact := slices.BinarySearchFunc(l.times, t, time.Time.Compare)
	if exact {
		return l.joules[i]
	}
	a, b := l.times[i-1], l.times[i]
	part := float64(t.Sub(a)) / float64(b.Sub(a))
	return l.joules[i-1] + part*(l.joules[i]-l.joules[i-1])
}
