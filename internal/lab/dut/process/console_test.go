package process

import (
	"bytes"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// replies are what a kernel 6.1 answered, in hexadecimal: err, more, len, text.
func reply(t testing.TB, header, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(header)
	if err != nil {
		t.Fatal(err)
	}
	return append(b, text...)
}

func TestConsoleRequest(t *testing.T) {
	b := consoleRequest("cad")
	want := append([]byte{0xbe, 0xba, 0xfe, 0xca, 2, 0, 0, 0, 3, 0, 0, 0}, "cad\x00"...)
	if len(b) != 524 || !bytes.HasPrefix(b, want) {
		t.Errorf("it is %d octets, % x", len(b), b[:20])
	}
}

func TestConsoleReply(t *testing.T) {
	for _, c := range []struct {
		why   string
		parts [][]byte
		want  string
		words string // of the error
	}{
		{"in parts", [][]byte{
			reply(t, "000000000100000002000000", "\n\x00"),
			reply(t, "000000000100000005000000", "0000\x00"),
			reply(t, "000000000000000001000000", "\x00")}, "\n0000", ""},
		{"an error", [][]byte{reply(t, "010000000000000014000000", "Read of file failed\x00")}, "", "Read of file failed"},
		{"cut off", [][]byte{reply(t, "0000000000000000", "")}, "", "has 8 octets"},
		{"less text than it says", [][]byte{reply(t, "000000000000000009000000", "x")}, "", "promises 9 octets"},
		{"no last part", [][]byte{reply(t, "000000000100000002000000", "x\x00")}, "", "EOF"},
	} {
		got, err := readConsole(func(b []byte) (int, error) {
			if len(c.parts) == 0 {
				return 0, io.EOF
			}
			n := copy(b, c.parts[0])
			c.parts = c.parts[1:]
			return n, nil
		})
		if got != c.want || (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %q, %v; want %q, %q", c.why, got, err, c.want, c.words)
		}
	}
}

func FuzzConsoleReply(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(reply(f, "000000000100000005000000", "0000\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if text, _, _, err := consoleReply(b); err == nil && len(text) > len(b) {
			t.Errorf("more text than octets: %q", text)
		}
	})
}
