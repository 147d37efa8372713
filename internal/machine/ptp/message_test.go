package ptp

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// What ptp4l 3.1.1 answered over its UNIX socket in a namespace joined by veth with its master's,
// and what pmc printed of the same moment: offsetFromMaster 173.0, meanPathDelay 2791.0,
// stepsRemoved 1, portState UNCALIBRATED (it ran free), gmPresent true, gmIdentity
// 5e3230.fffe.72da06.
const (
	currentBytes = "0d020048000000000000000000000000000000006eea8efffe80a1b200000007047f000000000000000000010000020000010014200100010000000000ad0000000000000ae70000"
	portBytes    = "0d020050000000000000000000000000000000006eea8efffe80a1b200010007047f00000000000000000001000002000001001c20046eea8efffe80a1b2000108000000000000000000010300010002"
	statusBytes  = "0d020068000000000000000000000000000000006eea8efffe80a1b200000007047f000000000000000000010000020000010034c00000000000000000ad18eaf520f81d4ccb00000000000000000000000000000000000000000000000000015e3230fffe72da06"
	// The master's port.
	masterBytes = "0d020050000000000000000000000000000000005e3230fffe72da0600010007047f00000000000000000001000002000001001c20045e3230fffe72da06000106000000000000000000010300010002"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAnswers reads what ptp4l answered.
func TestAnswers(t *testing.T) {
	var s State
	for _, a := range []struct {
		text string
		id   uint16
		take func([]byte) error
	}{{currentBytes, currentDataSet, s.current}, {portBytes, portDataSet, s.port}, {masterBytes, portDataSet, s.port},
		{statusBytes, timeStatusNP, s.status}} {
		data, err := answer(unhex(t, a.text), a.id, 7)
		if err == nil {
			err = a.take(data)
		}
		if err != nil {
			t.Errorf("%#x: %v", a.id, err)
		}
	}
	if s.OffsetNS != 173 || s.PathDelayNS != 2791 || s.Steps != 1 || !s.Followed || s.Grandmaster != "5e3230.fffe.72da06" {
		t.Errorf("%+v", s)
	}
	if len(s.Ports) != 2 || s.Ports[0] != "UNCALIBRATED" || s.Ports[1] != "MASTER" {
		t.Errorf("ports %q", s.Ports)
	}
}

// TestBehind: a clock behind its master has a negative offset. The field is in 2^-16 ns: -502.0.
func TestBehind(t *testing.T) {
	var s State
	if err := s.current(unhex(t, "0001fffffffffe0a00000000000000000000")); err != nil || s.OffsetNS != -502 {
		t.Errorf("%d ns, %v", s.OffsetNS, err)
	}
}

// TestQuestion: a question to a port in the default domain is, but for its length, what ptp4l's
// answer repeats of it.
func TestQuestion(t *testing.T) {
	q, a := question(domain{1, 24}, portDataSet, 7), unhex(t, portBytes)
	if q[0] != 0x1d || q[4] != 24 || len(q) != dataAt || int(q[3]) != len(q) {
		t.Errorf("% x", q)
	}
	if !bytes.Equal(q[30:34], a[30:34]) || !bytes.Equal(q[tlvAt:tlvAt+2], a[tlvAt:tlvAt+2]) || !bytes.Equal(q[tlvAt+4:], a[tlvAt+4:dataAt]) {
		t.Errorf("asked % x, answered % x", q, a)
	}
}

// TestOtherMessages are no answers.
func TestOtherMessages(t *testing.T) {
	b := unhex(t, currentBytes)
	if _, err := answer(b, currentDataSet, 8); !errors.Is(err, errNoAnswer) {
		t.Errorf("another sequence: %v", err)
	}
	if _, err := answer(b, portDataSet, 7); !errors.Is(err, errNoAnswer) {
		t.Errorf("another question: %v", err)
	}
	if _, err := answer(b[:60], currentDataSet, 7); err == nil {
		t.Error("one that is cut short is taken")
	}
}

// FuzzAnswer: whatever comes from the socket is read or refused.
func FuzzAnswer(f *testing.F) {
	fuzztest.Brief(f)
	for _, text := range []string{currentBytes, portBytes, statusBytes} {
		f.Add(unhex(f, text), uint16(currentDataSet))
		f.Add(unhex(f, text), uint16(timeStatusNP))
	}
	f.Fuzz(func(t *testing.T, b []byte, id uint16) {
		var s State
		data, err := answer(b, id, 7)
		if err != nil {
			return
		}
		_, _, _ = s.current(data), s.port(data), s.status(data)
		if len(s.Ports) > 1 {
			t.Errorf("one answer is of %d ports", len(s.Ports))
		}
	})
}
