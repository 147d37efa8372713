package attack

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFile: what is written is read again.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.yaml")
	list := []Input{{N4, []byte{0x20, 1, 0, 4, 0, 0, 1, 0}}, {N3, []byte{0x30}}, {N6, bytes.Repeat([]byte{0x45}, 1400)}}
	f := File{Title: "of a test", UPF: "upf v1", Harm: `it says "no: #1"`}
	if err := f.Write(path, list); err != nil {
		t.Fatal(err)
	}
	got, inputs, err := Read(path)
	if err != nil || got.Title != f.Title || got.Harm != f.Harm || len(inputs) != len(list) {
		t.Fatalf("%+v, %d inputs, %v", got, len(inputs), err)
	}
	for i := range list {
		if inputs[i].Port != list[i].Port || !bytes.Equal(inputs[i].Data, list[i].Data) {
			t.Errorf("input %d is %+v, want %+v", i, inputs[i], list[i])
		}
	}
}

// TestLargeFile: a long fight is read fast; other keys may come after the inputs.
func TestLargeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.yaml")
	text := "schema: upflab.replay/v1\ninputs:\n" + strings.Repeat("- n4 2132"+strings.Repeat("00", 300)+"\n", 20000) + "harm: it ended\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	f, list, err := Read(path)
	if err != nil || len(list) != 20000 || f.Harm != "it ended" {
		t.Fatalf("%d inputs, %v", len(list), err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("12 MB take %s", took)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"schema: other/v1\ninputs: [n4 20]\n":           "schema",
		"schema: upflab.replay/v1\ninputs: []\n":        "0 inputs",
		"schema: upflab.replay/v1\ninputs: [n5 20]\n":   "none of n4",
		"schema: upflab.replay/v1\ninputs: [n4 2x]\n":   "input 1",
		"schema: upflab.replay/v1\ninputs: [\"n4 \"]\n": "0 octets",
		"{": "no file of inputs",
		"schema: upflab.replay/v1\ntitle: &a x\nupf: *a\ninputs:\n- n4 20\n": "aliases",
		"schema: upflab.replay/v1\ninputs:\n- n4 20\n- &a n4\n- *a\n":        "aliases",
		"schema: upflab.replay/v1\ninputs: " + strings.Repeat("[", 3000):     "nested too deep",
	} {
		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("of %q: %v, want %q", text, err, want)
		}
	}
}

// TestWithout: each IE can be left out, the groups' too, and what is left is a message.
func TestWithout(t *testing.T) {
	for _, m := range samples(t) {
		for n := 0; ; n++ {
			c := m.clone()
			if !c.without(n) {
				break
			}
			if b := c.bytes(); len(b) >= len(m.bytes()) {
				t.Fatalf("without IE %d it has %d octets, with it %d", n, len(b), len(m.bytes()))
			} else if _, err := parse(b); err != nil {
				t.Errorf("without IE %d: %v", n, err)
			}
		}
	}
}
