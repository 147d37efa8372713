package memory

import (
	"errors"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

func TestDatapath(t *testing.T) {
	datapathtest.Run(t, func(testing.TB) datapath.Datapath { return New(4) })
}

func TestFull(t *testing.T) {
	d := New(1)
	if err := d.Apply([]datapath.Change{{New: datapathtest.Session(1)}}); err != nil {
		t.Fatal(err)
	}
	err := d.Apply([]datapath.Change{{New: datapathtest.Session(2)}})
	if !errors.Is(err, datapath.ErrFull) {
		t.Errorf("second of one session: %v, want ErrFull", err)
	}
	if d.Len() != 1 || d.Session(1) == nil {
		t.Error("the first session went with the second")
	}
}

func TestFail(t *testing.T) {
	d, want := New(0), errors.New("broken")
	d.Fail(want)
	if err := d.Apply([]datapath.Change{{New: datapathtest.Session(1)}}); err != want {
		t.Errorf("Apply = %v, want %v", err, want)
	}
	if d.Len() != 0 {
		t.Error("a failed Apply left a session")
	}
}
