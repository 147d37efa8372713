package scenario

import (
	"fmt"
	"strings"
	"testing"
)

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		story, sets string
		names       string
		turn        string
	}{
		{"one", "", "QFI 1", "[0]"},
		{"a share of a quarter", "qfis=5,1,1,1 sessions=8", "QFI 5, QFI 1", "[0 1 1 1]"},
		{"slices", "network_instances=internet,ims sessions=2", "internet, ims", "[0 1]"},
		{"both in turn", "qfis=1,5 network_instances=internet,ims sessions=2", "QFI 1 in internet, QFI 5 in ims", "[0 1]"},
		{"both, of three and two", "qfis=1,5,9 network_instances=a,b sessions=6",
			"QFI 1 in a, QFI 5 in b, QFI 9 in a, QFI 1 in b, QFI 5 in a, QFI 9 in b", "[0 1 2 3 4 5]"},
	} {
		s, err := Open("stress", strings.Fields(c.sets), false)
		if err != nil {
			t.Errorf("%s: %v", c.story, err)
			continue
		}
		var names []string
		for _, x := range s.Classes() {
			names = append(names, s.ClassName(x))
		}
		if got := strings.Join(names, ", "); got != c.names || fmt.Sprint(s.ClassTurn()) != c.turn {
			t.Errorf("%s: %q, %v; want %q, %s", c.story, got, s.ClassTurn(), c.names, c.turn)
		}
	}
}

func TestClassesThatCannotBe(t *testing.T) {
	for _, c := range []struct{ scenario, sets, says string }{
		{"stress", "qfis=1,5,9 sessions=2", "set sessions to 3 or more"},
		{"stress", "network_instances=a,b", "set sessions to 2 or more"},
		{"stress", "qfis=1,5 sessions=2 stress.taps=0", "set stress.taps to 16"},
		{"stress", "qfis=1,2,3,4,5 network_instances=a,b,c,d sessions=20", "20 classes"},
		{"quick", "qfis=1,5 sessions=2", "set qfi in place of qfis"},
	} {
		if _, err := Open(c.scenario, strings.Fields(c.sets), false); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: %v; want it to say %q", c.scenario, c.sets, err, c.says)
		}
	}
	if _, err := Open("stress", []string{"qfis=5", "stress.taps=0"}, false); err != nil {
		t.Errorf("one class needs no taps: %v", err)
	}
}
