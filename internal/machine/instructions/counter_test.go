package instructions

import (
	"errors"
	"testing"
)

// A machine whose clock tells the time is found out, however fast it is.
func TestTimeIsNoCount(t *testing.T) {
	if err := Check(); !errors.Is(err, ErrTime) {
		t.Errorf("%v, want %v", err, ErrTime)
	}
	if a, b := Now(), Now(); b < a {
		t.Errorf("the counter went back from %d to %d", a, b)
	}
}
