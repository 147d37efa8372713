package n4socket

import (
	"encoding/binary"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestArrivalWithoutAStamp(t *testing.T) {
	now := time.Now()
	stamp := func(at time.Time) []byte {
		b := binary.NativeEndian.AppendUint64(nil, unix.SizeofCmsghdr+16)
		b = binary.NativeEndian.AppendUint32(b, unix.SOL_SOCKET)
		b = binary.NativeEndian.AppendUint32(b, unix.SCM_TIMESTAMPNS)
		b = binary.NativeEndian.AppendUint64(b, uint64(at.Unix()))
		return binary.NativeEndian.AppendUint64(b, uint64(at.Nanosecond()))
	}
	good := stamp(now.Add(-time.Second))
	if got := Arrival(good, now); got.Sub(now) != -time.Second {
		t.Errorf("a second ago is %v", got.Sub(now))
	}
	other := append([]byte(nil), good...)
	other[12]++
	for story, b := range map[string][]byte{"nothing": nil, "cut short": good[:len(good)-1], "of another kind": other,
		"of the future": stamp(now.Add(time.Second)), "of an hour ago": stamp(now.Add(-time.Hour))} {
		if got := Arrival(b, now); !got.Equal(now) {
			t.Errorf("%s: %v", story, got.Sub(now))
		}
	}
}
