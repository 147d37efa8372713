package bess

import (
	"bytes"
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

// ask puts the recorded question by the client's method for it, and gives what that
// returns as a line of bessd.want.
func (x exchange) ask(t *testing.T, c *Client) (list []string, err error) {
	ctx := t.Context()
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	name := ""
	if len(x.request) > 2 {
		name = string(x.request[2:]) // one string field of less than 128 bytes
	}
	switch x.method {
	case "GetVersion":
		_, err = c.Version(ctx)
	case "ListModules":
		var modules []Module
		modules, err = c.Modules(ctx)
		for _, m := range modules {
			say("module %s %s", m.Name, m.Class)
		}
	case "ListWorkers":
		var n uint64
		n, err = c.SilentDrops(ctx)
		say("silent %d", n)
	case "ListTcs":
		var leaves []Leaf
		leaves, err = c.Leaves(ctx)
		for _, l := range leaves {
			say("leaf %s %s", l.Name, l.Module)
		}
	case "GetTcStats":
		var u Usage
		u, err = c.Usage(ctx, name)
		say("usage %s %d %d %d", name, u.Rounds, u.Cycles, u.Packets)
	case "GetModuleInfo":
		var outputs []Output
		outputs, err = c.Outputs(ctx, name)
		for _, o := range outputs {
			say("output %s %s %d", name, o.Next, o.Packets)
		}
	case "GetPortStats":
		var s PortStats
		if s, err = c.PortStats(ctx, name); err == nil {
			say("port %s %d %d %d %d %d", name, s.In.Packets, s.In.Dropped, s.In.Actual[0], s.Out.Packets, s.Out.Dropped)
		}
	default:
		t.Errorf("%s was recorded, and nothing asks it", x.method)
	}
	return list, err
}

// TestRecorded: the client sends the bytes that were recorded, and reads in the answers
// what Google's library reads.
func TestRecorded(t *testing.T) {
	want, err := os.ReadFile("testdata/bessd.want")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range recorded(t) {
		c := daemon(t, func(method string, question []byte) ([]byte, error) {
			if method != x.method || !bytes.Equal(question, x.request) {
				t.Errorf("asked %s with %x, want %s with %x", method, question, x.method, x.request)
			}
			return x.answer, nil
		})
		lines, err := x.ask(t, c)
		if err != nil {
			_, text, _ := strings.Cut(err.Error(), "bessd's answer to "+x.method+": ")
			lines = []string{text}
		}
		got = append(got, lines...)
	}
	if text := strings.Join(got, "\n") + "\n"; text != string(want) {
		t.Errorf("they say\n%s\nwant\n%s", text, want)
	}
}
