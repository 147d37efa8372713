package smf

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
)

func TestAssociateTellsWhatTheUPFIs(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{Features: []byte{0x10, 0x01}})
	c := dial(t, u.Addr(), Standard())
	a, err := c.Associate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a.NodeID != "127.0.0.1" || !a.RecoveryTime.Equal(time.Unix(1700000000, 0)) || !a.Features.Has(FTUP|EMPU) || a.Features.Has(UEIP) {
		t.Errorf("association %+v", a)
	}
	if a.Features.String() != "EMPU FTUP" {
		t.Errorf("features %q", a.Features)
	}
	if err := c.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAssociationErrorsSayWhatToDo(t *testing.T) {
	for _, test := range []struct {
		name   string
		script fakeupf.Script
		want   string
		is     any
	}{
		{"rejected", fakeupf.Script{RejectNode: &fakeupf.Rejection{Cause: 76}},
			`rejected the Association Setup Request: cause 76 "Service not supported"`, new(*RejectedError)},
		{"never answered", fakeupf.Script{Silent: true}, "after 3 tries", new(*TimeoutError)},
		{"cut short", fakeupf.Script{Mangle: func(b []byte) []byte { return b[:6] }}, "after 3 tries", new(*TimeoutError)},
		{"IE longer than message", fakeupf.Script{Mangle: lengthen}, "malformed Association Setup Response", new(*MalformedError)},
		{"of another version", fakeupf.Script{Mangle: refuseVersion}, "does not support PFCP version 1", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := fakeupf.Start(t, test.script)
			_, err := dial(t, u.Addr(), Standard()).Associate(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), u.Addr().String()) {
				t.Fatalf("error %v, want %q and the address", err, test.want)
			}
			if test.is != nil && !errors.As(err, test.is) {
				t.Errorf("error is a %T", err)
			}
		})
	}
}

// lengthen makes the first IE claim more octets than there are.
func lengthen(b []byte) []byte { b[10] = 0xff; return b }

func refuseVersion(b []byte) []byte {
	return []byte{1 << 5, 11, 0, 4, b[4], b[5], b[6], 0}
}

// TestDeadlineIsATimeout: a UPF that is silent until the context's deadline is said to be so.
func TestDeadlineIsATimeout(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{Silent: true})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := dial(t, u.Addr(), Standard(), func(cfg *Config) { cfg.T1 = time.Hour }).Associate(ctx)
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || timeout.Tries != 1 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestHeartbeatFirstComesBeforeTheFirstSession(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{})
	if _, err := dial(t, u.Addr(), Open5GS()).Associate(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := u.Requests()
	if len(q) != 2 || q[1].MessageType() != message.MsgTypeHeartbeatRequest {
		t.Errorf("requests %v", q)
	}
}

func TestReleaseDoesNotWaitForAUPFThatIsSilent(t *testing.T) {
	u := fakeupf.Start(t, fakeupf.Script{Silent: true})
	if err := dial(t, u.Addr(), Free5GC()).Release(t.Context()); err != nil {
		t.Error(err)
	}
}
