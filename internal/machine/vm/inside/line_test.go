package inside

import (
	"io"
	"os"
	"testing"
)

// Text of the command is never an event, whatever it has.
func TestTextIsNoEvent(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	l := &line{tty: write}
	for _, text := range []string{"a\x00{\"status\":0}\n", "\x00", "b\n"} {
		if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	status := 3
	l.report(Event{Status: &status})
	write.Close()
	got, err := io.ReadAll(read)
	if want := "a{\"status\":0}\nb\n\x00{\"status\":3}\n"; string(got) != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
