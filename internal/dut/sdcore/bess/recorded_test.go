package bess

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// testdata/bessd.txt has answers of a real bessd with SD-Core's pipeline under
// load: method, request and answer, in hexadecimal. testdata/bessd.want is what
// Google's protocol buffers for Python read in them, by BESS's own definitions.

type exchange struct {
	method          string
	request, answer []byte
}

func recorded(t testing.TB) (list []exchange) {
	t.Helper()
	text, err := os.ReadFile("testdata/bessd.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(strings.ReplaceAll(line, " -", " "))
		x := exchange{method: f[0]}
		if len(f) == 3 {
			x.request, err = hex.DecodeString(f[1])
		}
		answer, err2 := hex.DecodeString(f[len(f)-1])
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		x.answer = answer
		list = append(list, x)
	}
	return list
}

// lines tell what our parsers read in an answer to a question about name.
func (x exchange) lines() (list []string, err error) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	var name string
	each(x.request, func(f field) error { name = string(f.bytes); return nil })
	if failed := failure(x.answer); failed != nil {
		return []string{failed.Error()}, nil
	}
	switch x.method {
	case "ListModules":
		var modules []Module
		modules, err = parseModules(x.answer)
		for _, m := range modules {
			say("module %s %s", m.Name, m.Class)
		}
	case "ListWorkers":
		var n uint64
		n, err = parseSilentDrops(x.answer)
		say("silent %d", n)
	case "ListTcs":
		var leaves []Leaf
		leaves, err = parseLeaves(x.answer)
		for _, l := range leaves {
			say("leaf %s %s", l.Name, l.Module)
		}
	case "GetTcStats":
		var u Usage
		u, err = parseUsage(x.answer)
		say("usage %s %d %d %d", name, u.Rounds, u.Cycles, u.Packets)
	case "GetModuleInfo":
		var outputs []Output
		outputs, err = parseOutputs(x.answer)
		for _, o := range outputs {
			say("output %s %s %d", name, o.Next, o.Packets)
		}
	case "GetPortStats":
		var s PortStats
		s, err = parsePortStats(x.answer)
		say("port %s %d %d %d %d %d", name, s.In.Packets, s.In.Dropped, s.In.Actual[0], s.Out.Packets, s.Out.Dropped)
	}
	return list, err
}

func TestRecorded(t *testing.T) {
	want, err := os.ReadFile("testdata/bessd.want")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range recorded(t) {
		lines, err := x.lines()
		if err != nil {
			t.Errorf("%s %x: %v", x.method, x.request, err)
		}
		got = append(got, lines...)
	}
	if text := strings.Join(got, "\n") + "\n"; text != string(want) {
		t.Errorf("they say\n%s\nwant\n%s", text, want)
	}
}
