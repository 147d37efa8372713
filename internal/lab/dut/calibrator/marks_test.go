package calibrator

import (
	"testing"

	"github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/internal/proto/signature"
)

// TestMarks: the device reads what the generator writes.
func TestMarks(t *testing.T) {
	s := signature.Signature{Trial: 4, Word: signature.Word(7, 3), Sequence: 5, Intended: 6, Sent: 8}
	b := make([]byte, 64)
	s.Put(b)
	want := impair.Mark{Trial: 4, Stream: 7, Sequence: 5, Intended: 6, Sent: 8, Found: true}
	if got := (Marks{}).Read(b); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (Marks{}).Read(b[1:]); got != (impair.Mark{}) {
		t.Errorf("a payload without a signature is marked %+v", got)
	}
	from, to := Marks{}.Trial()
	b[from]++
	b[to-1]++
	if got := (Marks{}).Read(b); got.Trial != 4+1+1<<8 || got.Stream != 7 {
		t.Errorf("octets %d..%d are not the trial's number: %+v", from, to, got)
	}
}
