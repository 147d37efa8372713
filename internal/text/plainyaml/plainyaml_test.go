package plainyaml

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// TestRefused: what makes much of little is refused with its place.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a: &x 1\nb: *x\n":                     "[1:4] anchors",
		"b: *x\n":                              "[1:4] anchors",
		"b:\n  <<: {a: 1}\n":                   "[2:3] anchors",
		"b: !!binary aGk=\n":                   "[1:4] anchors",
		"a: [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]": "nested too deep",
		strings.Repeat("a", Small+1):           "is it the right file?",
	} {
		var v any
		err := Unmarshal([]byte(text), Small, &v)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
		if e := (*Error)(nil); !errors.As(err, &e) {
			t.Errorf("%.40q: %T is no *Error", text, err)
		}
	}
}

// TestAccepted: what only looks like that is read.
func TestAccepted(t *testing.T) {
	for _, text := range []string{
		"a: b & c * d << !e\n", "a: 'x: &y'\nb: \"*z\"\n", "a: |\n  &x *y [[[[[[[[[[[[[[[[[[\n", "# &x *y\na: 1\n", "a: [1, {b: [2]}]\n",
		"a:\n- b:\n  - c: 1\n    d: 2\n", strings.Repeat("k", 9) + ": 1\n",
		strings.Repeat("- {a: 1, b: [1, 2, 3]}\n", 1000), "[" + strings.Repeat("{a: 1}, ", 1000) + "{a: 2}]",
	} {
		var v any
		if err := Unmarshal([]byte(text), Small, &v); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// used is the CPU time of this process: the machine may be busy.
func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestFast: no text takes the parser seconds, however it is repeated. Without the check
// "[" alone takes it seven.
func TestFast(t *testing.T) {
	for _, open := range []string{"[", "{", "{a: ", "- ", "? ", "[a: ", "[? ", "{a: a: ", "- - ", "[\n", "a: [\n",
		"? - ", "a: ? ", "- a: ", "&a ", "*a ", "!!a ", "|\n", ">\n",
		"\"", "'", "a: b\n", "a:\n", "[a,", "a: |\n  b\n", "--- \n", "% a\n", "- a\n", "]", "a: {}\n", ": ", ", ", "\t- ", "#\n", "a: #\n"} {
		begun := used(t)
		var v any
		err := Unmarshal([]byte(strings.Repeat(open, Small/len(open))), Small, &v)
		if took := used(t) - begun; took > 2*time.Second {
			t.Errorf("%q over and over takes %s (%v)", open, took, err)
		} else if testing.Verbose() {
			fmt.Printf("%q: %s\n", open, took)
		}
	}
	// Each line one further to the right.
	var b strings.Builder
	for n := 0; b.Len() < Small-300; n++ {
		b.WriteString(strings.Repeat(" ", n) + "a:\n")
	}
	begun := used(t)
	var v any
	if err := Unmarshal([]byte(b.String()), Small, &v); err == nil || used(t)-begun > 2*time.Second {
		t.Errorf("indented: %v after %s", err, used(t)-begun)
	}
}

func FuzzCheck(f *testing.F) {
	fuzztest.Brief(f)
	f.Add([]byte("a: [1, {b: c}]\n- x\n"))
	f.Add([]byte("? a\n: - b\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		begun := used(t)
		var v any
		Unmarshal(text, 4<<10, &v)
		if took := used(t) - begun; took > 2*time.Second {
			t.Errorf("takes %s", took)
		}
	})
}
