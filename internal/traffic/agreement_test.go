package traffic

import (
	"context"
	"errors"
	"testing"
	"time"
)

// sharer sends by a schedule with others; first is when it could begin.
type sharer struct {
	fakeSource
	first, began uint64
	fails        error
}

func (s *sharer) Share() Share { return Share{Of: 2} }

func (s *sharer) Send(_ context.Context, m Marks) error {
	m.Quiet()
	if s.fails != nil {
		return s.fails
	}
	s.began = m.Agree(s.first)
	return nil
}

// TestSourcesBeginTogether: at the latest of the times at which they could; one that has
// failed is not waited for, and one that shares nothing is not asked.
func TestSourcesBeginTogether(t *testing.T) {
	link := func() fakeSource { return fakeSource{link: &link{counts: map[uint16]uint64{}}} }
	alone := link()
	a, b, failed := &sharer{fakeSource: link(), first: 5}, &sharer{fakeSource: link(), first: 7},
		&sharer{fakeSource: link(), fails: errors.New("no port")}
	ended := make(chan error, 1)
	g := Group{Sources: []Source{a, &alone, b, failed}}
	go func() { ended <- g.send(context.Background(), Marks{}) }()
	select {
	case err := <-ended:
		if !errors.Is(err, failed.fails) || a.began != 7 || b.began != 7 {
			t.Errorf("they begin at %d and %d, want 7; %v", a.began, b.began, err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("they wait for each other")
	}
}
