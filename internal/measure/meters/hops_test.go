package meters

import (
	"strings"
	"testing"
)

func TestSeenLast(t *testing.T) {
	at := func(in, out uint64) (hop, hop) { return hop{"N3", in}, hop{"N6", out} }
	in0, out0 := at(100, 50)
	for _, c := range []struct {
		in, out uint64
		want    string
	}{
		{100, 50, "never came to the UPF's N3"},
		{160, 50, "last seen at the UPF's N3, which received 60; its N6 sent none"},
		{160, 110, "N3 received 60 and its N6 sent 60, so what it sends is wrong"},
	} {
		in1, out1 := at(c.in, c.out)
		if got := seenLast(in0, in1, out0, out1); !strings.Contains(got, c.want) {
			t.Errorf("%d in, %d out: %q, want %q in it", c.in, c.out, got, c.want)
		}
	}
	if got := seenLast(hop{}, hop{}, hop{}, hop{}); got != "" {
		t.Errorf("of a UPF elsewhere: %q", got)
	}
}
