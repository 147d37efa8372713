package xdp

import (
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// FuzzPrograms throws mutated frames at both programs. Whatever comes in, the
// verdict is one of drop, pass and redirect, and what leaves by redirection is a
// frame of a possible length.
func FuzzPrograms(f *testing.F) {
	fuzztest.Brief(f)
	l := newLab(f, labConfig())
	must(f, "Apply", l.dp.Apply(additions(frameSessions())))
	for _, c := range readFrames(f) {
		f.Add(c.Program == "n6", octets(f, c.Frame))
	}
	f.Fuzz(func(t *testing.T, n6 bool, frame []byte) {
		// What the kernel takes as a frame.
		if len(frame) < 14 || len(frame) > 2048 {
			return
		}
		program := "n3"
		if n6 {
			program = "n6"
		}
		verdict, out := l.runHere(t, program, frame)
		if verdict != xdpDrop && verdict != xdpPass && verdict != xdpRedirect {
			t.Fatalf("%s: verdict %d of %x", program, verdict, frame)
		}
		checkLength(t, program, verdict, frame, out)
	})
}

// checkLength wants the outer headers gone after n3, and there after n6: 36 octets without a PDU session
// container, 44 with one, 48 with one that has a Paging Policy Indicator.
func checkLength(t *testing.T, program string, verdict uint32, in, out []byte) {
	grown := len(out) - len(in)
	encapsulated := grown == 36 || grown == 44 || grown == 48
	if verdict != xdpRedirect {
		if grown > 0 && !(verdict == xdpDrop && program == "n6" && encapsulated) { // slow: user space has it
			t.Fatalf("%s: verdict %d and %d octets longer: %x", program, verdict, grown, in)
		}
		return
	}
	if program == "n6" && !encapsulated || program == "n3" && grown > -36 {
		t.Fatalf("%s: forwarded and %d octets longer: %x", program, grown, in)
	}
}
