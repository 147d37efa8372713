package store

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/upflab/upflab/internal/record"
)

// Limit is what a result may have. A few bytes of JSON can be a structure of a kilobyte, so
// that the size of the file alone says little of the memory that it takes.
type Limit struct {
	Bytes  int64 // of the file
	Memory int64 // of its values, bytes
	Trials int   // in all lists of trials together
}

// The limits of results: of one that somebody names, and of those that an index or a page
// reads by itself.
var (
	Whole = Limit{Bytes: 128 << 20, Memory: 512 << 20, Trials: 200_000}
	Shown = Limit{Bytes: 16 << 20, Memory: 64 << 20, Trials: 10_000}
)

// maxNesting is how deep values may lie in one another.
const maxNesting = 64

// check refuses what would take too much memory, before it is decoded.
func (l Limit) check(data []byte) error {
	if int64(len(data)) > l.Bytes {
		return fmt.Errorf("it has %d bytes, and a result may have %d here: is it upflab's?", len(data), l.Bytes)
	}
	m := measure{limit: l}
	m.sizes, m.largest = sizes()
	return m.scan(data)
}

// sizes gives, for each name in a result, in lower case, the bytes that one value of it
// takes: of a list, one entry; and the largest of them.
func sizes() (all map[string]int64, largest int64) {
	all = map[string]int64{}
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous {
				walk(f.Type) // its fields are the type's own in JSON
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			of := f.Type
			for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Array || of.Kind() == reflect.Map {
				of = of.Elem()
			}
			name = strings.ToLower(name)
			all[name] = max(all[name], int64(of.Size()))
			largest = max(largest, all[name])
			walk(of)
		}
	}
	walk(reflect.TypeFor[record.Result]())
	return all, largest
}

// measure adds up what the values of a text take.
type measure struct {
	limit   Limit
	sizes   map[string]int64
	largest int64
	memory  int64
	trials  int
	open    []frame
}

// frame is a list or an object that is not closed yet.
type frame struct {
	size   int64 // of an entry
	list   bool
	trials bool
}

// scan goes through the text once. It need not be JSON: the decoder says so.
func (m *measure) scan(data []byte) error {
	var name []byte // the string before
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			from := i + 1
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			name = data[from:min(i, len(data))]
		case '{', '[':
			if len(m.open) >= maxNesting {
				return fmt.Errorf("its values lie more than %d deep in one another: no result of upflab's does", maxNesting)
			}
			m.begin(name, data[i] == '[')
		case ',':
			m.next()
		case '}', ']':
			m.open = m.open[:max(0, len(m.open)-1)]
		}
		if m.memory > m.limit.Memory {
			return fmt.Errorf("its values take more than %d MiB of memory, the most here: take fewer trials or points", m.limit.Memory>>20)
		}
		if m.trials > m.limit.Trials {
			return fmt.Errorf("it has more than %d trials, the most here: divide the run into several", m.limit.Trials)
		}
	}
	return nil
}

// begin opens a value: in an object that of the name before it, in a list an entry of that.
func (m *measure) begin(name []byte, list bool) {
	f := frame{list: list}
	if n := len(m.open); n > 0 && m.open[n-1].list {
		f.size, f.trials = m.open[n-1].size, m.open[n-1].trials
		if list {
			m.charge(f)
		}
	} else {
		text := strings.ToLower(string(name))
		f.size, f.trials = m.sizes[text], text == "trials"
		if strings.ContainsFunc(text, func(r rune) bool { return r == '\\' || r >= utf8.RuneSelf }) {
			f.size = m.largest // the decoder may take it for any name
		}
		m.charge(f)
	}
	m.open = append(m.open, f)
}

// next begins another entry of a list, or another field.
func (m *measure) next() {
	if n := len(m.open); n > 0 && m.open[n-1].list {
		m.charge(m.open[n-1])
	} else {
		m.memory += least
	}
}

// least is what any value takes, bytes.
const least = 16

func (m *measure) charge(f frame) {
	m.memory += max(least, f.size)
	if f.trials && f.list {
		m.trials++
	}
}
