package pages

import "testing"

// TestNumbersAreReused: a number that was given back comes before a new one, and an entry keeps
// its place while there come others.
func TestNumbersAreReused(t *testing.T) {
	var o Own[int]
	first := o.Take()
	at := o.At(first)
	*at = 7
	for range 3 * chunk {
		o.Take()
	}
	if first == 0 || o.At(first) != at || *at != 7 {
		t.Errorf("entry %d has %d, want 7 where it was", first, *o.At(first))
	}
	used := o.Used()
	o.Give(first)
	if got := o.Take(); got != first || o.Used() != used {
		t.Errorf("took %d of %d, want %d again of %d", got, o.Used(), first, used)
	}
}
